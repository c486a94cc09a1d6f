package rooms_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/examples/rooms/rooms"
	"github.com/pinned-go/pinned/runtime"
)

// eachClient runs a test with the client of one worker over HTTP, and with that of another in process.
func eachClient(t *testing.T, f func(*testing.T, rooms.Client)) {
	t.Helper()
	start := func(t *testing.T) *runtime.Worker {
		t.Helper()
		worker, err := runtime.NewWorker(runtime.WithStore(durability.NewMemory()))
		if err != nil {
			t.Fatal(err)
		}
		rooms.Register(worker)
		if err := worker.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := worker.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return worker
	}
	t.Run("over HTTP", func(t *testing.T) {
		server := httptest.NewUnstartedServer(nil)
		t.Cleanup(server.Close) // after the worker's end, which ends its sockets
		server.Config.Handler = start(t)
		server.Start()
		f(t, rooms.NewClient(server.URL))
	})
	t.Run("in process", func(t *testing.T) { f(t, rooms.InProcess(start(t))) })
}

func TestATopicThatIsLockedStays(t *testing.T) {
	eachClient(t, func(t *testing.T, client rooms.Client) {
		lobby := client.Room("lobby")
		if _, err := lobby.SetTopic(t.Context(), rooms.SetTopic{Text: "Go"}); err != nil {
			t.Fatal(err)
		}
		if err := lobby.Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := lobby.SetTopic(t.Context(), rooms.SetTopic{Text: "C"}); !errors.Is(err, rooms.ErrLocked) {
			t.Errorf("a locked topic was changed: %v", err)
		}
		topic, err := lobby.Topic(t.Context())
		if err != nil || topic != (rooms.Topic{Text: "Go", Locked: true}) {
			t.Errorf("%+v, %v", topic, err)
		}
		if err := lobby.Unlock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := lobby.SetTopic(t.Context(), rooms.SetTopic{Text: "C"}); err != nil {
			t.Errorf("an unlocked topic stays: %v", err)
		}
	})
}

func TestBadInputIsNamed(t *testing.T) {
	eachClient(t, func(t *testing.T, client rooms.Client) {
		_, err := client.Room("lobby").Post(t.Context(), rooms.Post{Name: "Ada", Text: " "})
		var problem *pinned.Error
		if !errors.As(err, &problem) || problem.Status != 400 {
			t.Errorf("a blank message: %v", err)
		}
		if _, err := client.Room("lobby").Live(t.Context(), rooms.Join{}); !errors.As(err, &problem) || problem.Status != 400 {
			t.Errorf("a visitor without a name: %v", err)
		}
	})
}

func TestARoomRemembersItsMessages(t *testing.T) {
	eachClient(t, func(t *testing.T, client rooms.Client) {
		lobby := client.Room("lobby")
		for _, text := range []string{"one", "two", "three", "four", "five"} {
			post(t, lobby, text)
		}
		for after, want := range map[int][]string{
			0: {"one", "two", "three", "four", "five"},
			4: {"five"},
			5: nil,
		} {
			var got []string
			for m, err := range lobby.Messages(t.Context(), rooms.Page{After: after}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m.Text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after %d (-want +got):\n%s", after, diff)
			}
		}
	})
}

func TestWhoFollowsReadsOn(t *testing.T) {
	eachClient(t, func(t *testing.T, client rooms.Client) {
		lobby := client.Room("lobby")
		next := []string{"two", "three"}
		post(t, lobby, "one")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for m, err := range lobby.Messages(ctx, rooms.Page{Follow: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Text == "three" {
				return
			}
			// Posted only now that the one before was read: a stream that held elements back would stop here.
			post(t, lobby, next[m.N-1])
		}
		t.Error("the stream ended")
	})
}

func TestALiveConnectionHearsTheRoom(t *testing.T) {
	eachClient(t, func(t *testing.T, client rooms.Client) {
		lobby := client.Room("lobby")
		post(t, lobby, "first")

		ada := join(t, lobby, "Ada")
		if event := hear(t, ada, rooms.EventRoom); event.Online != 1 || len(event.Messages) != 1 || event.Messages[0].Text != "first" {
			t.Errorf("Ada finds %+v", event)
		}
		grace := join(t, lobby, "Grace")
		if event := hear(t, grace, rooms.EventRoom); event.Online != 2 {
			t.Errorf("Grace finds %+v", event)
		}
		if event := hear(t, ada, rooms.EventOnline); event.Online != 2 {
			t.Errorf("Ada hears %+v when Grace comes", event)
		}

		say(t, grace, "  ") // a blank message is none
		say(t, grace, "hello")
		for _, conn := range []*pinned.Conn[rooms.Event, rooms.Say]{ada, grace} {
			if m := hear(t, conn, rooms.EventMessage).Message; m.Name != "Grace" || m.Text != "hello" || m.N != 2 {
				t.Errorf("heard %+v", m)
			}
		}
		if err := lobby.Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if topic := hear(t, ada, rooms.EventTopic).Topic; !topic.Locked {
			t.Errorf("heard %+v", topic)
		}

		if err := grace.Close(1000, ""); err != nil {
			t.Fatal(err)
		}
		if event := hear(t, ada, rooms.EventOnline); event.Online != 1 {
			t.Errorf("Ada hears %+v when Grace goes", event)
		}
	})
}

func TestAMessageOverTheLimitEndsItsConnectionOnly(t *testing.T) {
	eachClient(t, func(t *testing.T, client rooms.Client) {
		lobby := client.Room("lobby")
		ada := join(t, lobby, "Ada")
		hear(t, ada, rooms.EventRoom)

		// The refusal may be read by Send already.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := ada.Send(ctx, rooms.Say{Text: strings.Repeat("long", 5<<10)})
		for err == nil {
			_, err = ada.Receive(ctx)
		}
		var problem *pinned.Error
		if !errors.As(err, &problem) || problem.Status != 413 {
			t.Errorf("the connection ended with %v", err)
		}
		post(t, lobby, "the room goes on")
	})
}

func post(t *testing.T, room rooms.RoomCalls, text string) {
	t.Helper()
	if _, err := room.Post(t.Context(), rooms.Post{Name: "poster", Text: text}); err != nil {
		t.Fatal(err)
	}
}

func join(t *testing.T, room rooms.RoomCalls, name string) *pinned.Conn[rooms.Event, rooms.Say] {
	t.Helper()
	conn, err := room.Live(t.Context(), rooms.Join{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func say(t *testing.T, conn *pinned.Conn[rooms.Event, rooms.Say], text string) {
	t.Helper()
	if err := conn.Send(t.Context(), rooms.Say{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// hear returns the next event, which must be of that kind.
func hear(t *testing.T, conn *pinned.Conn[rooms.Event, rooms.Say], kind rooms.EventKind) rooms.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	event, err := conn.Receive(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if event.Kind != kind {
		t.Fatalf("heard %+v, not %s", event, kind)
	}
	return event
}
