package runtime_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// served is a worker with sample rooms behind a real socket.
type served struct {
	*httptest.Server

	worker *runtime.Worker
	log    *lines
	gate   chan struct{} // what rooms wait for in Wait
}

// lines is a log of JSON lines.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serveRooms(t *testing.T, opts ...runtime.Option) *served {
	t.Helper()
	s := &served{log: &lines{}, gate: make(chan struct{})}
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w, err := runtime.NewWorker(append([]runtime.Option{runtime.WithLogger(log)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	sample.Register(w, sample.SetupRoom(func(r *sample.Room) { r.Gate = s.gate }))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.worker = w
	s.Server = httptest.NewServer(w)
	t.Cleanup(func() { s.end(t) })
	return s
}

// answer is what a test looks at.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

func (s *served) do(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body == "" {
		req.Body = nil
		req.ContentLength = 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			req.Header.Del(header[i])
		} else {
			req.Header.Add(header[i], header[i+1])
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(b)}
}

// problem is a problem+json body.
type problem struct {
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Detail string          `json:"detail"`
	Code   string          `json:"code"`
	Data   json.RawMessage `json:"data"`
	Errors []fault         `json:"errors"`
}

type fault struct {
	Pointer   *string `json:"pointer"`
	Parameter string  `json:"parameter"`
	Detail    string  `json:"detail"`
}

// where is a fault's pointer or parameter.
func (f fault) where() string {
	if f.Pointer != nil {
		return *f.Pointer
	}
	return f.Parameter
}

func (a answer) problem(t *testing.T) problem {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("status %d, content type %q, body %q: no problem", a.Status, got, a.Body)
	}
	var p problem
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		t.Fatalf("problem %q: %v", a.Body, err)
	}
	if p.Status != a.Status || p.Title == "" {
		t.Errorf("problem %+v in an answer of %d", p, a.Status)
	}
	return p
}

func TestResultsOnTheWire(t *testing.T) {
	s := serveRooms(t)
	s.do(t, "PUT", "/chats/lobby/topic", `{"text":"go is fun"}`)
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		contentType, want        string
	}{
		{"JSON", "GET", "/topic", "", 200, "application/json", `{"text":"go is fun"}`},
		{"string", "GET", "/plain", "", 200, "text/plain; charset=utf-8", "go is fun"},
		{"second route of a method", "GET", "/text", "", 200, "text/plain; charset=utf-8", "go is fun"},
		{"bytes", "GET", "/blob", "", 200, "application/octet-stream", "go is fun"},
		{"reader", "GET", "/export", "", 200, "application/octet-stream", "go is fun"},
		{"response", "POST", "/messages", `{"say":"hi"}`, 201, "application/json", `{"n":1,"text":"hi"}`},
		{"none", "DELETE", "/messages", "", 204, "", ""},
		{"raw", "GET", "/raw/a%2Fb", "", 200, "text/plain", "raw a/b"},
		{"NDJSON", "GET", "/words", "", 200, "application/x-ndjson", "\"GO\"\n\"IS\"\n\"FUN\"\n"},
		{"raw body", "PUT", "/files/a/b%20c", "12345", 200, "application/json", "5"},
		{"HEAD falls to GET", "HEAD", "/topic", "", 200, "application/json", ""},
		{"HEAD of a stream", "HEAD", "/words", "", 200, "application/x-ndjson", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.do(t, tt.method, "/chats/lobby"+tt.path, tt.body, "X-Admin", "yes")
			if got.Status != tt.status || got.Body != tt.want || got.Header.Get("Content-Type") != tt.contentType {
				t.Errorf("got %d %q %q, want %d %q %q", got.Status, got.Header.Get("Content-Type"), got.Body, tt.status, tt.contentType, tt.want)
			}
		})
	}
}

func TestServerSentEvents(t *testing.T) {
	s := serveRooms(t)
	s.do(t, "PUT", "/chats/lobby/topic", `{"text":"go is"}`)
	got := s.do(t, "GET", "/chats/lobby/words", "", "Accept", "text/html, text/event-stream;q=0.9")
	const want = "data: \"GO\"\n\ndata: \"IS\"\n\nevent: end\ndata: {}\n\n"
	if got.Body != want || got.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %q %q, want %q", got.Header.Get("Content-Type"), got.Body, want)
	}
}

