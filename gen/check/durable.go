package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/internal/casing"
	"github.com/pinned-go/pinned/gen/model"
)

// durableKinds are the types of package pinned that generated code binds.
var durableKinds = []model.DurableKind{
	model.Value, model.Queue, model.Outbox, model.Map, model.Jobs, model.TrayOf, model.TraysOf, model.Feed,
}

// durableType says which of them t is, and gives its T.
func durableType(t types.Type) (kind model.DurableKind, arg types.Type, ok bool) {
	for _, kind := range durableKinds {
		if is(t, pinnedPath, kind.String()) {
			if args := named(t).TypeArgs(); args.Len() == 1 {
				return kind, args.At(0), true
			}
		}
	}
	return 0, nil, false
}

// keeper is an object or a tray while its durable fields are looked for.
type keeper struct {
	*checker
	name   string
	tray   bool
	pos    token.Position // of the directive
	fields []*model.Durable
	tagged map[string]token.Position // durable names, and where each was given
}

// keeps finds the durable fields of an object or a tray.
func (c *checker) keeps(name string, typ *types.Named, tray bool, pos token.Position) []*model.Durable {
	k := &keeper{checker: c, name: name, tray: tray, pos: pos, tagged: map[string]token.Position{}}
	c.homes[typ.Origin().Obj()] = true
	if st, ok := typ.Underlying().(*types.Struct); ok {
		k.walk(st, nil, spot{}, map[*types.Struct]bool{})
	}
	return k.fields
}

// walk goes through a struct, which stands at path in the object; by is the field that
// embeds it.
func (k *keeper) walk(st *types.Struct, path []string, by spot, seen map[*types.Struct]bool) {
	if seen[st] {
		return
	}
	seen[st] = true
	for i := range st.NumFields() {
		f := st.Field(i)
		at := k.spot(f)
		if at.node == nil {
			at = by
		}
		if at.node == nil {
			at.pos, at.width = k.pos, 0
		}
		tag := reflect.StructTag(st.Tag(i))
		to := append(slices.Clone(path), f.Name())
		if kind, arg, ok := durableType(f.Type()); ok {
			k.field(f, kind, arg, to, tag, at)
			continue
		}
		if k.brokenField(f, at) {
			continue
		}
		if f.Embedded() && (is(f.Type(), pinnedPath, "Object") || is(f.Type(), pinnedPath, "Tray")) {
			continue
		}
		if inner, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() {
			if n := named(f.Type()); n != nil {
				k.homes[n.Origin().Obj()] = true
			}
			k.walk(inner, to, at, seen)
			continue
		}
		if _, ok := tag.Lookup("pinned"); ok {
			k.report(tagWithout(at.pos, at.width, f.Name()))
		}
		if hidden := k.holds(f.Type(), map[types.Type]bool{}); hidden != "" {
			k.report(durableForm(at.pos, at.width, strings.Join(to, "."), hidden))
		}
	}
}

// brokenField reports what the type checker said of a field that is meant to be durable
// and has no type.
func (k *keeper) brokenField(f *types.Var, at spot) bool {
	if f.Type() != types.Typ[types.Invalid] || at.node == nil {
		return false
	}
	index, ok := ast.Unparen(at.node.Type).(*ast.IndexExpr)
	if !ok {
		return false
	}
	name, ok := index.X.(*ast.SelectorExpr)
	return ok && slices.ContainsFunc(durableKinds, func(kind model.DurableKind) bool {
		return kind.String() == name.Sel.Name
	}) && k.typeErrors(at.node.Type)
}

// holds says what durable thing is in a type that can't be bound there; "" for none.
// What a struct of this package has is reported where that is declared.
func (c *checker) holds(t types.Type, seen map[types.Type]bool) string {
	t = types.Unalias(t)
	if seen[t] {
		return ""
	}
	seen[t] = true
	if kind, _, ok := durableType(t); ok {
		if kind == model.Feed {
			return ""
		}
		return "pinned." + kind.String()
	}
	if n, ok := t.(*types.Named); ok && (n.Obj().Pkg() == nil || n.Obj().Pkg() == c.pkg.Types || n.Obj().Pkg().Path() == pinnedPath) {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return c.holds(u.Elem(), seen)
	case *types.Slice:
		return c.holds(u.Elem(), seen)
	case *types.Array:
		return c.holds(u.Elem(), seen)
	case *types.Map:
		return c.holds(u.Elem(), seen)
	case *types.Chan:
		return c.holds(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if hidden := c.holds(f.Type(), seen); hidden != "" {
				return hidden
			}
		}
	}
	return ""
}

