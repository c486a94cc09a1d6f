package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/model"
)

// reserved are the methods of pinned.Object, those to come included: the list is
// closed.
var reserved = []string{
	"ID", "Now", "Epoch", "Lease", "Log", "Go", "Turn", "Abort", "SetAlarm", "CancelAlarm", "Alarms",
}

// reservedInTrays are those of pinned.Tray.
var reservedInTrays = []string{
	"Key", "Kick", "Delete", "Parked", "Unpark", "Running", "Stop", "CancelDispatch",
}

// object checks a struct with //pinned:object.
func (c *checker) object(d *directive.Directive) {
	id := d.Type.Name
	obj, ok := c.pkg.Types.Scope().Lookup(id.Name).(*types.TypeName)
	if !ok {
		c.report(notInBuild(c.at(d.Pos), int(d.End-d.Pos), id.Name))
		return
	}
	typ, ok := types.Unalias(obj.Type()).(*types.Named)
	if !ok {
		c.report(notAStruct(c.at(id.Pos()), id.Name))
		return
	}
	o := &model.Object{
		Name: id.Name, Package: c.pkg.Path, Namespace: d.Arg("namespace").Text, Type: typ,
		Doc: docLines(d.Doc), Pos: c.at(d.Pos),
	}
	if env, ok := d.Option("env"); ok {
		o.Env = env.Value
	}
	if client, ok := d.Option("client"); ok {
		o.Client = client.Value
		c.clientPackage(o, client)
	}
	if twice, ok := c.objects[o.Name]; ok {
		c.report(objectTwice(c.at(d.Pos), int(d.End-d.Pos), o.Name).With(twice.Pos, "the first"))
		return
	}
	c.objects[o.Name] = o
	if typ.TypeParams().Len() > 0 {
		c.report(genericObject(c.at(id.Pos()), id.Name))
		return
	}
	if !id.IsExported() {
		c.report(unexportedObject(c.at(id.Pos()), id.Name))
	}
	if o.Name == "Target" {
		c.report(objectTarget(c.at(id.Pos()), id.Name))
	}
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		if !c.typeErrors(d.Type) {
			c.report(notAStruct(c.at(id.Pos()), id.Name))
		}
		return
	}
	base, problem := findBase(typ, "Object")
	switch {
	case base != nil:
		o.Base = base
	case c.typeErrors(d.Type):
	default:
		c.report(noBase(c.at(id.Pos()), id.Name, "Object", problem))
		return
	}
	c.hiding(st, "Object", reserved)
	c.hooks(o, d)
	o.Durable = c.keeps(o.Name, typ, false, o.Pos)
	c.out.Objects = append(c.out.Objects, o)
}

// clientPackage finds the package that an object's client goes to.
func (c *checker) clientPackage(o *model.Object, option directive.Option) {
	client := c.byDir[c.clientFolder(o)]
	if client == nil || !slices.Contains(client.pkg.ClientOf, c.pkg) {
		c.report(clientElsewhere(c.at(option.ValuePos), len(option.Value), option.Value))
		return
	}
	o.ClientPackage = model.Import{Path: client.pkg.Path, Name: client.pkg.Name}
	client.out.Clients = append(client.out.Clients, o)
}

// findBase finds the selectors from a struct to the pinned.Object, or the pinned.Tray,
// that it embeds, itself or through structs that it embeds by value; nil and why
// where it doesn't.
func findBase(typ *types.Named, base string) (selectors []string, problem string) {
	type level struct {
		path []string
		st   *types.Struct
	}
	queue := []level{}
	if st, ok := typ.Underlying().(*types.Struct); ok {
		queue = append(queue, level{nil, st})
	}
	seen := map[*types.Struct]bool{}
	for len(queue) > 0 {
		l := queue[0]
		queue = queue[1:]
		if seen[l.st] {
			continue
		}
		seen[l.st] = true
		for f := range l.st.Fields() {
			path := append(slices.Clone(l.path), f.Name())
			switch {
			case !f.Embedded():
				if is(f.Type(), pinnedPath, base) || isPointer(f.Type(), pinnedPath, base) {
					problem = "its field " + f.Name() + " has a name, so it isn't embedded"
				}
			case is(f.Type(), pinnedPath, base):
				return path, ""
			case isPointer(f.Type(), pinnedPath, base):
				problem = "it embeds a pointer: embed pinned." + base + " itself"
			default:
				if st, ok := f.Type().Underlying().(*types.Struct); ok {
					queue = append(queue, level{path, st})
				} else if n := named(f.Type()); n != nil {
					if b, _ := findBase(n, base); b != nil {
						problem = "it embeds a pointer to " + n.Obj().Name() + ", which has one: embed that by value"
					}
				}
			}
		}
	}
	return nil, problem
}

// hiding refuses fields, promoted ones too, that hide a method of Object or Tray.
func (c *checker) hiding(st *types.Struct, base string, reserved []string) {
	type level struct {
		st    *types.Struct
		owner token.Pos
	}
	queue, seen := []level{{st, token.NoPos}}, map[types.Type]bool{}
	for len(queue) > 0 {
		l := queue[0]
		queue = queue[1:]
		for f := range l.st.Fields() {
			if slices.Contains(reserved, f.Name()) {
				pos := f.Pos()
				if l.owner.IsValid() {
					pos = l.owner
				}
				c.report(fieldHides(c.at(pos), f.Name(), base, l.owner.IsValid()))
			}
			if !f.Embedded() || is(f.Type(), pinnedPath, "Object") || seen[f.Type()] {
				continue
			}
			seen[f.Type()] = true
			if inner := embeddedStruct(f.Type()); inner != nil {
				owner := l.owner
				if !owner.IsValid() {
					owner = f.Pos()
				}
				queue = append(queue, level{inner, owner})
			}
		}
	}
}

