package check

import (
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// tray checks a struct with //pinned:tray.
func (c *checker) tray(d *directive.Directive) {
	id := d.Type.Name
	obj, ok := c.pkg.Types.Scope().Lookup(id.Name).(*types.TypeName)
	if !ok {
		c.report(notInBuild(c.at(d.Pos), int(d.End-d.Pos), id.Name))
		return
	}
	if twice, ok := c.trays[id.Name]; ok {
		c.report(trayTwice(c.at(d.Pos), int(d.End-d.Pos), id.Name).With(twice.Pos, "the first"))
		return
	}
	typ, ok := types.Unalias(obj.Type()).(*types.Named)
	if !ok {
		c.report(trayNotAStruct(c.at(id.Pos()), id.Name))
		return
	}
	t := &model.Tray{Name: id.Name, Doc: docLines(d.Doc), Type: typ, Pos: c.at(d.Pos)}
	c.trays[t.Name] = t
	options(t, d)
	if o, ok := c.objects[t.Name]; ok {
		c.report(bothKinds(c.at(d.Pos), int(d.End-d.Pos), id.Name).With(o.Pos, "the object"))
		return
	}
	if typ.TypeParams().Len() > 0 {
		c.report(genericTray(c.at(id.Pos()), id.Name))
		return
	}
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		if !c.typeErrors(d.Type) {
			c.report(trayNotAStruct(c.at(id.Pos()), id.Name))
		}
		return
	}
	base, problem := findBase(typ, "Tray")
	switch {
	case base != nil:
		t.Base = base
	case c.typeErrors(d.Type):
	default:
		c.report(noBase(c.at(id.Pos()), id.Name, "Tray", problem))
		return
	}
	c.hiding(st, "Tray", reservedInTrays)
	t.Durable = c.keeps(t.Name, typ, true, t.Pos)
	c.items(t, d)
	c.out.Trays = append(c.out.Trays, t)
}

// options reads those of the directive; its parser has said what is wrong with them.
func options(t *model.Tray, d *directive.Directive) {
	for _, o := range d.Options {
		switch o.Key {
		case "version":
			t.Version, _ = strconv.Atoi(o.Value)
		case "attempts":
			t.Attempts, _ = strconv.Atoi(o.Value)
		case "timeout":
			t.Timeout, _ = time.ParseDuration(o.Value)
		case "open":
			t.Open = true
		case "drain":
			t.Drain = true
		}
	}
}

// items finds what a tray gives.
func (c *checker) items(t *model.Tray, d *directive.Directive) {
	id := d.Type.Name
	item, fn := itemsOf(t.Type, c.pkg.Types)
	switch {
	case fn == nil:
		c.report(noItems(c.at(id.Pos()), id.Name))
	case c.invalidSignature(fn):
	case item == nil:
		c.report(wrongItems(c.methodPos(fn, d), len(fn.Name()), t.Name))
	}
	t.Item = item
}

// itemsOf is the T of a tray type's Items() iter.Seq[T], and that method; nil where the
// signature is another one, or it has none.
func itemsOf(typ *types.Named, from *types.Package) (types.Type, *types.Func) {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(typ), true, from, "Items")
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil, nil
	}
	sig := fn.Signature()
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 || !is(sig.Results().At(0).Type(), "iter", "Seq") {
		return nil, fn
	}
	args := named(sig.Results().At(0).Type()).TypeArgs()
	if args.Len() != 1 {
		return nil, fn
	}
	return args.At(0), fn
}

// inbox checks a method with //pinned:inbox.
func (c *checker) inbox(d *directive.Directive) {
	id, pointer, generic := receiverOf(d.Func)
	if id == nil {
		return // a syntax error
	}
	name := d.Func.Name
	t := c.trayReceiver(id.Name)
	switch {
	case generic:
		c.report(genericReceiver(c.at(id.Pos()), d.Verb, id.Name))
		return
	case t == nil:
		c.report(receiverNoTray(c.at(d.Pos), int(d.End-d.Pos), name.Name, id.Name))
		return
	case !c.pointerReceiver(d, pointer):
		return
	}
	fn := c.declaredMethod(t.Type, name.Name)
	if !c.usable(d, fn) {
		return
	}
	if name.IsExported() {
		c.report(exportedInbox(c.at(name.Pos()), name.Name))
	}
	s := &signature{checker: c, d: d, fn: fn}
	if s.invalid() {
		return
	}
	in := &model.Inbox{
		Name: d.Arg("name").Text, Method: name.Name, Doc: docLines(d.Func.Doc), Variadic: fn.Signature().Variadic(), Pos: c.at(d.Pos),
	}
	for _, p := range s.written(d.Func.Type.Params, fn.Signature().Params()) {
		pos, width := c.node(p.expr)
		if isContext(p.typ) {
			c.report(inboxContext(pos, width))
			continue
		}
		c.encodable(pos, width, p.typ)
		in.Params = append(in.Params, model.InboxParam{Name: p.name, Type: p.typ})
	}
	if results := d.Func.Type.Results; results.NumFields() > 0 {
		pos, width := c.node(results)
		c.report(inboxResult(pos, width))
	}
	t.Inboxes = append(t.Inboxes, in)
}

