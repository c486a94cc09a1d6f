package directive

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// miss is the beginning of a comment that may have been meant as a directive and
// isn't one.
type miss struct {
	text string // all of it, from behind the "//" to the end of word
	// sign is what stands between // and the tool beside blanks: a third slash, or a
	// sign by which others mark theirs. blank are the blanks before the tool.
	sign, blank string
	tool        string
	sep         string // between tool and verb
	word        string // the one that may be a verb, and what is glued to it
	known       string // the verb that was probably meant, "" for none
}

// The parts of a miss. A blank is any character that shows as one or not at all,
// and a word may hold some of the latter. A colon is Go's, where formOther takes
// any signs in its place: a blank, a hyphen, a colon that another script has.
const (
	blanks  = `[\p{Z}\p{C}]*`
	opening = `^(/?)(` + blanks + `([+@#!]?)` + blanks + `)`
)

var (
	formColon = regexp.MustCompile(opening + `(\p{L}[\p{L}\p{N}\p{Cf}_.-]*)(` + blanks + `:` + blanks + `)([^\p{Z}\p{C}]*)`)
	formOther = regexp.MustCompile(opening + `([\p{L}\p{N}]+)([^\p{L}\p{N}]{0,4})([\p{L}\p{N}]*)`)
)

// colons are what may be taken for a colon, several in a row included.
const colons = ":;：﹕︓∶꞉ː"

func isBlank(r rune) bool { return unicode.In(r, unicode.Z, unicode.C) }

func trimBlanks(s string) string { return strings.TrimFunc(s, isBlank) }

// findMiss looks at a comment's text: what is behind "//", or a line of a block from
// its first word on, which counts as spaced.
//
// Prose may begin with the tool's name as well, and so may code that was commented
// out. So what has the name, a colon and a word, without a space, is a miss; what has
// spaces or other signs is one when a verb follows and nothing, or its arguments,
// behind it.
func findMiss(text string, inBlock bool) (miss, bool) {
	if strings.HasPrefix(text, "//") { // a directive that was commented out
		return miss{}, false
	}
	if m, ok := missedColon(text, inBlock); ok {
		return m, true
	}
	return missedOther(text, inBlock)
}

func missedColon(text string, inBlock bool) (miss, bool) {
	g := formColon.FindStringSubmatch(text)
	if g == nil || strings.HasPrefix(g[6], ":") || !nearTool(g[4]) {
		return miss{}, false
	}
	m := newMiss(g)
	m.sep, m.word = g[5], g[6]
	m.known = meantVerb(leadingWord(m.word))
	rest := text[len(g[0]):]
	before, after, _ := strings.Cut(m.sep, ":")
	tight := !inBlock && m.sign == "" && m.blank == ""
	exact := m.isTool() && isVerb(leadingWord(m.word))
	switch {
	case m.isTool() && tight && before == "":
	case m.isTool() && after == "" && leadingWord(m.word) != "":
	case exact && (tight || trimBlanks(rest) == ""):
	case !m.isTool() && m.sep == ":" && m.known != "":
	default:
		return m, fits(m.known, rest)
	}
	return m, true
}

func missedOther(text string, inBlock bool) (miss, bool) {
	g := formOther.FindStringSubmatch(text)
	if g == nil {
		return miss{}, false
	}
	m := newMiss(g)
	m.sep, m.word = g[5], g[6]
	if verb, ok := cutTool(m.tool); ok && isVerb(verb) {
		// Without anything between the two.
		m.text, m.tool, m.sep, m.word = m.text[:len(m.text)-len(m.sep)-len(m.word)], m.tool[:len(tool)], "", verb
	}
	if !nearTool(m.tool) {
		return miss{}, false
	}
	m.known = meantVerb(m.word)
	rest := text[len(m.text):]
	if r, _ := utf8.DecodeRuneInString(rest); rest != "" && !isBlank(r) {
		return miss{}, false
	}
	if m.isTool() && isVerb(m.word) {
		mark := trimBlanks(m.sep)
		colon := mark != "" && strings.Trim(mark, colons) == ""
		tight := !inBlock && m.sign == "" && m.blank == ""
		// "//pinned.Error" and the like are code.
		if tight && (colon || m.sep == "-" || m.sep != "" && mark == "") || colon && trimBlanks(rest) == "" {
			return m, true
		}
	}
	return m, fits(m.known, rest)
}