func TestRefusalsBeforeTheObject(t *testing.T) {
	s := serveRooms(t)
	for _, tt := range []struct {
		name, method, path string
		header             []string
		status             int
		allow              string
	}{
		{"unknown namespace", "GET", "/nothing/x/topic", nil, 404, ""},
		{"no namespace", "GET", "/", nil, 404, ""},
		{"namespace without id", "GET", "/chats", nil, 400, ""},
		{"empty id", "GET", "/chats//topic", nil, 400, ""},
		{"bad id", "GET", "/chats/a%2Fb/topic", nil, 400, ""},
		{"fixed path", "POST", "/chats/x/_wake", nil, 404, ""},
		{"fixed path, escaped", "POST", "/chats/x/%5Fwake", nil, 404, ""},
		{"stats", "GET", "/_pinned/stats", nil, 404, ""},
		{"no route", "GET", "/chats/x/nothing", nil, 404, ""},
		{"no route at the id itself", "GET", "/chats/x", nil, 404, ""},
		{"wrong method", "PATCH", "/chats/x/topic", nil, 405, "GET, HEAD, PUT"},
		{"unknown method", "BREW", "/chats/x/topic", nil, 405, "GET, HEAD, PUT"},
		{"the directive's word as a method", "WEBSOCKET", "/chats/x/live", nil, 405, "GET"},
		{"options", "OPTIONS", "/chats/x/messages", nil, 204, "DELETE, GET, HEAD, POST"},
		{"options without a route", "OPTIONS", "/chats/x/nothing", nil, 404, ""},
		{"socket without upgrade", "GET", "/chats/x/live", nil, 426, ""},
		{"denied with a status", "GET", "/chats/x/topic", []string{"X-Deny", "401"}, 401, ""},
		{"denied", "GET", "/chats/x/topic", []string{"X-Deny", "no"}, 403, ""},
		{"denied by the route's own", "DELETE", "/chats/x/messages", nil, 423, ""},
		{"denied before the body", "PUT", "/chats/x/topic", []string{"X-Deny", "no"}, 403, ""},
		{"bad parameter", "GET", "/chats/x/messages/abc", nil, 400, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.do(t, tt.method, tt.path, "", tt.header...)
			if got.Status != tt.status || got.Header.Get("Allow") != tt.allow {
				t.Fatalf("got %d, Allow %q, %q; want %d, %q", got.Status, got.Header.Get("Allow"), got.Body, tt.status, tt.allow)
			}
			if tt.status != 204 {
				if p := got.problem(t); strings.Contains(p.Detail, "secret") {
					t.Errorf("detail %q", p.Detail)
				}
			}
		})
	}
	if stats := s.worker.Stats(); len(stats.Instances) != 0 {
		t.Errorf("instances %+v, want none activated", stats.Instances)
	}
	if got := s.do(t, "GET", "/chats/x/text", "", "X-Deny", "no"); got.Status != 200 {
		t.Errorf("a route with auth=none answered %d", got.Status)
	}
}

func TestErrorsOfHandlers(t *testing.T) {
	s := serveRooms(t)
	s.do(t, "PUT", "/chats/lobby/topic", `{"text":"locked"}`)
	got := s.do(t, "PUT", "/chats/lobby/topic", `{"text":"x"}`)
	p := got.problem(t)
	if got.Status != 423 || p.Code != "locked" || p.Detail != sample.ErrLocked.Error() {
		t.Errorf("a declared error answered %+v", p)
	}
	got = s.do(t, "GET", "/chats/lobby/messages/7", "")
	if p := got.problem(t); got.Status != 404 || p.Detail != "no such message" {
		t.Errorf("a pinned.Error answered %+v", p)
	}
	got = s.do(t, "GET", "/chats/unopenable/topic", "")
	if p := got.problem(t); got.Status != 500 || strings.Contains(p.Detail, "never opens") {
		t.Errorf("a failed activation answered %+v", p)
	}
	got = s.do(t, "POST", "/chats/lobby/panic", "")
	if p := got.problem(t); got.Status != 500 || strings.Contains(p.Detail, "oh no") {
		t.Errorf("a panic answered %+v", p)
	}
	if !strings.Contains(s.log.String(), "oh no") {
		t.Error("the panic isn't logged")
	}
	if got := s.do(t, "GET", "/chats/lobby/plain", ""); got.Body != "" {
		t.Errorf("the instance survived its panic with the topic %q", got.Body)
	}
}

func TestAllFaultsOfARequestAtOnce(t *testing.T) {
	s := serveRooms(t)
	got := s.do(t, "GET", "/chats/x/messages?after=one&limit=1.5&since=yesterday", "")
	var where []string
	for _, f := range got.problem(t).Errors {
		where = append(where, f.where())
	}
	if diff := cmp.Diff([]string{"after", "limit", "since"}, where); diff != "" || got.Status != 400 {
		t.Errorf("status %d, parameters (-want +got):\n%s", got.Status, diff)
	}
}
