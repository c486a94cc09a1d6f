package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// at is a server that a handler answers for.
func at(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return &server{address: strings.TrimPrefix(s.URL, "http://"), control: s.URL}
}

func TestLoadAsksEachNewIDOnce(t *testing.T) {
	const count = 500
	var asked [count + 1]atomic.Int64
	s := at(t, func(w http.ResponseWriter, req *http.Request) {
		for n := range asked {
			if req.URL.Path == "/halls/"+id(n)+"/topic" {
				asked[n].Add(1)
			}
		}
		_, _ = io.WriteString(w, `{"text":"x"}`)
	})
	total, err := newIDs(s, 16, 1, count).run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if total.ok != count || total.other != 0 || total.elapsed <= 0 {
		t.Errorf("got %+v, want %d answers", total, count)
	}
	if got := asked[0].Load(); got != 16 {
		t.Errorf("id 0 was asked %d times, want once a connection", got)
	}
	for n := 1; n <= count; n++ {
		if got := asked[n].Load(); got != 1 {
			t.Errorf("id %d was asked %d times", n, got)
		}
	}
}

func TestLoadCountsEveryAnswerOfItsWindow(t *testing.T) {
	var answers atomic.Int64
	s := at(t, func(w http.ResponseWriter, _ *http.Request) {
		answers.Add(1)
		_, _ = io.WriteString(w, `{"text":"x"}`)
	})
	total, err := sameIDs(s, 8, 3).run(t.Context(), 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if want := int(answers.Load()) - 8; total.ok != want {
		t.Errorf("counted %d, want %d", total.ok, want)
	}
	if total.elapsed < 20*time.Millisecond {
		t.Errorf("it took %v, less than its window", total.elapsed)
	}
}

func TestLoadFailsOnWrongAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		first, later http.HandlerFunc
		want         string
	}{
		"another body": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "one") },
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "two") },
			`an answer holds "two"`,
		},
		"another status": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "one") },
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "full", http.StatusServiceUnavailable) },
			"status 503: full",
		},
		"another status at once": {
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) },
			nil,
			"status 404: no",
		},
		"no Content-Length": {
			func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "one")
				_ = http.NewResponseController(w).Flush()
			},
			nil,
			"no Content-Length",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			s := at(t, func(w http.ResponseWriter, req *http.Request) {
				if asked.Add(1) == 1 {
					tc.first(w, req)
					return
				}
				tc.later(w, req)
			})
			_, err := sameIDs(s, 1, 1).run(t.Context(), time.Minute)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestTolerantLoadCountsOtherAnswers(t *testing.T) {
	s := at(t, func(w http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.URL.Path, id(3)) {
			http.Error(w, "full", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "one")
	})
	work := newIDs(s, 4, 1, 10)
	work.tolerant = true
	total, err := work.run(t.Context(), 0)
	if err != nil || total.ok != 9 || total.other != 1 {
		t.Errorf("got %+v and %v, want 9 and 1", total, err)
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := at(t, func(_ http.ResponseWriter, req *http.Request) {
		cancel()
		<-req.Context().Done()
	})
	if total, err := sameIDs(s, 4, 1).run(ctx, time.Hour); err == nil {
		t.Errorf("got %+v and no error", total)
	}
}

func TestAnswersAreReadWhateverTheirPieces(t *testing.T) {
	const whole = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-LENGTH: 4\r\n\r\nbody"
	for n := range len(whole) {
		if _, done, err := parseAnswer([]byte(whole[:n])); done || err != nil {
			t.Errorf("after %d bytes: done is %v, error %v", n, done, err)
		}
	}
	a, done, err := parseAnswer([]byte(whole))
	if err != nil || !done || a.status != 200 || string(a.body) != "body" {
		t.Errorf("got %+v, %v, %v", a, done, err)
	}
	for _, wrong := range []string{
		whole + "more", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: four\r\n\r\n", "SSH-2.0-x\r\n\r\n",
	} {
		if a, _, err := parseAnswer([]byte(wrong)); err == nil {
			t.Errorf("%q: got %+v and no error", wrong, a)
		}
	}
}