func newMiss(groups []string) miss {
	m := miss{text: groups[0], sign: groups[1] + groups[3], tool: groups[4]}
	if m.sign == "" {
		m.blank = groups[2]
	}
	return m
}

// tool is the name that a directive begins with.
const tool = "pinned"

func (m *miss) isTool() bool { return strings.EqualFold(m.tool, tool) }

// cutTool cuts the tool's name off the front of s.
func cutTool(s string) (rest string, ok bool) {
	if len(s) < len(tool) || !strings.EqualFold(s[:len(tool)], tool) {
		return "", false
	}
	return s[len(tool):], true
}

// nearTool says whether word may have been meant as the tool's name.
func nearTool(word string) bool {
	if _, ok := cutTool(word); ok {
		return true
	}
	n := utf8.RuneCountInString(word)
	return n >= 4 && n <= 8 && distance(strings.ToLower(word), tool) <= 1
}

func isVerb(s string) bool { return Lookup(strings.ToLower(s)) != nil }

// meantVerb is the verb that s is, in any case, or is near to.
func meantVerb(s string) string {
	if low := strings.ToLower(s); Lookup(low) != nil {
		return low
	}
	return nearest(strings.ToLower(s), verbNames())
}

// fits says whether s begins with the arguments of a verb: prose doesn't.
func fits(name, s string) bool {
	v := Lookup(name)
	words := strings.FieldsFunc(s, isBlank)
	if v == nil || len(words) < len(v.Args) {
		return false
	}
	for i, param := range v.Args {
		if problem, fix := param.check(words[i]); problem != "" && !strings.EqualFold(fix, words[i]) {
			return false
		}
	}
	if !v.wordy {
		return true
	}
	return !slices.ContainsFunc(words[len(v.Args):], func(word string) bool {
		key, _, _ := strings.Cut(word, "=")
		return v.option(key) == nil
	})
}

// Mentions says whether a file may hold a directive or a near miss of one. It is
// what decides whether a file is parsed, so it is cheap, and it errs on the side of
// yes: what is in a string, or what looks like a line of a block, counts as well.
func Mentions(src []byte) bool {
	if bytes.IndexByte(src, '\r') >= 0 {
		src = bytes.ReplaceAll(src, []byte("\r"), nil) // as the parser does in comments
	}
	for rest := src; ; {
		i := bytes.Index(rest, []byte("//"))
		if i < 0 {
			break
		}
		rest = rest[i+len("//"):]
		if line := lineOf(rest); suspicious(line) && meant(string(line)) {
			return true
		}
	}
	if !bytes.Contains(src, []byte("/*")) {
		return false
	}
	// Where a block ends isn't sure without a scan, so that any line may be one of it.
	for line := range bytes.Lines(src) {
		for suspicious(line) {
			if _, _, ok := findInBlock(string(line)); ok {
				return true
			}
			_, rest, ok := bytes.Cut(line, []byte("/*"))
			if !ok {
				break
			}
			line = rest
		}
	}
	return false
}

func lineOf(src []byte) []byte {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	return line
}

// suspicious is a cheap test that nothing fails which findMiss takes: a word one edit
// away from the tool's name has one half of it.
func suspicious(line []byte) bool {
	const lower = 'a' - 'A'
	for i := 0; i+2 < len(line); i++ {
		switch line[i] | lower {
		case 'p':
			if line[i+1]|lower == 'i' && line[i+2]|lower == 'n' {
				return true
			}
		case 'n':
			if line[i+1]|lower == 'e' && line[i+2]|lower == 'd' {
				return true
			}
		}
	}
	return false
}

// meant says whether a // comment is a directive, or was meant as one.
func meant(text string) bool {
	if strings.HasPrefix(text, tool+":") {
		return true
	}
	_, ok := findMiss(text, false)
	return ok
}

// findInBlock looks at a line of a /* comment, and gives the column (from 0) at which
// the miss begins.
func findInBlock(line string) (m miss, col int, ok bool) {
	trimmed := strings.TrimLeftFunc(line, func(r rune) bool { return r == '*' || r == '/' || isBlank(r) })
	text, _, _ := strings.Cut(trimmed, "*/")
	m, ok = findMiss(strings.TrimRightFunc(text, isBlank), true)
	return m, len(line) - len(trimmed), ok
}
