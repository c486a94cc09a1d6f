package wire

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxID is the length of the longest id, in bytes.
const MaxID = 256

// What ValidID finds. The texts quote nothing of the id, which may be anything.
var (
	errIDLength = fmt.Errorf("an id has 1 to %d characters", MaxID)
	errIDByte   = errors.New("an id has only letters, digits, and the characters . _ ~ -")
	errIDDots   = errors.New("an id is neither . nor ..")
)

// idBytes are the bytes that an id may have.
var idBytes = func() (ok [256]bool) {
	for c := range ok {
		ok[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '.' || c == '_' || c == '~' || c == '-'
	}
	return ok
}()

// ValidID says what is wrong with an id that was decoded once from its path
// segment (wire contract, section 1). "." and ".." are refused, since whoever
// cleans a path would turn them into another object's address.
func ValidID(id string) error {
	if id == "" || len(id) > MaxID {
		return errIDLength
	}
	for i := range len(id) {
		if !idBytes[id[i]] {
			return errIDByte
		}
	}
	if id == "." || id == ".." {
		return errIDDots
	}
	return nil
}

// reservedNamespaces would collide with the fixed paths of the pinboard.
var reservedNamespaces = map[string]bool{
	"/registry": true,
	"/console":  true,
	"/healthz":  true,
	"/readyz":   true,
	"/metrics":  true,
}

// ValidNamespace says what is wrong with a namespace: it is "/" and one path
// segment without white space, and none of the reserved (wire contract,
// section 1).
func ValidNamespace(ns string) error {
	name, ok := strings.CutPrefix(ns, "/")
	switch {
	case !ok:
		return fmt.Errorf("the namespace %q doesn't begin with /", ns)
	case name == "":
		return fmt.Errorf("the namespace %q has no name", ns)
	case strings.Contains(name, "/"):
		return fmt.Errorf("the namespace %q has more than one segment", ns)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return fmt.Errorf("the namespace %q has white space or a control character", ns)
	case name == "." || name == "..":
		return fmt.Errorf("the namespace %q is one that cleaning a path removes", ns)
	case strings.HasPrefix(name, "_") || reservedNamespaces[ns]:
		return fmt.Errorf("the namespace %q is reserved", ns)
	}
	return nil
}
