package runtime_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// put sends a body to the topic of a room.
func (s *listening) put(t *testing.T, body string, headers ...string) answer {
	t.Helper()
	h := "Content-Type: application/json\r\n"
	if len(headers) > 0 {
		h = strings.Join(headers, "")
	}
	got, _ := s.exchange(t, "PUT", fmt.Sprintf("PUT /chats/a/topic HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", h, len(body), body))
	return got
}

func TestHostileBodies(t *testing.T) {
	s := listen(t, nil)
	for _, tt := range []struct {
		name, body string
		status     int
		where      []string
	}{
		{"an unknown member", `{"text":"a","newer":[1,{"b":2}]}`, 200, nil},
		{"a name in other case", `{"TEXT":"a"}`, 200, nil},
		{"a name twice", `{"text":"a","text":"b"}`, 200, nil},
		{"a bound member is left alone", `{"text":"a","DryRun":"yes","dryrun":[1]}`, 200, nil},
		{"the same, escaped", `{"text":"a","\u0044ryRun":"yes"}`, 200, nil},
		{"white space around", "\n\t {\"text\":\"a\"} \r\n", 200, nil},
		{"null", `null`, 400, []string{""}}, // Validate: empty
		{"empty", ``, 400, []string{""}},
		{"only white space", ` `, 400, []string{""}},
		{"an array", `[1]`, 400, []string{""}},
		{"a number", `7`, 400, []string{""}},
		{"another type", `{"text":7}`, 400, []string{"/text"}},
		{"trailing garbage", `{"text":"a"}x`, 400, []string{""}},
		{"two values", `{"text":"a"}{"text":"b"}`, 400, []string{""}},
		{"a trailing brace", `{"text":"a"}}`, 400, []string{""}},
		{"half", `{"text":"a`, 400, []string{""}},
		{"NaN", `{"text":NaN}`, 400, []string{""}},
		{"a comment", `{"text":"a"/**/}`, 400, []string{""}},
		{"a byte order mark", "\ufeff{\"text\":\"a\"}", 400, []string{""}},
		{"100,000 nested arrays", strings.Repeat("[", 100_000), 400, []string{""}},
		{"the same, closed", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), 400, []string{""}},
		{"nested in an unknown member", `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, 400, []string{""}},
		{"nested in a bound member", `{"dryrun":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, 400, []string{""}},
		{"nested objects", strings.Repeat(`{"text":`, 100_000), 400, []string{""}},
		{"100,000 members", `{"text":"a"` + strings.Repeat(`,"a":1`, 100_000) + `}`, 200, nil},
		{"over the limit", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, 413, nil},
		{"not valid", `{"text":" "}`, 400, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.put(t, tt.body)
			if got.Status != tt.status {
				t.Fatalf("%d %.200s, want %d", got.Status, got.Body, tt.status)
			}
			if got.Status == 200 {
				return
			}
			var where []string
			for _, f := range got.problem(t).Errors {
				where = append(where, f.where())
			}
			if diff := cmp.Diff(tt.where, where); diff != "" {
				t.Errorf("where (-want +got):\n%s", diff)
			}
		})
	}
	s.alive(t)
}

func TestContentTypes(t *testing.T) {
	s := listen(t, nil)
	for _, tt := range []struct {
		headers string
		status  int
	}{
		{"Content-Type: application/json\r\n", 200},
		{"Content-Type: application/json; charset=utf-8\r\n", 200},
		{"Content-Type: Application/JSON\r\n", 200},
		{"Content-Encoding: identity\r\nContent-Type: application/json\r\n", 200},
		{"", 415},
		{"Content-Type: \r\n", 415},
		{"Content-Type: text/plain\r\n", 415},
		{"Content-Type: text/plain; application/json\r\n", 415},
		{"Content-Type: text/plain, application/json\r\n", 415},
		{"Content-Type: application/json, text/plain\r\n", 415},
		{"Content-Type: application/jsonx\r\n", 415},
		{"Content-Type: application/x-www-form-urlencoded\r\n", 415},
		{"Content-Type: multipart/form-data; boundary=x\r\n", 415},
		{"Content-Type: application/json\r\nContent-Type: text/plain\r\n", 415},
		{"Content-Type: application/json\r\nContent-Encoding: gzip\r\n", 415},
	} {
		if got := s.put(t, `{"text":"a"}`, tt.headers); got.Status != tt.status {
			t.Errorf("%q: %d %s, want %d", tt.headers, got.Status, got.Body, tt.status)
		}
	}
}

