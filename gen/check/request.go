package check

import (
	"go/token"
	"go/types"
	"net/textproto"
	"reflect"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/model"
)

// request reads a request struct.
func (s *signature) request(p param) (*model.Request, bool) {
	req := &model.Request{Type: p.typ}
	if ptr, ok := types.Unalias(p.typ).(*types.Pointer); ok {
		req.Type, req.Pointer = ptr.Elem(), true
	}
	b := &binder{signature: s, p: p, req: req, names: map[string]*types.Var{}, json: map[string]*types.Var{}}
	st, _ := req.Type.Underlying().(*types.Struct)
	before := len(s.diags)
	if marshals(types.Unalias(req.Type)) && !b.anyTag(st) {
		b.body = true // it reads its own JSON
		if why := formOf(types.Unalias(req.Type)).fault(false); why != "" {
			pos, width := s.node(p.expr)
			name := s.typeName(req.Type)
			s.report(cannotEncode(pos, width, name, name, why))
		}
		if !hasBody(s.r.Method) {
			pos, width := s.node(p.expr)
			s.report(ownJSON(pos, width, s.typeName(req.Type), s.r.Method))
		}
	} else {
		b.fields(st, nil)
		pos, width := s.node(p.expr)
		w := &walk{checker: s.checker, pos: pos, width: width, request: true}
		w.lost(st, s.typeName(req.Type))
	}
	b.excluded()
	req.Body = b.body && hasBody(s.r.Method)
	slices.Sort(req.Exclude)
	s.validate(p, req)
	return req, len(s.diags) == before
}

// binder decides for each field where it is read from.
type binder struct {
	*signature
	p     param
	req   *model.Request
	body  bool                  // a field is read from the body
	names map[string]*types.Var // bound, by "query name"
	json  map[string]*types.Var // of the body, by lower-case name
	bound []boundName
}

// boundName is what encoding/json calls a bound field.
type boundName struct {
	name  string
	field *types.Var
}

func (b *binder) anyTag(st *types.Struct) bool {
	for i := range st.NumFields() {
		tag := reflect.StructTag(st.Tag(i))
		if _, ok := tag.Lookup("query"); ok {
			return true
		}
		if _, ok := tag.Lookup("header"); ok {
			return true
		}
	}
	return false
}

// onField places a diagnostic on a field, with the parameter as the other place; a
// field that was not read from source leaves the parameter alone.
func (b *binder) onField(f *types.Var, build func(token.Position, int) diag.Diagnostic) diag.Diagnostic {
	pos, width := b.node(b.p.expr)
	if b.res.Fset.File(f.Pos()) == nil {
		return build(pos, width)
	}
	return build(b.at(f.Pos()), len(f.Name())).With(pos, "the request struct of %s", b.r.Func)
}

func (b *binder) fields(st *types.Struct, path []string) {
	for i := range st.NumFields() {
		b.field(st.Field(i), reflect.StructTag(st.Tag(i)), path)
	}
}

