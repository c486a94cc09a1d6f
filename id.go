package pinned

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
)

const (
	maxID = 256 // wire contract, section 1
	// headOfLongID is what stays readable of an id that was cut: with "~~" and
	// the 64 digits of the hash it fills maxID.
	headOfLongID = maxID - len("~~") - 2*sha256.Size
)

// ID makes a valid id of any key. It never changes: the same parts give the same
// id in every version, so it may name stored data.
//
// A part is a string, an integer, or an encoding.TextMarshaler (a UUID, a
// netip.Addr), which is written as its text; named types count as what they are
// made of. A string keeps A-Z, a-z, 0-9, _ and -, and every other byte becomes
// ~XX in upper-case hex. An integer is written in decimal. An empty part is ~-,
// and parts are joined by ~. so that different lists of parts give different
// ids:
//
//	ID("lobby")        lobby
//	ID("user@x")       user~40x
//	ID("team", 7, "")  team~.7~.~-
//
// What is longer than 256 bytes becomes its first 190, ~~ and the SHA-256 of the
// whole in hex.
//
// ID panics without parts, on a part of any other type, and on one whose text
// can't be had: a pointer or a float has no one text, and an id that is made of
// it would quietly name another object the next time.
func ID(parts ...any) string {
	if len(parts) == 0 {
		panic("pinned.ID: no parts")
	}
	id := make([]byte, 0, 64)
	for i, part := range parts {
		if i > 0 {
			id = append(id, "~."...)
		}
		id = appendIDPart(id, part)
	}
	if len(id) <= maxID {
		return string(id)
	}
	hash := sha256.Sum256(id)
	id = append(id[:headOfLongID], "~~"...)
	return string(hex.AppendEncode(id, hash[:]))
}

func appendIDPart(id []byte, part any) []byte {
	switch part := part.(type) {
	case string:
		return appendIDText(id, part)
	case int:
		return strconv.AppendInt(id, int64(part), 10)
	case encoding.TextMarshaler:
		// A nil pointer would be asked for a text that it hasn't got.
		if v := reflect.ValueOf(part); v.Kind() == reflect.Pointer && v.IsNil() {
			panic(fmt.Sprintf("pinned.ID: a part is a nil %T", part))
		}
		text, err := part.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("pinned.ID: the text of a %T: %v", part, err))
		}
		return appendIDText(id, string(text))
	}
	v := reflect.ValueOf(part)
	switch {
	case v.IsValid() && v.Kind() == reflect.String:
		return appendIDText(id, v.String())
	case v.IsValid() && v.CanInt():
		return strconv.AppendInt(id, v.Int(), 10)
	case v.IsValid() && v.CanUint():
		return strconv.AppendUint(id, v.Uint(), 10)
	}
	panic(fmt.Sprintf("pinned.ID: a part is a %T, which is neither a string, an integer nor an encoding.TextMarshaler", part))
}

func appendIDText(id []byte, text string) []byte {
	if text == "" {
		return append(id, "~-"...)
	}
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
			id = append(id, c)
		default:
			id = append(id, '~', digits[c>>4], digits[c&0xF])
		}
	}
	return id
}