// trayReceiver finds the tray that a receiver names, by an alias too.
func (c *checker) trayReceiver(name string) *model.Tray {
	if t := c.trays[name]; t != nil {
		return t
	}
	if obj, ok := c.pkg.Types.Scope().Lookup(name).(*types.TypeName); ok && obj.IsAlias() {
		if n := named(obj.Type()); n != nil && n.Obj().Pkg() == c.pkg.Types {
			return c.trays[n.Obj().Name()]
		}
	}
	return nil
}

// handle checks a method with //pinned:handle.
func (c *checker) handle(d *directive.Directive) {
	o, fn := c.objectMethod(d)
	if fn == nil {
		return
	}
	arg := d.Arg("field")
	pos, width := c.at(arg.Pos), len(arg.Text)
	var field *model.Durable
	for _, f := range o.Durable {
		if f.Path[len(f.Path)-1] == arg.Text && (field == nil || len(f.Path) < len(field.Path)) {
			field = f
		}
	}
	switch {
	case field == nil:
		if !c.brokenKeeper(o, arg.Text) {
			c.report(handleWithout(pos, width, o.Name, arg.Text))
		}
		return
	case field.Kind != model.TrayOf && field.Kind != model.TraysOf && field.Kind != model.Jobs:
		c.report(handleOf(pos, width, arg.Text, field.Kind).With(field.Pos, "the field"))
		return
	case field.Handle != "":
		c.report(handleTwice(pos, width, arg.Text, field.Handle).With(field.Pos, "the field"))
		return
	}
	field.Handle = fn.Name()
	s := &signature{checker: c, d: d, fn: fn}
	if s.invalid() || field.Item == nil {
		return
	}
	sig := fn.Signature()
	dispatch := func(t types.Type) bool { return isPointer(t, pinnedPath, "Dispatch") }
	anything := func(types.Type) bool { return true }
	if !matches(fn, []func(types.Type) bool{isContext, anything, dispatch}, is1(isError)) {
		c.report(wrongHandle(c.at(d.Func.Name.Pos()), len(fn.Name()), fn.Name(), c.typeName(field.Item)))
		return
	}
	if got := sig.Params().At(1).Type(); !types.Identical(got, field.Item) {
		pos, width := c.node(s.written(d.Func.Type.Params, sig.Params())[1].expr)
		c.report(wrongItem(pos, width, c.typeName(got), arg.Text, c.typeName(field.Item)).With(field.Pos, "the field"))
	}
}

// brokenKeeper says whether the struct of an object, or that field of it, has a fault
// of its own, so that the field wasn't looked at.
func (c *checker) brokenKeeper(o *model.Object, field string) bool {
	if !slices.Contains(c.out.Objects, o) || c.errorsIn(c.declarationOf(o.Type.Obj())) {
		return true
	}
	obj, _, _ := types.LookupFieldOrMethod(o.Type, true, c.pkg.Types, field)
	f, ok := obj.(*types.Var)
	return ok && c.holds(f.Type(), map[types.Type]bool{}) != ""
}

// unhandled refuses fields of trays and jobs that nothing consumes. One that a faulty
// directive may have meant isn't reported beside it.
func (c *checker) unhandled(o *model.Object) {
	meant := map[string]bool{}
	for _, d := range c.pkg.Directives {
		if d.Verb != "handle" {
			continue
		}
		if id, _, _ := receiverOf(d.Func); c.receiver(id) == o {
			meant[d.Arg("field").Text] = true
		}
	}
	for _, f := range o.Durable {
		name := f.Path[len(f.Path)-1]
		if f.Handle == "" && !meant[name] && !meant[""] && (f.Kind == model.TrayOf || f.Kind == model.TraysOf || f.Kind == model.Jobs) {
			c.report(noHandle(f.Pos, len(name), name, f.Kind))
		}
	}
}

// generatedHere says whether an object of the type checker stands in an output, or in
// what stands in for one.
func (c *checker) generatedHere(obj types.Object) bool {
	return filepath.Base(c.at(obj.Pos()).Filename) == load.Output
}
