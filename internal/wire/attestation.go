package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
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
// audiences, and holds now, give or take 30 s. Nothing of a token is read before its
// signature was found to be right, so that no other algorithm can be chosen by it.
func Verify(token, secret string, now time.Time, audiences ...string) (Attestation, error) {
	header, rest, _ := strings.Cut(token, ".")
	payload, signature, ok := strings.Cut(rest, ".")
	if !ok || header != encodedHeader {
		return Attestation{}, errAttestation
	}
	// The texts are compared, since several could be decoded to the same bytes.
	signed := token[:len(header)+len(".")+len(payload)]
	if subtle.ConstantTimeCompare([]byte(signature), []byte(segment.EncodeToString(mac(secret, signed)))) != 1 {
		return Attestation{}, errAttestation
	}
	body, err := segment.DecodeString(payload)
	if err != nil || strings.ContainsAny(payload, "\r\n") { // which the decoder passes over
		return Attestation{}, errAttestation
	}
	a, expires, err := readClaims(body)
	if err != nil {
		return Attestation{}, fmt.Errorf("%w: %w", errAttestation, err)
	}
	if a.Audience == "" || !slices.Contains(audiences, a.Audience) {
		return Attestation{}, errAttestation
	}
	second, past := now.Unix(), now.Nanosecond() > 0
	early, late := second+clockSkew, second-clockSkew
	if early < a.IssuedAt || late > expires || late == expires && past {
		return Attestation{}, errAttestation
	}
	return a, nil
}

// readClaims reads a payload.
func readClaims(payload []byte) (a Attestation, expires int64, err error) {
	var subject *string
	var epoch, depth *int64
	err = read(payload, func(v *value) error {
		return v.fields(map[string]field{
			"aud":    required(&a.Audience, (*value).text),
			"iat":    required(&a.IssuedAt, (*value).integer),
			"exp":    required(&expires, (*value).integer),
			"sub":    given(&subject, pointerTo((*value).text)),
			"epoch":  given(&epoch, pointerTo((*value).count)),
			"caller": given(&a.Caller, (*value).text),
			"depth":  given(&depth, pointerTo((*value).count)),
			"acct":   given(&a.Account, pointerTo((*value).account)),
		})
	})
	if err != nil {
		return Attestation{}, 0, err
	}
	if depth != nil {
		a.Depth = int(min(*depth, math.MaxInt))
	}
	if a.Bound = subject != nil && epoch != nil; a.Bound {
		a.Subject, a.Epoch = *subject, *epoch
	}
	return a, expires, nil
}

func (v *value) account() (a Account, err error) {
	err = v.fields(map[string]field{
		"sub":    required(&a.Subject, (*value).text),
		"claims": given(&a.Claims, mapOf((*value).anything)),
		"scopes": given(&a.Scopes, listOf((*value).text)),
	})
	return a, err
}

// SameSecret compares secrets in constant time.
func SameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
