package wire

import (
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// peerTokens are tokens, and what the Python peer says of each: testdata/tokens.py makes
// them.
//
//go:embed testdata/tokens.json
var peerTokens []byte

type tokenFile struct {
	Secret, Session string
	Now             int64
	Tokens          []peerToken
}

type peerToken struct {
	Name, Token string
	Now         int64
	Peer        bool // accepts it
}

func readTokens(t testing.TB) (f tokenFile) {
	t.Helper()
	if err := json.Unmarshal(peerTokens, &f); err != nil || len(f.Tokens) < 100 {
		t.Fatal(err, len(f.Tokens))
	}
	return f
}

func (f tokenFile) find(t *testing.T, name string) peerToken {
	t.Helper()
	i := slices.IndexFunc(f.Tokens, func(p peerToken) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no token %q", name)
	}
	return f.Tokens[i]
}

// stricter are the tokens that the peer accepts and Verify doesn't: all of them are signed
// with the secret, so only a faulty pinboard could send one.
var stricter = map[string]bool{
	"alg twice": true, "header members in another order": true, "header with blanks": true, "padded payload": true, "padded header": true,
	"trailing bits in the payload": true, "line breaks in the payload": true,
	"exp is over 2^63 - 1": true, "depth is over 2^63 - 1": true, "depth is negative": true,
	"epoch is a string": true, "epoch is a boolean": true, "epoch has a fraction": true, "epoch has an exponent": true, "epoch is null": true,
	"epoch is over 2^63 - 1": true, "epoch is an array": true, "epoch is NaN": true, "epoch is negative": true,
	"sub is a number": true, "sub is an array": true, "sub is null": true, "sub twice": true, "epoch twice, once escaped": true,
	"deeply nested": true,
}

func TestVerifyAcceptsNothingThatThePeerRefuses(t *testing.T) {
	f := readTokens(t)
	for _, p := range f.Tokens {
		a, err := Verify(p.Token, f.Secret, time.Unix(p.Now, 0), f.Session)
		if want := p.Peer && !stricter[p.Name]; (err == nil) != want {
			t.Errorf("%s: %v; the peer: %t", p.Name, err, p.Peer)
		}
		if err != nil && (!errors.Is(err, errAttestation) || cmp.Diff(a, Attestation{}) != "") {
			t.Errorf("%s: %+v, %v", p.Name, a, err)
		}
		if stricter[p.Name] && !p.Peer {
			t.Errorf("%s: the peer refuses it as well", p.Name)
		}
	}
	for name := range stricter {
		f.find(t, name)
	}
}

func TestVerifyReads(t *testing.T) {
	f := readTokens(t)
	for name, want := range map[string]Attestation{
		"mint":               {Audience: f.Session, IssuedAt: f.Now},
		"mint with a caller": {Audience: f.Session, IssuedAt: f.Now, Caller: "/rooms/b", Depth: 3},
		"go":                 {Audience: f.Session, IssuedAt: f.Now, Subject: "/rooms/a", Epoch: 7, Bound: true},
		"no sub":             {Audience: f.Session, IssuedAt: f.Now},
		"no epoch":           {Audience: f.Session, IssuedAt: f.Now},
		"an unknown claim":   {Audience: f.Session, IssuedAt: f.Now, Subject: "/rooms/a", Epoch: 7, Bound: true},
		"go with all": {
			Audience: f.Session, IssuedAt: f.Now, Subject: "/rooms/a", Epoch: 7, Bound: true, Caller: "/rooms/b", Depth: 3,
			Account: &Account{"ada", map[string]any{"admin": true, "n": []any{1.0, nil}}, []string{"read", "write"}},
		},
	} {
		got, err := Verify(f.find(t, name).Token, f.Secret, time.Unix(f.Now, 0), "another", f.Session)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The peer's own verdict on these two is in the file, so what Sign makes is what it reads.
func TestSignWritesWhatThePeerReads(t *testing.T) {
	f := readTokens(t)
	for _, name := range []string{"go", "go with all"} {
		p := f.find(t, name)
		a, err := Verify(p.Token, f.Secret, time.Unix(f.Now, 0), f.Session)
		if err != nil || !p.Peer {
			t.Fatal(err, p.Peer)
		}
		if got := Sign(f.Secret, a); got != p.Token {
			t.Errorf("%s:\n got %s\nwant %s", name, got, p.Token)
		}
	}
}

func TestSignedIsVerified(t *testing.T) {
	for _, a := range []Attestation{
		{Audience: "s", Subject: "/_pinned/stats", Bound: true},
		{Audience: "s", Subject: "/é<&>/a~b", Epoch: math.MaxInt64, IssuedAt: 1, Caller: "/x/y", Depth: 50, Bound: true},
		{Audience: "s", Subject: "/a/b", Bound: true, Account: &Account{Subject: ""}},
	} {
		got, err := Verify(Sign("k", a), "k", time.Unix(a.IssuedAt, 0), "s")
		if diff := cmp.Diff(a, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func TestAnAttestationHoldsFor30SecondsAndTheSkew(t *testing.T) {
	token := Sign("k", Attestation{Audience: "s", Subject: "/a/b", IssuedAt: 1000})
	for after, ok := range map[time.Duration]bool{
		-31 * time.Second: false, -30*time.Second - 1: false, -30 * time.Second: true, 0: true,
		60 * time.Second: true, 60*time.Second + 1: false, 61 * time.Second: false,
	} {
		if _, err := Verify(token, "k", time.Unix(1000, 0).Add(after), "s"); (err == nil) != ok {
			t.Errorf("%v later: %v", after, err)
		}
	}
}

func TestNoAudienceIsNobodys(t *testing.T) {
	for _, tt := range []struct {
		aud       string
		audiences []string
		ok        bool
	}{
		{"s", nil, false},
		{"", nil, false},
		{"", []string{""}, false}, // between a NACK and the next ack there is no session
		{"s", []string{""}, false},
		{"s", []string{"", "s"}, true},
		{"s", []string{"S", "s ", "ss"}, false},
	} {
		if _, err := Verify(Sign("k", Attestation{Audience: tt.aud}), "k", time.Unix(0, 0), tt.audiences...); (err == nil) != tt.ok {
			t.Errorf("%q for %q: %v", tt.aud, tt.audiences, err)
		}
	}
}

func TestSameSecret(t *testing.T) {
	for _, other := range []string{"", "secre", "secret0", "Secret", "\x00secret"} {
		if SameSecret("secret", other) {
			t.Errorf("%q is taken for the secret", other)
		}
	}
	if !SameSecret("secret", "secret") {
		t.Error("the secret isn't itself")
	}
}

// A byte of a token that changes makes it invalid; what isn't a token costs nothing but a no.
func FuzzVerify(f *testing.F) {
	file := readTokens(f)
	for _, p := range file.Tokens {
		f.Add(p.Token)
	}
	now := time.Unix(file.Now, 0)
	known := map[string]bool{}
	for _, p := range file.Tokens {
		_, err := Verify(p.Token, file.Secret, now, file.Session)
		known[p.Token] = err == nil
	}
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := Verify(token, file.Secret, now, file.Session); err == nil && !known[token] {
			t.Errorf("%q is accepted", token)
		}
	})
}

// With the secret, anything may be a payload.
func FuzzClaims(f *testing.F) {
	file := readTokens(f)
	for _, p := range file.Tokens {
		if parts := strings.Split(p.Token, "."); len(parts) == 3 {
			if payload, err := segment.DecodeString(parts[1]); err == nil {
				f.Add(payload)
			}
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		signed := encodedHeader + "." + segment.EncodeToString(payload)
		a, err := Verify(signed+"."+segment.EncodeToString(mac("k", signed)), "k", time.Unix(file.Now, 0), file.Session)
		if err != nil {
			return
		}
		if a.Audience != file.Session || a.Epoch < 0 || a.Depth < 0 || !json.Valid(payload) {
			t.Errorf("%q: %+v", payload, a)
		}
		a.Bound = true
		again, err := Verify(Sign("k", a), "k", time.Unix(a.IssuedAt, 0), file.Session)
		if diff := cmp.Diff(a, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("signed again: %v\n%s", err, diff)
		}
	})
}
