package pinnedtest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/pinnedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnObjectUnderTestReachesTheFakes(t *testing.T) {
	var asked []string
	fake := sample.NewFake(sample.Fakes{Room: func(id string) sample.RoomCalls {
		asked = append(asked, id)
		return &sample.FakeRoom{TopicFunc: func(context.Context) (sample.Topic, error) {
			return sample.Topic{Text: "of the fake"}, nil
		}}
	}})
	var room sample.Room
	pinnedtest.Host(&room, fake)

	topic, err := room.Relay(t.Context(), "other")
	if err != nil || topic.Text != "of the fake" {
		t.Errorf("%+v, %v", topic, err)
	}
	if len(asked) != 1 || asked[0] != "other" {
		t.Errorf("the fake was asked for %q", asked)
	}
}

func TestWhatTheTestHasNotSetFails(t *testing.T) {
	calls := func(fakes sample.Fakes) error {
		var room sample.Room
		pinnedtest.Host(&room, sample.NewFake(fakes))
		_, err := room.Relay(t.Context(), "other")
		return err
	}
	for name, fakes := range map[string]sample.Fakes{
		"an unset func of a fake": {Room: func(string) sample.RoomCalls { return &sample.FakeRoom{} }},
		"an unset fake":           {},
	} {
		err := calls(fakes)
		e, ok := errors.AsType[*pinned.Error](err)
		if !ok || e.Outcome() != pinned.NotRun || e.Retryable() || !strings.Contains(err.Error(), "FakeRoom.TopicFunc is not set") {
			t.Errorf("%s: %v", name, err)
		}
	}

	var fake sample.FakeRoom
	for range fake.Upper(t.Context()) {
		// it yields its error, or the loop of the code under test would see an empty stream
		return
	}
	t.Error("the stream of an unset func ended without an error")
}

func TestAnObjectWithoutTheFakeSaysSo(t *testing.T) {
	var room sample.Room
	if _, err := room.Relay(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "no host") {
		t.Errorf("without a host: %v", err)
	}
	pinnedtest.Host(&room)
	if _, err := room.Relay(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "no fake of github.com/pinned-go/pinned/internal/sample") {
		t.Errorf("without the fake: %v", err)
	}
}

func TestAFakeIsAClient(t *testing.T) {
	client := sample.NewFake(sample.Fakes{Room: func(id string) sample.RoomCalls {
		return &sample.FakeRoom{PlainFunc: func(context.Context) (string, error) { return id, sample.ErrLocked }}
	}})
	if plain, err := client.Room("lobby").Plain(t.Context()); plain != "lobby" || !errors.Is(err, sample.ErrLocked) {
		t.Errorf("%q, %v", plain, err)
	}
}

func TestTheObjectOfATestKnowsWhatItIs(t *testing.T) {
	var room, other sample.Room
	pinnedtest.Host(&room)
	pinnedtest.Host(&other, pinnedtest.WithID("lobby"))
	if room.ID() != "test" || other.ID() != "lobby" {
		t.Errorf("the ids are %q and %q", room.ID(), other.ID())
	}
	if room.Epoch() != 0 || !room.Lease().Healthy || !room.Lease().Expiry.IsZero() || room.Log() == nil || time.Since(room.Now()) > time.Hour {
		t.Error("it isn't as in local mode")
	}

	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "v"))
	cancel()
	ran := false
	if err := room.Turn(ctx, func(got context.Context) error { ran = got.Value(key{}) == "v"; return nil }); err != nil || !ran {
		t.Errorf("Turn: %v", err)
	}

	// Go outlives its context, and ends with the instance.
	why, started := errors.New("over"), make(chan struct{})
	ended := make(chan error)
	room.Go(ctx, func(ctx context.Context) {
		if ctx.Err() != nil || ctx.Value(key{}) != "v" {
			t.Error("Go ended with its context, or lost its values")
		}
		close(started)
		<-ctx.Done()
		ended <- context.Cause(ctx)
	})
	<-started
	room.Abort(why)
	room.Abort(errors.New("again"))
	if err := <-ended; !errors.Is(err, why) {
		t.Errorf("the cause is %v", err)
	}
	room.Go(ctx, func(context.Context) { t.Error("Go ran on an instance that has ended") })
}

func TestHostRefusesMistakes(t *testing.T) {
	fake := sample.NewFake(sample.Fakes{})
	for name, f := range map[string]func(){
		"a client that is no fake": func() { pinnedtest.Host(&sample.Room{}, sample.NewClient("http://w")) },
		"a zero client":            func() { pinnedtest.Host(&sample.Room{}, sample.Client{}) },
		"nil":                      func() { pinnedtest.Host(&sample.Room{}, nil) },
		"two fakes of a package":   func() { pinnedtest.Host(&sample.Room{}, fake, fake) },
		"a bad id":                 func() { pinnedtest.Host(&sample.Room{}, pinnedtest.WithID("..")) },
		"a second host": func() {
			room := &sample.Room{}
			pinnedtest.Host(room)
			pinnedtest.Host(room)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "pinnedtest.Host: ") {
					t.Errorf("it panicked with %v", v)
				}
			}()
			f()
		})
	}
}
