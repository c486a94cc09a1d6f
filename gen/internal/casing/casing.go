// Package casing makes the names that the generator derives from an author's.
package casing

import (
	"strings"
	"unicode"
)

// Lower makes the first word lower case: Room is room, URLShort urlShort, ID id and
// IDs ids.
func Lower(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !plural(runes[i+1:]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// plural says whether what follows capitals is their s.
func plural(rest []rune) bool { return rest[0] == 's' && (len(rest) == 1 || unicode.IsUpper(rest[1])) }

// First makes the first letter a capital.
func First(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// Upper joins the words of a name that - and _ part, each with a capital: daily-digest
// is DailyDigest.
func Upper(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
		b.WriteString(First(word))
	}
	return b.String()
}
