package wire

import (
	"bufio"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// received is the header of a request as net/http reads it from a connection.
func received(lines ...string) (http.Header, error) {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET / HTTP/1.1\r\nHost: h\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n")))
	if err != nil {
		return nil, err
	}
	return r.Header, nil
}

func left(h http.Header) string { return strings.Join(slices.Sorted(maps.Keys(h)), " ") }

func TestStripClient(t *testing.T) {
	ours := []string{
		"pinboard-epoch", "pinboard-attestation", "pinboard-proxy-secret", "pinboard-from", "pinboard-session", "pinboard-session-secret",
		"pinboard-subrequest-depth", "pinboard-of-tomorrow", "pinboard-", "pinned-refusal", "pinned-", "x-pinned-proxy-secret",
	}
	for _, name := range ours {
		for _, written := range []string{
			name, strings.ToUpper(name), http.CanonicalHeaderKey(name), strings.ReplaceAll(name, "-", "_"),
			strings.Replace(name, "-", "_", 1), strings.ToUpper(strings.ReplaceAll(name, "-", "_")), strings.ReplaceAll(name, "-", "."),
		} {
			h, err := received(written+": 7", "X-Kept: 1", written+": 8", strings.ToUpper(written)+": 9")
			if err != nil {
				t.Fatal(err)
			}
			if StripClient(h); left(h) != "X-Kept" {
				t.Errorf("%s: %s is left", written, left(h))
			}
			for _, raw := range []http.Header{{written: {"7"}}, {http.TrailerPrefix + written: {"7"}}} { // as no server has it
				if StripClient(raw); len(raw) != 0 {
					t.Errorf("%s is left", left(raw))
				}
			}
		}
	}
	h, err := received("X-Pinboard-Epoch: 1", "Pinboard: 1", "Pinned: 1", "Pin-Board-Epoch: 1", "X-Pinned-Proxy-Secrets: 1", "Cookie: pinboard-epoch=1",
		"Connection: pinboard-epoch", "Unpinned-By: 1")
	if err != nil {
		t.Fatal(err)
	}
	want := h.Clone()
	StripClient(h)
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	StripClient(nil)
}

func TestStripClientTakesTrailersToo(t *testing.T) {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n" +
		"Trailer: Pinboard-Epoch, X-Kept\r\n\r\n0\r\npinboard-epoch: 7\r\nX-Kept: 1\r\n\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if StripClient(r.Trailer); left(r.Trailer) != "X-Kept" {
		t.Errorf("%s is left", left(r.Trailer))
	}
}

func TestHopByHop(t *testing.T) {
	for _, tt := range []struct {
		name, lines, left string
	}{
		{"none", "X-A: 1", "X-A"},
		{
			"each", "Connection: close\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nProxy-Authorization: x\r\nProxy-Connection: close\r\n" +
				"TE: trailers\r\nTrailer: X-T\r\nUpgrade: foo\r\nAuthorization: x\r\nCookie: a=b\r\nX-Forwarded-For: ::1",
			"Authorization Cookie X-Forwarded-For",
		},
		{"named", "Connection: close, X-A\r\nX-A: 1\r\nX-B: 1", "X-B"},
		{"named in another case", "connection: x-a\r\nX-A: 1\r\nx-a: 2\r\nX-B: 1", "X-B"},
		{"named in a second line", "Connection: close\r\nConnection: X-A\r\nX-A: 1\r\nX-B: 1", "X-B"},
		{"a list with blanks, tabs and nothing", "Connection: ,, X-A ,\t,\tX-B\t,\r\nX-A: 1\r\nX-B: 1\r\nX-C: 1", "X-C"},
		{"not named", "Connection: X A, \"X-B\", X-C;q=1, X-D=, *\r\nX-A: 1\r\nX-B: 1\r\nX-C: 1\r\nX-D: 1", "X-A X-B X-C X-D"},
		{"itself", "Connection: Connection, X-A\r\nX-A: 1\r\nX-B: 1", "X-B"},
	} {
		h, err := received(strings.Split(tt.lines, "\r\n")...)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if HopByHop(h); left(h) != tt.left {
			t.Errorf("%s: %s is left, want %s", tt.name, left(h), tt.left)
		}
	}
}

