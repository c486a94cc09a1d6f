package directive

import (
	"bytes"
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
)

// Mentions says whether a file may hold a directive or a near miss of one. It is
// what decides whether a file is parsed, so it is cheap and never wrong the
// other way.
func Mentions(src []byte) bool {
	for {
		i := bytes.IndexByte(src, ':')
		if i < 0 {
			return false
		}
		if wordBefore(src[:i]) {
			return true
		}
		src = src[i+1:]
	}
}

// wordBefore says whether s ends in a word that could be meant as the tool's
// name, with a comment's opening before it on the same line.
func wordBefore(s []byte) bool {
	line := s[bytes.LastIndexByte(s, '\n')+1:]
	t := bytes.TrimRight(line, " \t")
	n := len(t)
	for n > 0 && (isWord(t[n-1]) || t[n-1] == '-' || t[n-1] == '.') {
		n--
	}
	return nearTool(string(t[n:]))
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
}

// nearTool says whether word may have been meant as "pinned".
func nearTool(word string) bool {
	low := strings.ToLower(word)
	if strings.HasPrefix(low, "pinned") {
		return true
	}
	return len(low) >= 4 && len(low) <= 8 && distance(low, "pinned") <= 1
}

// Scan reads the comments of a file, which was parsed with them, and returns the
// directives that stand where they may, in order, and what is wrong with them and
// all others. Nothing that could have been meant as a directive is passed over.
func Scan(fset *token.FileSet, file *ast.File) ([]*Directive, []diag.Diagnostic) {
	s := &scanner{fset: fset, file: file, places: newPlaces(fset, file)}
	s.test = strings.HasSuffix(fset.Position(file.FileStart).Filename, "_test.go")
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "/*") {
				s.block(c)
			} else {
				s.line(group, c)
			}
		}
	}
	return s.found, s.diags
}

type scanner struct {
	fset   *token.FileSet
	file   *ast.File
	test   bool
	places *places
	found  []*Directive
	diags  []diag.Diagnostic
}

func (s *scanner) report(d diag.Diagnostic) { s.diags = append(s.diags, d) }

func (s *scanner) at(pos token.Pos) token.Position { return s.fset.Position(pos) }

// meant matches what may have been meant as a directive: an optional space, a
// tool's name, a colon, and the word after it.
var meant = regexp.MustCompile(`^(\s*)([A-Za-z][A-Za-z0-9_.-]*)(\s*):(\s*)([^\s]*)`)

// line looks at one // comment.
func (s *scanner) line(group *ast.CommentGroup, c *ast.Comment) {
	if d, ok := ast.ParseDirective(c.Slash, strings.TrimRight(c.Text, "\r")); ok && d.Tool == "pinned" {
		s.directive(group, d)
		return
	}
	m := meant.FindStringSubmatch(c.Text[len("//"):])
	if m == nil {
		return
	}
	space, tool, before, after, word := m[1], m[2], m[3], m[4], m[5]
	verb := leadingWord(word)
	known := nearest(strings.ToLower(verb), verbNames())
	if exact := Lookup(strings.ToLower(verb)); exact != nil {
		known = exact.Name
	}
	width := len("//") + len(strings.TrimRight(m[0], " \t\r"))
	isTool := strings.EqualFold(tool, "pinned")
	// Prose may begin with a word and a colon; code that was commented out, too.
	// A space after the colon makes it prose unless a verb follows; so does
	// another tool's name.
	switch {
	case isTool && space == "" && before == "":
	case isTool && after == "" && word != "" && isWord(word[0]):
	case isTool && Lookup(strings.ToLower(verb)) != nil:
	case !isTool && nearTool(tool) && after == "" && before == "" && known != "":
	default:
		return
	}
	pos := s.at(c.Slash)
	s.presume(group, c.Slash, known)
	if !isTool {
		s.report(wrongTool(pos, width, tool, known).Replace("//pinned:" + known))
		return
	}
	var d diag.Diagnostic
	switch {
	case word == "":
		s.report(noVerb(pos, width))
		return
	case space != "":
		d = spaced(pos, width)
	case before != "" || after != "":
		d = spacedColon(pos, width)
	default:
		d = capitalised(pos, width, known)
	}
	if known != "" && strings.HasSuffix(m[0], verb) {
		d = d.Replace("//pinned:" + known)
	}
	s.report(d)
}

// presume keeps what was reported as a near miss of a verb, where that could stand.
func (s *scanner) presume(group *ast.CommentGroup, slash token.Pos, verb string) {
	v := Lookup(verb)
	if v == nil || s.test {
		return
	}
	d := &Directive{Verb: verb, Bad: true, Pos: slash, End: slash + token.Pos(len("//")), File: s.file, Doc: group}
	if s.places.of(group, slash).accepts(s, v, d, s.at(slash), 0) == nil {
		s.found = append(s.found, d)
	}
}

func leadingWord(s string) string {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return s[:n]
}

