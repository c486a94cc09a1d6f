package load

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strings"
)

// output is the generated file that is there now.
type output struct {
	file   string // absolute
	exists bool
	ours   bool // has Header
}

func (o *output) read(src []byte) {
	o.exists = true
	o.ours = IsOutput(src)
}

// IsOutput says whether a file called Output holds what this command wrote, however
// broken it is now; anything else is an author's. Header counts as Go's
// convention for generated code has it: a // comment of its own, before the package
// clause. Elsewhere, in a string or in prose, it is only quoted.
//
// A write that broke off leaves nothing. A merge that stopped leaves both files of a
// conflict: then neither may be an author's, since both would be lost.
func IsOutput(src []byte) bool {
	src = bytes.TrimPrefix(src, []byte("\uFEFF")) // of an editor; it would hide a mark of a merge
	for _, side := range sides(src) {
		if len(bytes.TrimSpace(side)) > 0 && !hasHeader(side) {
			return false
		}
	}
	return true
}

// sides are the two files that a merge found in conflict: src without the marks, and
// with one or the other of what stands between them. Of a file without marks both
// are the file. What was common before the changes (diff3) is in neither.
func sides(src []byte) [2][]byte {
	const base = -1
	var out [2][]byte
	at, both := 0, true
	for line := range bytes.Lines(src) {
		switch mark(line) {
		case '<':
			at, both = 0, false
		case '|':
			at, both = base, false
		case '=':
			at, both = 1, false
		case '>':
			both = true
		default:
			if both || at == 0 {
				out[0] = append(out[0], line...)
			}
			if both || at == 1 {
				out[1] = append(out[1], line...)
			}
		}
	}
	return out
}

// mark is the sign of which a line is the mark of a merge, seven times and nothing
// but a label after a space; 0 for any other line.
func mark(line []byte) byte {
	const width = 7
	line = bytes.TrimRight(line, "\r\n")
	if len(line) < width || len(line) > width && line[width] != ' ' {
		return 0
	}
	sign := line[0]
	if strings.IndexByte("<|=>", sign) < 0 || bytes.Count(line[:width], line[:1]) != width {
		return 0
	}
	return sign
}

// hasHeader says whether Header stands before the package clause, at the start of a
// line and as the start of a comment: the doc comment of an author's package may
// quote it further down.
func hasHeader(src []byte) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments) // faults are no business of ours here
	for before := -1; ; {
		pos, tok, text := s.Scan()
		if tok != token.COMMENT {
			return false
		}
		at := file.PositionFor(pos, false)
		if text == Header && at.Column == 1 && at.Line > before+1 {
			return true
		}
		before = file.PositionFor(pos+token.Pos(len(text)), false).Line
	}
}
