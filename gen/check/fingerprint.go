package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"hash"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// fingerprint hashes the annotated declarations of a package, and of those whose
// client it gets: comments, directives and signatures, without bodies, layout, or
// which file they stand in. A change of a path or of a comment alone shows.
func fingerprint(c *checker) string {
	var parts []string
	for _, p := range append(slices.Clone(c.pkg.ClientOf), c.pkg) {
		seen := map[ast.Node]bool{}
		for _, d := range p.Directives {
			node := declaration(d)
			if seen[node] {
				continue
			}
			seen[node] = true
			parts = append(parts, fmt.Sprintf("%s\n%s\n%s", p.Path, comment(d), text(p, d)))
		}
	}
	// A struct that another embeds isn't annotated, and neither is what a package that
	// gives a tray type says of it.
	for _, o := range c.out.Objects {
		parts = append(parts, kept(c, o.Name, o.Durable)...)
	}
	for _, t := range c.out.Trays {
		parts = append(parts, kept(c, t.Name, t.Durable)...)
	}
	slices.Sort(parts)
	h := sha256.New()
	write(h, c.pkg.Path, c.pkg.Name, c.pkg.Constraint)
	write(h, parts...)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// kept says what an output binds.
func kept(c *checker, owner string, durable []*model.Durable) []string {
	var parts []string
	for _, d := range durable {
		if d.Kind != model.Feed {
			parts = append(parts, fmt.Sprintf("%s.%s %s[%s] %q %s", owner, strings.Join(d.Path, "."), d.Kind, c.typeName(d.Type), d.Name, d.Default))
		}
	}
	return parts
}

// write puts each part with its length, so that no two lists hash the same.
func write(h hash.Hash, parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s\n", len(p), p) // a hash never fails
	}
}

func declaration(d *directive.Directive) ast.Node {
	switch {
	case d.Func != nil:
		return d.Func
	case d.Type != nil:
		return d.Type
	}
	return d.Value
}

// comment is the whole comment, as lines without what CRLF adds.
func comment(d *directive.Directive) string {
	var lines []string
	for _, c := range d.Doc.List {
		lines = append(lines, strings.TrimRight(c.Text, " \t\r"))
	}
	return strings.Join(lines, "\n")
}

// text is a declaration's source, its blanks as one space each. Of a variable only
// the name and the type count: what it starts as is no part of any output.
func text(p *load.Package, d *directive.Directive) string {
	i := slices.IndexFunc(p.Files, func(f *load.File) bool { return f.AST == d.File })
	f := p.Files[i]
	from, to := declaration(d).Pos(), declaration(d).End()
	switch {
	case d.Func != nil:
		from, to = d.Func.Type.Func, d.Func.Type.End()
	case d.Value != nil:
		to = d.Value.Names[0].End()
		if d.Value.Type != nil {
			to = d.Value.Type.End()
		}
	}
	src := f.Src[from-f.AST.FileStart : to-f.AST.FileStart]
	return strings.Join(strings.Fields(string(src)), " ")
}
