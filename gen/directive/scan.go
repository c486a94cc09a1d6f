package directive

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
)

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
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

// line looks at one // comment.
func (s *scanner) line(group *ast.CommentGroup, c *ast.Comment) {
	text := strings.TrimRight(c.Text, "\r")
	if d, ok := ast.ParseDirective(c.Slash, text); ok && d.Tool == tool {
		s.directive(group, d)
		return
	}
	m, ok := findMiss(text[len("//"):], false)
	if !ok {
		return
	}
	s.presume(group, c.Slash, m.known)
	d := m.describe(s.at(c.Slash))
	if m.known != "" && leadingWord(m.word) == m.word {
		d = d.Replace("//" + tool + ":" + m.known)
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
	// Not from offsets into the text: the scanner took carriage returns out of it.
	pos := s.at(c.Slash)
	for i, line := range strings.Split(c.Text, "\n") {
		if i > 0 {
			pos.Line, pos.Column = pos.Line+1, 1
		}
		if m, col, ok := findInBlock(line); ok {
			at := pos
			at.Column += col
			s.report(inBlock(at, m))
		}
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
