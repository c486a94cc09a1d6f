package directive

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one of the words behind a verb.
type word struct {
	text     string // without quotes
	pos, end token.Pos
	quoted   bool
}

// split takes the words of a directive apart, as its ParseArgs does, which doesn't
// say where a word ends or which of them is at fault. fault is what is wrong with
// the quotes of the last word, "" mostly.
func split(d ast.Directive) (words []word, fault string) {
	rest, pos := d.Args, d.ArgsPos
	take := func(n int) string {
		text := rest[:n]
		rest, pos = rest[n:], pos+token.Pos(n)
		return text
	}
	for {
		take(len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace)))
		if rest == "" {
			return words, ""
		}
		w := word{pos: pos}
		if rest[0] != '"' && rest[0] != '`' {
			n := strings.IndexFunc(rest, unicode.IsSpace)
			if n < 0 {
				n = len(rest)
			}
			w.text = take(n)
		} else {
			w.quoted = true
			quote, err := strconv.QuotedPrefix(rest)
			if err != nil {
				w.end = pos + token.Pos(len(rest))
				return append(words, w), "a quoted argument doesn't end, or its escapes aren't Go's"
			}
			w.text, _ = strconv.Unquote(take(len(quote)))
			if r, _ := utf8.DecodeRuneInString(rest); rest != "" && !unicode.IsSpace(r) {
				n := strings.IndexFunc(rest, unicode.IsSpace)
				if n < 0 {
					n = len(rest)
				}
				w.end = pos + token.Pos(n)
				return append(words, w), "a quoted argument goes on after its quote"
			}
		}
		w.end = pos
		words = append(words, w)
	}
}
