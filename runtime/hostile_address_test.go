package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

// pathClass answers every path with what it saw of it.
func pathClass(w *runtime.Worker) {
	runtime.Register(w, runtime.Class[thing]{
		Name: "Paths", Namespace: "/paths",
		Base: func(r *thing) *pinned.Object { return &r.Object },
		Match: func(_, path string, args *runtime.Args) int {
			args[0] = path
			return 0
		},
		Routes: []thingRoute{{Method: "GET", Pattern: "/{path...}", Func: "Path", Serve: func(c *runtime.Call) {
			path := runtime.Path(c, 0, "path", runtime.String[string])
			if _, r, ok := runtime.Enter[thing](c); ok {
				runtime.Answer(c, r.ID()+" "+path, nil)
			}
		}}},
	})
}

func TestHostileIDs(t *testing.T) {
	s := listen(t, nil)
	for _, id := range []string{
		"", ".", "..", "%2e", "%2e%2e", "%2E%2e", ".%2e", "a%2Fb", "a%00", "a%0d%0aX:%201", "a;b", "a%3Bb", "a%20b",
		"a+b", "a@b", "a:b", "a%25b", "a%", "a%2", "a%zz", "%FF", "%C3%28", "%EF%BD%81", "ａ", "a\x80", "a%252e",
		strings.Repeat("x", 257), strings.Repeat("%41", 257), strings.Repeat("x", 5000), "a'--", "*", "{id}", "a\\b", "a\"b", "a|b",
	} {
		for _, upgrade := range []string{"", "Upgrade: websocket\r\nConnection: Upgrade\r\n"} {
			path := "/topic"
			if upgrade != "" {
				path = "/live"
			}
			if got := s.get(t, "/chats/"+id+path, upgrade); got.Status != 400 {
				t.Errorf("id %.40q, upgrade %t: %d %s", id, upgrade != "", got.Status, got.Body)
			}
		}
	}
	if ids := s.resident(); len(ids) > 0 {
		t.Errorf("activated %q", ids)
	}
	for _, id := range []string{"~", ".a", "...", "a.", "-", "_", "%7E", "%61", "A-Z_a.z~0", strings.Repeat("x", 256)} {
		if got := s.get(t, "/chats/"+id+"/topic"); got.Status != 200 {
			t.Errorf("id %.40q: %d %s", id, got.Status, got.Body)
		}
	}
	// "~" and "%7E" are one.
	if ids := s.resident(); len(ids) != 9 {
		t.Errorf("resident %.20q", ids)
	}
}

func TestHostilePaths(t *testing.T) {
	s := listen(t, pathClass)
	for _, tt := range []struct {
		target string
		status int
	}{
		{"/chats/id/../../_pinned/stats", 404},
		{"/chats/id/%2e%2e/%2e%2e/_pinned/challenge", 404},
		{"/chats/../_pinned/stats", 400},
		{"/chats/%2e%2e/_pinned/stats", 400},
		{"/chats/../_pinned", 400},
		{"//chats//id/topic", 404},
		{"//chats/id/topic", 404},
		{"/chats//id/topic", 400},
		{"/chats/id%2f_wake", 400},
		{"/chats/id%2F..%2F..%2F_pinned", 400},
		{"/chats%2Fid/topic", 404},
		{"/%2Frooms/id/topic", 404},
		{"/./chats/id/topic", 404},
		{"/ROOMS/id/topic", 404},
		{"/chats /id/topic", 400},
		{"/paths/id/_wake", 404},
		{"/paths/id/_alarm", 404},
		{"/paths/id/_operate", 404},
		{"/paths/id/_", 404},
		{"/paths/id/%5fwake", 404},
		{"/paths/id/%5Falarm/x", 404},
		{"/paths/id/_anything/else", 404},
		{"/_pinned/stats", 404},
		{"/_pinned/challenge?challenge=x", 404},
		{"/_pinned/runs", 404},
		{"/registry/register", 404},
		{"/healthz", 404},
		{"http://elsewhere/_pinned/stats", 404},
		{"http://elsewhere/chats/../_pinned/stats", 400},
		{"*", 404},
		{"rooms/id/topic", 400},
		{"?x", 400},
		{"", 400},
		{"/chats/id/topic\x00", 400},
		{"/chats/id/topic#fragment", 404},
	} {
		if got := s.get(t, tt.target); got.Status != tt.status || got.Header.Get("Location") != "" {
			t.Errorf("%q: %d %s, want %d", tt.target, got.Status, got.Body, tt.status)
		}
	}
	if ids := s.resident(); len(ids) > 0 {
		t.Errorf("activated %q", ids)
	}
}