// hook is what a hook's method must look like.
type hook struct {
	name, signature string
	params, results []func(types.Type) bool
	set             func(*model.Hooks)
}

var hookTable = []hook{
	{"Open", "Open(context.Context) error", is1(isContext), is1(isError), func(h *model.Hooks) { h.Open = true }},
	{"Close", "Close(context.Context) error", is1(isContext), is1(isError), func(h *model.Hooks) { h.Close = true }},
	{
		"Authorize", authSignature("Authorize"), authParams, is1(isError),
		func(h *model.Hooks) { h.Authorize = true },
	},
	{"Idle", "Idle(context.Context) bool", is1(isContext), is1(isBool), func(h *model.Hooks) { h.Idle = true }},
	{"Stats", "Stats() map[string]any", nil, is1(isStats), func(h *model.Hooks) { h.Stats = true }},
}

func authSignature(name string) string {
	return name + "(context.Context, *http.Request, pinned.Caller) error"
}

var authParams = []func(types.Type) bool{
	isContext,
	func(t types.Type) bool { return isPointer(t, "net/http", "Request") },
	func(t types.Type) bool { return is(t, pinnedPath, "Caller") },
}

func is1(f func(types.Type) bool) []func(types.Type) bool { return []func(types.Type) bool{f} }

func isContext(t types.Type) bool { return is(t, "context", "Context") }

func isBool(t types.Type) bool { return types.Identical(types.Unalias(t), types.Typ[types.Bool]) }

func isStats(t types.Type) bool {
	m, ok := types.Unalias(t).(*types.Map)
	if !ok || !types.Identical(types.Unalias(m.Key()), types.Typ[types.String]) {
		return false
	}
	i, ok := types.Unalias(m.Elem()).(*types.Interface)
	return ok && i.Empty()
}

// hooks finds the hooks of o, promoted ones too, and refuses a method that has a
// hook's name and another signature.
func (c *checker) hooks(o *model.Object, d *directive.Directive) {
	for _, h := range hookTable {
		fn := c.method(o, h.name)
		if fn == nil {
			continue
		}
		if matches(fn, h.params, h.results) {
			if fn.Pkg() == c.pkg.Types && !hasPointerReceiver(fn) {
				c.report(hookReceiver(c.methodPos(fn, d), len(h.name), h.name))
			}
			h.set(&o.Hooks)
			continue
		}
		if c.invalidSignature(fn) {
			continue
		}
		c.report(wrongHook(c.methodPos(fn, d), len(h.name), h.name, h.signature))
	}
}

// method finds a method of *o by name, promoted ones too, but Object's own.
func (c *checker) method(o *model.Object, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(o.Type), true, c.pkg.Types, name)
	fn, _ := obj.(*types.Func)
	if fn == nil {
		return nil
	}
	if recv := fn.Signature().Recv(); recv != nil && named(recv.Type()) != nil && is(named(recv.Type()), pinnedPath, "Object") {
		return nil
	}
	return fn
}

// hasPointerReceiver says whether a method's receiver is a pointer.
func hasPointerReceiver(fn *types.Func) bool {
	_, ok := types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer)
	return ok
}

// methodPos is a method's place, or that of d where the method is another package's.
func (c *checker) methodPos(fn *types.Func, d *directive.Directive) token.Position {
	if fn.Pkg() == c.pkg.Types && fn.Pos().IsValid() {
		return c.at(fn.Pos())
	}
	return c.at(d.Pos)
}

// matches compares a signature with what it has to be.
func matches(fn *types.Func, params, results []func(types.Type) bool) bool {
	sig := fn.Signature()
	if sig.Variadic() || sig.Params().Len() != len(params) || sig.Results().Len() != len(results) {
		return false
	}
	for i, ok := range params {
		if !ok(sig.Params().At(i).Type()) {
			return false
		}
	}
	for i, ok := range results {
		if !ok(sig.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

// docLines are the lines of a comment that are prose: no directives, no "//".
func docLines(doc *ast.CommentGroup) []string {
	if doc == nil {
		return nil
	}
	text := strings.TrimRight(doc.Text(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// namespaces refuses one that two objects of a module share.
func (r *run) namespaces() {
	first := map[[2]string]*model.Object{}
	for _, c := range r.checkers {
		for _, d := range c.pkg.Directives {
			if d.Verb != "object" || d.Bad || c.objects[d.Type.Name.Name] == nil {
				continue
			}
			o := c.objects[d.Type.Name.Name]
			key := [2]string{c.pkg.Module, o.Namespace}
			if had := first[key]; had != nil {
				if had != o {
					ns := d.Arg("namespace")
					r.report(namespaceTwice(r.at(ns.Pos), len(ns.Text), o.Namespace, had).
						With(had.Pos, "%s has it", had.Name))
				}
				continue
			}
			first[key] = o
		}
	}
}