func TestLimitOfChunkedBodies(t *testing.T) {
	s := listen(t, nil)
	chunk := "10000\r\n" + strings.Repeat(" ", 0x10000) + "\r\n"
	got, h := s.exchange(t, "PUT", "PUT /chats/a/topic HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"+
		strings.Repeat(chunk, 17)+"0\r\n\r\n"+smuggled)
	if got.Status != 413 || !h.closed() {
		t.Errorf("over a JSON body's limit: %+v", got)
	}
	// A route with a limit of its own, read by an io.Reader.
	got, _ = s.exchange(t, "PUT", "PUT /chats/a/files/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+
		strings.Repeat(chunk, 161)+"0\r\n\r\n")
	if got.Status != 413 {
		t.Errorf("over a raw body's limit: %+v", got)
	}
	got, _ = s.exchange(t, "PUT", "PUT /chats/a/files/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+
		strings.Repeat(chunk, 160)+"0\r\n\r\n")
	if got.Status != 200 || got.Body != "10485760" {
		t.Errorf("at a raw body's limit: %+v", got)
	}
	// What it says is enough to refuse it: none of it is waited for.
	got, _ = s.exchange(t, "PUT", "PUT /chats/a/topic HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n")
	if got.Status != 413 {
		t.Errorf("a length over the limit: %+v", got)
	}
}

func TestHostileQueries(t *testing.T) {
	s := listen(t, nil)
	for _, tt := range []struct {
		query  string
		status int
	}{
		{"after=1&limit=2&tag=a&tag=b", 200},
		{"after=1;limit=2", 400},
		{"after=1&x=%zz", 400},
		{"after=1&x=%", 400},
		{"after=1&x=%00", 200},
		{"after=%31", 200},
		{"after", 400},
		{"after=", 400},
		{"after=1&after=x", 200}, // the first counts
		{"after=9223372036854775808", 400},
		{"after=0x10", 400},
		{"after=1_000", 400},
		{"after=%D9%A1", 400},
		{"since=2026-01-02T03:04:05Z", 200},
		{"since=tomorrow", 400},
		{strings.Repeat("&", 10_001), 400},
		{strings.Repeat("a&", 10_001), 400},
		{"after=" + strings.Repeat("1", 10_000), 400},
	} {
		// A route that binds parameters, and one that binds none.
		if got := s.get(t, "/chats/a/messages?"+tt.query); got.Status != tt.status {
			t.Errorf("%.40q: %d %.200s, want %d", tt.query, got.Status, got.Body, tt.status)
		}
		if got := s.get(t, "/chats/a/topic?"+tt.query); got.Status != 200 {
			t.Errorf("%.40q where nothing is bound: %d", tt.query, got.Status)
		}
	}
}

// slowWriter is a connection that notes its deadlines.
type slowWriter struct {
	*httptest.ResponseRecorder

	read, write []time.Time
}

func (w *slowWriter) SetReadDeadline(at time.Time) error  { w.read = append(w.read, at); return nil }
func (w *slowWriter) SetWriteDeadline(at time.Time) error { w.write = append(w.write, at); return nil }

// overdue is a body that comes too slowly.
type overdue struct{}

func (overdue) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestSlowBodiesAndSlowReadersHaveADeadline(t *testing.T) {
	w, err := runtime.NewWorker()
	if err != nil {
		t.Fatal(err)
	}
	sample.Register(w)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	r := httptest.NewRequestWithContext(t.Context(), "PUT", "/chats/a/topic", overdue{})
	r.Header.Set("Content-Type", "application/json")
	rw := &slowWriter{ResponseRecorder: httptest.NewRecorder()}
	began := time.Now()
	w.ServeHTTP(rw, r)
	if rw.Code != http.StatusRequestTimeout || rw.Header().Get("Connection") != "close" {
		t.Errorf("a body that came too slowly: %d %v", rw.Code, rw.Header())
	}
	// The last is for what the server reads of a body that was refused.
	if len(rw.read) != 3 || rw.read[0].Sub(began) < 30*time.Second || rw.read[0].Sub(began) > 5*time.Minute || !rw.read[1].IsZero() {
		t.Errorf("read deadlines %v", rw.read)
	}

	r = httptest.NewRequestWithContext(t.Context(), "PUT", "/chats/a/topic", strings.NewReader(`{"text":"`+strings.Repeat("x", 10_000)+`"}`))
	r.Header.Set("Content-Type", "application/json")
	rw = &slowWriter{ResponseRecorder: httptest.NewRecorder()}
	w.ServeHTTP(rw, r)
	if rw.Code != 200 || len(rw.write) != 2 || rw.write[0].Sub(began) < 30*time.Second || !rw.write[1].IsZero() {
		t.Errorf("a large answer: %d, write deadlines %v", rw.Code, rw.write)
	}
}