// field checks one that is to be bound.
func (k *keeper) field(f *types.Var, kind model.DurableKind, arg types.Type, path []string, tag reflect.StructTag, at spot) {
	out := &model.Durable{Kind: kind, Path: path, Type: arg, Pos: at.pos}
	for i, name := range path {
		if token.IsExported(name) || i == len(path)-1 && f.Pkg() == k.pkg.Types {
			continue
		}
		if i == len(path)-1 || k.foreign(path[:i+1]) {
			if kind != model.Feed {
				k.report(outOfReach(at.pos, at.width, strings.Join(path, ".")))
			}
			return
		}
	}
	if k.tray && (kind == model.Map || kind == model.Jobs || kind == model.TrayOf || kind == model.TraysOf) {
		k.report(notInTray(at.pos, at.width, f.Name(), kind))
		return
	}
	if at.node != nil && k.broken(arg, at.node.Type) {
		return
	}
	name, hasName := tag.Lookup("pinned")
	if kind == model.Feed {
		if hasName {
			k.report(tagWithout(at.pos, at.width, f.Name()))
		}
		k.fields = append(k.fields, out)
		return
	}
	if !hasName {
		name = casing.Lower(f.Name())
	}
	out.Name = name
	namePos, nameWidth := at.pos, at.width
	if hasName {
		namePos, nameWidth = k.inTag(at, "pinned")
	}
	if problem := badDurableName(name); problem != "" {
		k.report(durableName(namePos, nameWidth, name, problem))
	} else if had, twice := k.tagged[name]; twice {
		k.report(durableTwice(namePos, nameWidth, name, k.name).With(had, "the first"))
	} else {
		k.tagged[name] = namePos
	}
	k.initial(out, tag, at)
	switch kind {
	case model.TrayOf, model.TraysOf:
		k.trayType(out, at)
	default:
		pos, width := k.argument(at)
		k.encodableWhole(pos, width, arg)
		out.Item = arg
	}
	k.fields = append(k.fields, out)
}

// foreign says whether the last of these selectors is a field of another package.
func (k *keeper) foreign(path []string) bool {
	obj := k.pkg.Types.Scope().Lookup(k.name)
	if obj == nil {
		return false
	}
	t := obj.Type()
	var f *types.Var
	for _, name := range path {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		for field := range st.Fields() {
			if field.Name() == name {
				f, t = field, field.Type()
			}
		}
	}
	return f != nil && f.Pkg() != k.pkg.Types
}

// mostName is how many bytes a durable name has at most: it is a key in the store.
const mostName = 1024

func badDurableName(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > mostName:
		return "it is over 1,024 bytes"
	case strings.HasPrefix(name, "~"):
		return "what begins with ~ is reserved"
	case name == "pinned":
		return "it is reserved"
	case strings.ToValidUTF8(name, "") != name || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "it has a control character"
	}
	return ""
}

// trayType finds the description of the type of a field of trays.
func (k *keeper) trayType(out *model.Durable, at spot) {
	pos, width := k.argument(at)
	n, ok := types.Unalias(out.Type).(*types.Named)
	if !ok || !k.isTray(n) {
		d := notATray(pos, width, k.typeName(out.Type))
		if ok && n.Obj().Pkg() == k.pkg.Types {
			d = d.With(k.at(n.Obj().Pos()), "%s is declared here", n.Obj().Name())
		}
		k.report(d)
		return
	}
	pkg := n.Obj().Pkg()
	out.Tray = model.Import{Path: pkg.Path(), Name: pkg.Name()}
	out.TrayClass = model.TrayClass(n.Obj().Name())
	// What is wrong with Items is said where the tray type is declared.
	out.Item, _ = itemsOf(n, pkg)
}

// isTray says whether a type has //pinned:tray. That of a package outside of the main
// modules is told by what was generated.
func (c *checker) isTray(n *types.Named) bool {
	pkg := n.Obj().Pkg()
	if pkg == nil || n.TypeArgs().Len() > 0 {
		return false
	}
	if other := c.byPath[pkg.Path()]; other != nil {
		return other.trayNames()[n.Obj().Name()]
	}
	if known, ok := c.res.Trays[pkg.Path()]; ok {
		return slices.Contains(known, n.Obj().Name())
	}
	fn, ok := pkg.Scope().Lookup(model.TrayClass(n.Obj().Name())).(*types.Func)
	return ok && fn.Signature().Results().Len() == 1 && is(fn.Signature().Results().At(0).Type(), runtimePath, "TrayClass")
}

// trayNames are the structs of the package that have the directive.
func (c *checker) trayNames() map[string]bool {
	if c.trayTypes == nil {
		c.trayTypes = map[string]bool{}
		for _, d := range c.pkg.Directives {
			if d.Verb == "tray" {
				c.trayTypes[d.Type.Name.Name] = true
			}
		}
	}
	return c.trayTypes
}

// stray refuses durable fields of structs that are no object and no tray, nor embedded
// in one.
func (c *checker) stray() {
	for _, f := range c.pkg.Files {
		if f.Test || f.AST.Name.Name != c.pkg.Name {
			continue
		}
		for _, decl := range f.AST.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					c.strayIn(spec)
				}
			}
		}
	}
}

func (c *checker) strayIn(spec *ast.TypeSpec) {
	obj, ok := c.pkg.Types.Scope().Lookup(spec.Name.Name).(*types.TypeName)
	if !ok || obj.IsAlias() || c.homes[obj] || c.objects[obj.Name()] != nil || c.trays[obj.Name()] != nil {
		return
	}
	st, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return
	}
	if _, ok := ast.Unparen(spec.Type).(*ast.StructType); !ok {
		return // declared after another type, where it is reported
	}
	for f := range st.Fields() {
		if what := c.holds(f.Type(), map[types.Type]bool{}); what != "" {
			at := c.spot(f)
			c.report(strayDurable(at.pos, at.width, f.Name(), what, spec.Name.Name))
		}
	}
}