// block looks at a /* comment: no line of it may look like a directive.
func (s *scanner) block(c *ast.Comment) {
	offset := 0
	for i, line := range strings.SplitAfter(c.Text, "\n") {
		text := line
		if i == 0 {
			text = text[len("/*"):]
		}
		trimmed := strings.TrimLeft(text, " \t*/")
		m := meant.FindStringSubmatch(trimmed)
		if m != nil && strings.EqualFold(m[2], "pinned") && m[1] == "" && m[3] == "" &&
			(m[4] == "" && leadingWord(m[5]) != "" || Lookup(strings.ToLower(leadingWord(m[5]))) != nil) {
			start := offset + len(line) - len(trimmed)
			word := strings.TrimSuffix(m[5], "*/")
			s.report(inBlock(s.at(c.Slash+token.Pos(start)), len(m[0])-len(m[5])+len(word)))
		}
		offset += len(line)
	}
}

// directive reads one that has Go's form.
func (s *scanner) directive(group *ast.CommentGroup, d ast.Directive) {
	pos := s.at(d.Slash)
	namePos := s.at(d.Slash + token.Pos(len("//pinned:")))
	verb := Lookup(d.Name)
	if verb == nil {
		near := nearest(strings.ToLower(d.Name), verbNames())
		diagnostic := unknownVerb(namePos, d.Name, near)
		if near != "" {
			diagnostic = diagnostic.Replace(near)
		}
		s.report(diagnostic)
		s.presume(group, d.Slash, near)
		return
	}
	out := &Directive{
		Verb: d.Name, Pos: d.Slash, End: d.End(), File: s.file, Doc: group,
	}
	if d.Args == "" {
		out.End = d.Slash + token.Pos(len("//pinned:")+len(d.Name))
	}
	ok := s.arguments(verb, d, out)
	width := int(out.End - out.Pos)
	if s.test {
		s.report(inTest(pos, width))
		return
	}
	place := s.places.of(group, d.Slash)
	if problem := place.accepts(s, verb, out, pos, width); problem != nil {
		s.report(*problem)
		return
	}
	out.Bad = !ok
	s.found = append(s.found, out)
}

// arguments reads what stands behind the verb into out, and says whether all of
// it is fine.
func (s *scanner) arguments(verb *Verb, d ast.Directive, out *Directive) bool {
	words, err := d.ParseArgs()
	if err != nil {
		s.report(badQuote(s.at(d.ArgsPos), len(d.Args)))
		return false
	}
	before := len(s.diags)
	ends := func(i int) token.Pos { // where word i ends, quotes included
		limit := d.End()
		if i+1 < len(words) {
			limit = words[i+1].Pos
		}
		text := d.Args[words[i].Pos-d.ArgsPos : limit-d.ArgsPos]
		return words[i].Pos + token.Pos(len(strings.TrimSpace(text)))
	}
	i := 0
	for _, param := range verb.Args {
		if i == len(words) || verb.optionWord(words[i].Arg) {
			pos := out.End
			s.report(missingArgument(s.at(out.Pos), int(pos-out.Pos), verb, param))
			return false
		}
		w := words[i]
		arg := Arg{Name: param.Name, Text: w.Arg, Pos: w.Pos}
		out.Args = append(out.Args, arg)
		s.value(w.Pos, ends(i), param, w.Arg)
		i++
	}
	seen := map[string]token.Pos{}
	for ; i < len(words); i++ {
		w, end := words[i], ends(i)
		key, value, hasValue := strings.Cut(w.Arg, "=")
		param := verb.option(key)
		pos, width := s.at(w.Pos), int(end-w.Pos)
		if param == nil {
			diagnostic := unknownOption(pos, width, verb, key)
			if near := nearest(strings.ToLower(key), verb.optionNames()); near != "" {
				diagnostic = nearOption(pos, len(key), verb, key, near).Replace(near)
			}
			s.report(diagnostic)
			continue
		}
		if first, twice := seen[key]; twice {
			s.report(optionTwice(pos, width, key).With(s.at(first), "the first"))
			continue
		}
		seen[key] = w.Pos
		switch {
		case param.Value == "" && hasValue:
			s.report(flagWithValue(pos, width, key).Replace(key))
			continue
		case param.Value != "" && value == "":
			s.report(optionWithoutValue(pos, width, param))
			continue
		}
		valuePos := w.Pos + token.Pos(len(key)+1)
		if param.Value == "" {
			valuePos = w.Pos
		}
		if s.value(valuePos, end, *param, value) {
			out.Options = append(out.Options, Option{Key: key, Value: value, Pos: w.Pos, ValuePos: valuePos})
		}
	}
	return len(s.diags) == before
}

// optionWord says whether a word is an option, where an argument should be.
func (v *Verb) optionWord(word string) bool {
	key, _, _ := strings.Cut(word, "=")
	return v.option(key) != nil || strings.Contains(word, "=") && wordForm.MatchString(key)
}

// value checks what an argument or option is, and says whether it is fine.
func (s *scanner) value(pos, end token.Pos, param Param, value string) bool {
	if param.check == nil {
		return true
	}
	problem, fix := param.check(value)
	if problem == "" {
		return true
	}
	d := badValue(s.at(pos), int(end-pos), problem)
	if fix != "" {
		d = d.Replace(fix)
	}
	s.report(d)
	return false
}
