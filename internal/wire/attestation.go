package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Attestation is what a pinboard attests of a request to a worker (wire contract, section
// 5).
type Attestation struct {
	Audience string // the session
	Subject  string // "/ns/id", or "/_pinned/stats"
	Epoch    int64  // of the placement
	// IssuedAt is in Unix seconds. The attestation holds for 30 s from then.
	IssuedAt int64
	Caller   string   // the calling instance, "/ns/id"; "": none
	Depth    int      // of the call from instance to instance
	Account  *Account // the end user's; nil: none
	// Bound says of a verified one that it has its subject and its epoch. Sign always
	// writes both.
	Bound bool
}

// Account is the end user on whose behalf a request is made.
type Account struct {
	Subject string         `json:"sub"`
	Claims  map[string]any `json:"claims,omitempty"`
	Scopes  []string       `json:"scopes,omitempty"`
}

// The life of an attestation, and how far two clocks may be apart, in seconds.
const (
	attestationLife = 30
	clockSkew       = 30
)

// attestationHeader is the only header there is.
const attestationHeader = `{"alg":"HS256","typ":"pinboard+jwt"}`

var segment = base64.RawURLEncoding.Strict()

var encodedHeader = segment.EncodeToString([]byte(attestationHeader))

// claims are the payload of a token.
type claims struct {
	Audience string   `json:"aud"`
	IssuedAt int64    `json:"iat"`
	Expires  int64    `json:"exp"`
	Subject  string   `json:"sub"`
	Epoch    int64    `json:"epoch"`
	Caller   string   `json:"caller,omitempty"`
	Depth    int      `json:"depth,omitempty"`
	Account  *Account `json:"acct,omitempty"`
}

// Sign makes the token of an attestation for the worker that has the secret.
func Sign(secret string, a Attestation) string {
	payload, _ := json.Marshal(claims{ //nolint:errchkjson // an account's claims were JSON
		a.Audience, a.IssuedAt, a.IssuedAt + attestationLife, a.Subject, a.Epoch, a.Caller, a.Depth, a.Account,
	})
	signed := encodedHeader + "." + segment.EncodeToString(payload)
	return signed + "." + segment.EncodeToString(mac(secret, signed))
}

func mac(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

var errAttestation = errors.New("the attestation is invalid")

// Verify returns what a token attests, if it is signed with the secret, is for one of the
// audiences, and holds now, give or take 30 s.
func Verify(token, secret string, now time.Time, audiences ...string) (Attestation, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] == "" {
		return Attestation{}, errAttestation
	}
	got, err := segment.DecodeString(parts[2])
	if err != nil || !hmac.Equal(got, mac(secret, parts[0]+"."+parts[1])) {
		return Attestation{}, errAttestation
	}
	header, err := segment.DecodeString(parts[0])
	if err != nil || !sameHeader(header) {
		return Attestation{}, errAttestation
	}
	payload, err := segment.DecodeString(parts[1])
	if err != nil {
		return Attestation{}, errAttestation
	}
	a, expires, err := readClaims(payload)
	if err != nil {
		return Attestation{}, fmt.Errorf("%w: %w", errAttestation, err)
	}
	known := false
	for _, audience := range audiences {
		known = known || audience != "" && subtle.ConstantTimeCompare([]byte(a.Audience), []byte(audience)) == 1
	}
	seconds := now.Unix()
	if !known || a.IssuedAt > seconds+clockSkew || expires <= seconds-clockSkew {
		return Attestation{}, errAttestation
	}
	return a, nil
}

// sameHeader compares a header decoded.
func sameHeader(header []byte) bool {
	if string(header) == attestationHeader {
		return true
	}
	var h map[string]any
	return json.Unmarshal(header, &h) == nil && len(h) == 2 && h["alg"] == "HS256" && h["typ"] == "pinboard+jwt"
}

// readClaims reads a payload. Numbers are integers, without a fraction or an exponent.
func readClaims(payload []byte) (a Attestation, expires int64, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		return a, 0, err
	}
	integer := func(name string) (n int64, there bool) {
		raw, there := members[name]
		if !there {
			return 0, false
		}
		n, parsed := strconv.ParseInt(string(raw), 10, 64)
		if parsed != nil || bytes.HasPrefix(raw, []byte("+")) {
			err = errors.Join(err, fmt.Errorf("%s is no integer", name))
		}
		return n, true
	}
	text := func(name string) (s string, there bool) {
		raw, there := members[name]
		if there && (len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil) {
			err = errors.Join(err, fmt.Errorf("%s is no string", name))
		}
		return s, there
	}
	var aud, iat, exp, sub, epoch bool
	a.Audience, aud = text("aud")
	a.IssuedAt, iat = integer("iat")
	expires, exp = integer("exp")
	a.Subject, sub = text("sub")
	a.Epoch, epoch = integer("epoch")
	a.Caller, _ = text("caller")
	depth, _ := integer("depth")
	a.Depth = int(depth)
	a.Bound = sub && epoch
	if acct, there := members["acct"]; there && string(acct) != "null" {
		if json.Unmarshal(acct, &a.Account) != nil {
			err = errors.Join(err, errors.New("acct is no account"))
		}
	}
	if !aud || !iat || !exp {
		err = errors.Join(err, errors.New("aud, iat or exp is missing"))
	}
	return a, expires, err
}

// SameSecret compares secrets in constant time.
func SameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// ParseEpoch reads a placement epoch: decimal digits, at most 2^63 - 1.
func ParseEpoch(s string) (int64, error) {
	if s == "" || len(s) > 19 || strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, errors.New("an epoch has decimal digits, and is at most 2^63 - 1")
	}
	return strconv.ParseInt(s, 10, 64)
}