func TestBytesBehindTheIDArriveUnchanged(t *testing.T) {
	s := listen(t, pathClass)
	for _, tt := range [][2]string{
		{"/paths/id", "/"},
		{"/paths/id/", "/"},
		{"/paths/id//", "//"},
		{"/paths/id/a//b/../c/./d", "/a//b/../c/./d"},
		{"/paths/id/..", "/.."},
		{"/paths/id/%2e%2e/x", "/%2e%2e/x"},
		{"/paths/id/a%2Fb%2fc", "/a%2Fb%2fc"},
		{"/paths/id/a%20b%00%ff", "/a%20b%00%ff"},
		{"/paths/id/x/_wake", "/x/_wake"},
		{"/paths/id//_wake", "//_wake"},
		{"/paths/%69d/a;b=c?q", "/a;b=c"},
		{"http://elsewhere/paths/id/abs", "/abs"},
	} {
		if got := s.get(t, tt[0]); got.Status != 200 || got.Body != "id "+tt[1] {
			t.Errorf("%q: %d %q, want the path %q", tt[0], got.Status, got.Body, tt[1])
		}
	}
}

func TestNamespacesMeetOnASegment(t *testing.T) {
	s := listen(t, nil)
	for _, path := range []string{"/chat/id/topic", "/chatsx/id/topic", "/chats.x/id/topic", "/chats;x/id/topic"} {
		if got := s.get(t, path); got.Status != 404 {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	if got := s.get(t, "/%63hats/id/topic"); got.Status != 200 {
		t.Errorf("an escaped letter of a namespace: %d", got.Status)
	}
}

func TestReservedNamespacesAreRefusedAtStart(t *testing.T) {
	for _, namespace := range []string{"/_pinned", "/_", "/registry", "/console", "/healthz", "/readyz", "/metrics", "/", "", "rooms", "/a/b", "/a b", "/a\n", "/..", "/a/"} {
		w, err := runtime.NewWorker()
		if err != nil {
			t.Fatal(err)
		}
		runtime.Register(w, runtime.Class[thing]{
			Name: "Thing", Namespace: namespace,
			Base:  func(r *thing) *pinned.Object { return &r.Object },
			Match: func(string, string, *runtime.Args) int { return -1 },
		})
		if err := w.Start(t.Context()); err == nil {
			t.Errorf("the namespace %q was accepted", namespace)
		}
	}
}

func TestEpochsOfClientsMeanNothingInLocalMode(t *testing.T) {
	seen := make(chan string, 1)
	s := listen(t, func(w *runtime.Worker) {
		runtime.Register(w, runtime.Class[thing]{
			Name: "Thing", Namespace: "/things",
			Base:  func(r *thing) *pinned.Object { return &r.Object },
			Match: func(string, string, *runtime.Args) int { return 0 },
			Routes: []thingRoute{{Method: "GET", Pattern: "/", Serve: func(c *runtime.Call) {
				epoch := runtime.Header(c, "Pinboard-Epoch", runtime.String[string])
				ctx, r, ok := runtime.Enter[thing](c)
				if !ok {
					return
				}
				var names []string
				for name := range c.Request(ctx).Header {
					names = append(names, name)
				}
				seen <- fmt.Sprint(r.Epoch(), epoch, names, c.Caller())
				c.AnswerNone(nil)
			}}},
		})
	})
	want := fmt.Sprint(0, "", []string{}, pinned.Caller{})
	for _, headers := range []string{
		"Pinboard-Epoch: \r\n", "Pinboard-Epoch: -1\r\n", "pinboard-epoch: 9223372036854775808\r\n", "PINBOARD-EPOCH: 1, 2\r\n",
		"Pinboard-Epoch: " + strings.Repeat("9", 400) + "\r\n", "Pinboard-Epoch: 1\r\nPinboard-Epoch: 2\r\n",
		"Pinboard-Attestation: a.b.c\r\nX-Pinned-Proxy-Secret: s\r\nPinboard-From: /chats/x\r\nPinned-Refusal: draining\r\n",
	} {
		if got := s.get(t, "/things/x", headers); got.Status != 204 {
			t.Errorf("%.60q: %d %s", headers, got.Status, got.Body)
			continue
		}
		if diff := cmp.Diff(want, await(t, "the handler", seen)); diff != "" {
			t.Errorf("%.60q: the handler saw (-want +got):\n%s", headers, diff)
		}
	}
}
