package wire

import "unicode/utf8"

// Close codes of a WebSocket (authoring contract, section 3; RFC 6455, 7.4).
const (
	CloseNormal      = 1000
	CloseGoingAway   = 1001
	CloseUnsupported = 1003
	CloseInvalid     = 1007
	ClosePolicy      = 1008
	CloseTooBig      = 1009
	CloseInternal    = 1011
	CloseRestart     = 1012
	CloseTryLater    = 1013
	// CloseDeclared and a status make the code of an error that the author
	// declared; the reason is its code.
	CloseDeclared = 4000
)

// maxReason is what a control frame has room for beside the code.
const maxReason = 123

// CloseReason cuts s to what fits a close frame, between characters.
func CloseReason(s string) string {
	if len(s) <= maxReason {
		return s
	}
	s = s[:maxReason]
	for s != "" && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}
