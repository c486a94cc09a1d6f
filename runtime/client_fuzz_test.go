package runtime_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// FuzzValuesArriveAsTheyWere sends any id and any value of a path, a query and a header
// through the generated client, over a socket and in process. The handler sees
// exactly these, but for the white space around a header, or the client
// says why it didn't send them. No other object and no other value is ever reached.
func FuzzValuesArriveAsTheyWere(f *testing.F) {
	for _, v := range []string{
		"", "lobby", ".", "..", "a b", "a/b", "/", "a//b", "%", "%2F", "%2e%2e", "a%00", "a\x00b", "a?b", "a#b", "a;b", "a&b=c", "a+b",
		"ä", "a\u00a0b", "\u65e5\u672c", "\xff", "\xc3", "a\nb", "a\r\nX-Value: b", "\t a ", "\x7f", "~", "~2F", "{part}", ":", "@", "\\", "_pinned",
		strings.Repeat("a", 256), strings.Repeat("a", 257),
	} {
		f.Add(v, "a", "b", "c", "d")
		f.Add("lobby", v, "b", "c", "d")
		f.Add("lobby", "a", v, "c", "d")
		f.Add("lobby", "a", "b", v, "d")
		f.Add("lobby", "a", "b", "c", v)
		f.Add(pinned.ID(v), v, v, v, v)
	}

	w, err := runtime.NewWorker(runtime.WithLogger(slog.New(slog.DiscardHandler)), runtime.WithIdleTimeout(time.Second))
	if err != nil {
		f.Fatal(err)
	}
	sample.Register(w)
	if err := w.Start(f.Context()); err != nil {
		f.Fatal(err)
	}
	server := httptest.NewServer(w)
	f.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.Shutdown(ctx); err != nil {
			f.Error(err)
		}
		server.Close()
	})
	clients := map[string]sample.Client{"over a socket": sample.NewClient(server.URL), "in process": sample.InProcess(w)}

	f.Fuzz(func(t *testing.T, id, part, rest, query, header string) {
		want := sample.Echo{
			ID: []byte(id), Part: []byte(part), Rest: []byte(rest), Query: []byte(query),
			List: [][]byte{[]byte(query), []byte(part)}, Header: []byte(strings.Trim(header, " \t")),
		}
		refused := map[string]bool{}
		for transport, client := range clients {
			got, err := client.Room(id).Echo(t.Context(), part, rest, sample.Values{Query: query, List: []string{query, part}, Header: header})
			if err != nil {
				refused[transport] = true
				if e := wantError(t, err, 400, pinned.NotRun); e.Detail == "" && err.Error() == e.Title {
					t.Errorf("%s: it isn't said why: %v", transport, err)
				}
				continue
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", transport, diff)
			}
		}
		if len(refused) == 1 {
			t.Errorf("refused only %v", refused)
		}
		// What has to pass, so that refusing everything is no way out.
		if plain(id) && plain(part) && plain(rest) && plain(query) && plain(header) && len(refused) > 0 {
			t.Errorf("refused: %q %q %q %q %q", id, part, rest, query, header)
		}
	})
}

// plain says whether s may stand anywhere.
func plain(s string) bool {
	return s != "" && len(s) <= 256 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