func (b *binder) field(f *types.Var, tag reflect.StructTag, path []string) {
	path = append(slices.Clone(path), f.Name())
	query, isQuery := tag.Lookup("query")
	header, isHeader := tag.Lookup("header")
	def, hasDefault := tag.Lookup("default")
	dotted := strings.Join(path, ".")
	fail := func(problem string) {
		b.report(b.onField(f, func(pos token.Position, width int) diag.Diagnostic {
			return badField(pos, width, b.typeName(b.req.Type)+"."+dotted, problem)
		}))
	}
	if !isQuery && !isHeader {
		if hasDefault {
			fail("default: is for fields with query: or header:")
		}
		b.unbound(f, tag, path, fail)
		return
	}
	switch {
	case isQuery && isHeader:
		fail("it has both query: and header:")
		return
	case !f.Exported():
		fail("it is unexported, so its tag can't be obeyed")
		return
	}
	out := model.Field{Path: path, In: "query", Name: query, Pos: b.at(f.Pos())}
	if isHeader {
		out.In, out.Name = "header", textproto.CanonicalMIMEHeaderKey(header)
	}
	switch {
	case out.Name == "":
		fail(out.In + ": needs a name")
		return
	case strings.Contains(out.Name, ","):
		fail(out.In + ": takes a name and no options")
		return
	case isHeader && !headerName(header):
		fail("header: " + header + " can't be the name of a header")
		return
	case isHeader && out.Name == "Content-Length":
		fail("header: Content-Length isn't among the headers of a request: net/http keeps it to itself")
		return
	case isHeader && slices.Contains(goneHeaders, out.Name):
		fail("header: " + header + " doesn't reach a handler")
		return
	}
	if had := b.names[out.In+" "+out.Name]; had != nil {
		b.report(b.onField(f, func(pos token.Position, width int) diag.Diagnostic {
			return nameTwice(pos, width, out.In, out.Name, had.Name(), f.Name()).With(b.at(had.Pos()), "the first")
		}))
		return
	}
	b.names[out.In+" "+out.Name] = f
	scalar, problem := fieldScalar(f.Type())
	if problem != "" {
		fail(b.typeName(f.Type()) + " can't be read from a " + out.In + ": " + problem)
		return
	}
	out.Scalar = scalar
	if hasDefault {
		switch bad := badDefault(scalar, def); {
		case scalar.Slice:
			fail("default: isn't for a list")
		case bad != "":
			fail("default: " + def + " doesn't fit " + b.typeName(scalar.Type) + ": " + bad)
		}
		out.Default = &def
	}
	b.req.Bound = append(b.req.Bound, out)
	if name, skip := jsonName(f, tag); !skip {
		b.bound = append(b.bound, boundName{name, f})
	}
}

// unbound is a field without a tag of ours: of the body, or an embedded struct.
func (b *binder) unbound(f *types.Var, tag reflect.StructTag, path []string, fail func(string)) {
	name, skip := jsonName(f, tag)
	if promotes(f, tag) && !marshals(types.Unalias(f.Type())) {
		if st := embeddedStruct(f.Type()); st != nil {
			if _, pointer := types.Unalias(f.Type()).(*types.Pointer); !pointer {
				b.fields(st, path)
				return
			}
			if b.anyTag(st) {
				fail("a struct with query: or header: tags is embedded by value, not by pointer")
				return
			}
		}
	}
	if f.Name() == "_" || !f.Exported() && !f.Embedded() {
		return
	}
	if !hasBody(b.r.Method) {
		fail(b.r.Method + " requests have no body, so each field needs query: or header:")
		return
	}
	if skip {
		return
	}
	b.body = true
	b.json[strings.ToLower(name)] = f
	pos, width := b.node(b.p.expr)
	w := &walk{checker: b.checker, pos: pos, width: width, seen: map[visited]bool{}, request: true}
	w.visit(f.Type(), b.typeName(b.req.Type)+"."+strings.Join(path, "."), f)
}

// excluded lists what a body must not set, and refuses a field of the body
// that would go with it: encoding/json doesn't look at case.
func (b *binder) excluded() {
	for _, bound := range b.bound {
		b.req.Exclude = append(b.req.Exclude, bound.name)
		if had := b.json[strings.ToLower(bound.name)]; had != nil {
			b.report(b.onField(bound.field, func(pos token.Position, width int) diag.Diagnostic {
				return boundInBody(pos, width, bound.field.Name(), had.Name(), bound.name).
					With(b.at(had.Pos()), "this one is read from the body")
			}))
		}
	}
}

// validate finds Validate() error.
func (s *signature) validate(p param, req *model.Request) {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(req.Type), true, s.pkg.Types, "Validate")
	fn, ok := obj.(*types.Func)
	if !ok {
		return
	}
	if matches(fn, nil, is1(isError)) {
		req.Validate = true
		return
	}
	pos, width := s.node(p.expr)
	s.report(wrongValidate(pos, width, s.typeName(req.Type)).With(s.at(fn.Pos()), "the method"))
}

// goneHeaders are what net/http, or a proxy on the way, takes out of a request.
var goneHeaders = []string{
	"Connection", "Host", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// headerName says whether s is a token of RFC 9110.
func headerName(s string) bool {
	for _, c := range s {
		if c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) {
			return false
		}
	}
	return s != ""
}
