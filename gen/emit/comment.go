package emit

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// comment writes lines as a line comment each: a "*/" among them ends nothing.
func comment(lines ...string) jen.Code {
	out := make([]string, len(lines))
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "":
			out[i] = "//"
		case line[0] == '\t':
			out[i] = "//" + line
		default:
			out[i] = "// " + line
		}
	}
	if len(out) == 0 {
		return jen.Null()
	}
	return jen.Comment(strings.Join(out, "\n"))
}

// doc is the comment of a route's client method: the author's, and what the
// method's signature doesn't say.
func (f *file) doc(r *model.Route) []string {
	doc := r.Doc
	if len(doc) == 0 {
		doc = []string{r.Func + " is " + r.Method + " " + r.Pattern + "."}
	}
	add := func(line string) []string { return append(slices.Clip(doc), "", line) }
	switch r.Result.Kind {
	case model.Raw:
		return add("The query, the header and the body of req are sent. It may be nil.")
	case model.Socket:
		in, out := messageTypes(r)
		return add("The conn receives " + types.TypeString(in, f.qualify) +
			" and sends " + types.TypeString(out, f.qualify) + ".")
	case model.Reader:
		return add("The caller closes the result.")
	}
	return doc
}