// The order of a proxy: what it sets itself comes last, so no Connection can delete it.
func TestAClientCannotDeleteOurHeaders(t *testing.T) {
	h, err := received("Connection: close, Pinboard-Epoch, Pinboard-Attestation", "Pinboard-Epoch: 9", "pinboard_epoch: 9")
	if err != nil {
		t.Fatal(err)
	}
	StripClient(h)
	HopByHop(h)
	h.Set(HeaderEpoch, FormatEpoch(7))
	if diff := cmp.Diff(http.Header{HeaderEpoch: {"7"}}, h); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseEpoch(t *testing.T) {
	for given, want := range map[string]int64{"0": 0, "7": 7, "007": 7, "9223372036854775807": 1<<63 - 1} {
		if got, err := ParseEpoch(given); err != nil || got != want {
			t.Errorf("%q is %d, %v", given, got, err)
		}
	}
	for _, bad := range [][]string{
		nil, {}, {""}, {"-1"}, {"+1"}, {"1.0"}, {"0x1"}, {"1e3"}, {"1_0"}, {"١٢"}, {"１"}, {"1, 2"}, {"1,2"}, {" 1"}, {"1 "}, {"1\n"}, {"1\x00"}, {"\xff"},
		{"9223372036854775808"}, {"18446744073709551617"}, {strings.Repeat("1", 400)}, {strings.Repeat("0", 400)},
		{"1", "1"}, {"1", "2"}, {"", "1"}, {"1", ""},
	} {
		if got, err := ParseEpoch(bad...); err == nil || got != 0 {
			t.Errorf("%q is %d", bad, got)
		}
	}
}

func FuzzParseEpoch(f *testing.F) {
	for _, s := range []string{"", "0", "-1", "+7", "007", "9223372036854775807", "9223372036854775808", "1,2", "١"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		epoch, err := ParseEpoch(s)
		if err != nil {
			return
		}
		// Leading zeros are all that is lost.
		if trimmed := strings.TrimLeft(s, "0"); epoch < 0 || FormatEpoch(epoch) != trimmed && (epoch != 0 || trimmed != "") {
			t.Errorf("%q is %d", s, epoch)
		}
	})
}

func FuzzHeaders(f *testing.F) {
	f.Add("pinboard_epoch", "1", "close, x-a")
	f.Add("X-Pinned-Proxy-Secret", "s", "")
	f.Add("X-A", "1", "X-A,,\tpinboard-epoch")
	f.Add("Te", "trailers", "te")
	f.Fuzz(func(t *testing.T, name, value, connection string) {
		h, err := received(name+": "+value, "Connection: "+connection, "X-Kept: 1")
		if err != nil {
			return
		}
		before := h.Clone()
		StripClient(h)
		HopByHop(h)
		for name := range h {
			lower := strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(name))
			if strings.HasPrefix(lower, "pinboard-") || strings.HasPrefix(lower, "pinned-") || lower == "x-pinned-proxy-secret" || lower == "connection" {
				t.Errorf("%q is left of %v", name, before)
			}
			for _, list := range before["Connection"] {
				if slices.ContainsFunc(strings.Split(list, ","), func(s string) bool { return strings.EqualFold(strings.Trim(s, " \t"), name) }) {
					t.Errorf("%q is left though %q names it", name, list)
				}
			}
			if diff := cmp.Diff(before[name], h[name]); diff != "" {
				t.Errorf("%q changed:\n%s", name, diff)
			}
		}
		again := h.Clone()
		StripClient(again)
		HopByHop(again)
		if diff := cmp.Diff(h, again); diff != "" {
			t.Errorf("twice isn't once:\n%s", diff)
		}
	})
}
