package wire

import (
	"net/http"
	"strings"
)

// Names of headers, canonical as net/http keeps them (wire contract, sections 3
// and 4).
const (
	HeaderRefusal        = "Pinned-Refusal"
	HeaderEpoch          = "Pinboard-Epoch"
	HeaderAttestation    = "Pinboard-Attestation"
	HeaderProxySecret    = "X-Pinned-Proxy-Secret" //nolint:gosec // a name, not a secret
	HeaderPinboardSecret = "Pinboard-Proxy-Secret" //nolint:gosec // likewise
)

// Headers of a call from instance to instance, from a worker to its pinboard (wire
// contract, section 6).
const (
	HeaderFrom          = "Pinboard-From"
	HeaderSession       = "Pinboard-Session"
	HeaderSessionSecret = "Pinboard-Session-Secret"
	HeaderDepth         = "Pinboard-Subrequest-Depth"
)

// Values of pinned-refusal: why a request was refused before any author's code
// ran (wire contract, sections 3 and 4).
const (
	RefusalStaleEpoch     = "stale-epoch"
	RefusalReleasedEpoch  = "released-epoch"
	RefusalLeaseExpired   = "lease-expired"
	RefusalLeaseUnhealthy = "lease-unhealthy"
	RefusalDraining       = "draining"
	RefusalCapacity       = "capacity"
	RefusalClosing        = "closing"
	RefusalWindDown       = "wind-down"
	RefusalBusy           = "busy"
	RefusalUnplaced       = "unplaced"
	RefusalStore          = "store" // the rows can't be read now
)

// Content types of answers and bodies.
const (
	TypeJSON    = "application/json"
	TypeProblem = "application/problem+json"
	TypeText    = "text/plain; charset=utf-8"
	TypeBytes   = "application/octet-stream"
	TypeSSE     = "text/event-stream"
	TypeNDJSON  = "application/x-ndjson"
)

// RecordSeparator begins the last line of an NDJSON stream that failed. No JSON
// begins with it, so a reader tells the record from an element.
const RecordSeparator = 0x1E

// Reserved reports whether a header belongs to the runtime: what an author sets
// under such a name is left out of an answer, and what a client sends under it
// means nothing in local mode.
func Reserved(name string) bool {
	return hasPrefixFold(name, "pinned-") || hasPrefixFold(name, "pinboard-")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// StripClient deletes what no client may set: every header whose name begins with pinned- or
// pinboard-, and the proxy secret of the first generation (wire contract, section 3). It is
// for a request's trailers too.
//
// Whoever makes variables of names, as CGI does, takes other characters for a hyphen, so
// Pinboard_Epoch goes as well.
func StripClient(h http.Header) {
	for name := range h {
		folded := strings.Map(func(r rune) rune {
			if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' {
				return r
			}
			return '-'
		}, strings.TrimPrefix(name, http.TrailerPrefix))
		if Reserved(folded) || strings.EqualFold(folded, HeaderProxySecret) {
			delete(h, name)
		}
	}
}

// hopByHop are the headers that are about one connection (RFC 9110, 7.6.1), and those that
// once were.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// HopByHop deletes the headers that are about the connection on which a message came, and
// those that its Connection names. It must come before the pinboard sets its own, which no
// Connection may delete.
func HopByHop(h http.Header) {
	for _, value := range h["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			h.Del(strings.Trim(name, " \t"))
		}
	}
	for _, name := range hopByHop {
		delete(h, name)
	}
}
