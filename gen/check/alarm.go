package check

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/internal/casing"
	"github.com/pinned-go/pinned/gen/model"
)

// alarm checks a method with //pinned:alarm.
func (c *checker) alarm(d *directive.Directive) {
	o, fn := c.objectMethod(d)
	if fn == nil {
		return
	}
	arg := d.Arg("name")
	a := &model.Alarm{
		Name: arg.Text, Schedule: "Schedule" + casing.Upper(arg.Text), Method: fn.Name(), Doc: docLines(d.Func.Doc), Pos: c.at(d.Pos),
	}
	for _, had := range o.Alarms {
		if had.Name == a.Name {
			c.report(alarmTwice(c.at(arg.Pos), len(arg.Text), a.Name, had.Method).With(had.Pos, "the first"))
			return
		}
	}
	s := &signature{checker: c, d: d, fn: fn}
	if s.invalid() {
		return
	}
	if !c.alarmParams(a, s) {
		c.report(wrongAlarm(c.at(d.Func.Name.Pos()), len(fn.Name()), fn.Name()))
	}
	o.Alarms = append(o.Alarms, a)
}

// alarmParams reads the signature of an alarm's method, and says whether it is one.
func (c *checker) alarmParams(a *model.Alarm, s *signature) bool {
	sig := s.fn.Signature()
	params := s.written(s.d.Func.Type.Params, sig.Params())
	if sig.Variadic() || len(params) < 2 || !isContext(params[0].typ) || sig.Results().Len() != 1 || !isError(sig.Results().At(0).Type()) {
		return false
	}
	rest := params[1:]
	if is(rest[0].typ, pinnedPath, "Alarm") {
		a.Info = true
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return true
	}
	p := rest[0]
	if len(rest) > 1 || isContext(p.typ) || isPointer(p.typ, pinnedPath, "Alarm") || is(p.typ, pinnedPath, "Alarm") {
		return false
	}
	pos, width := c.node(p.expr)
	c.encodableWhole(pos, width, p.typ)
	a.Payload = p.typ
	return true
}

// generatedMethods refuses methods of the output that are taken: those of inboxes and
// alarms.
func (c *checker) generatedMethods() {
	for _, d := range c.pkg.Directives {
		if d.Bad || d.Func == nil {
			continue
		}
		arg := d.Arg("name")
		pos, width := c.at(arg.Pos), len(arg.Text)
		switch d.Verb {
		case "inbox":
			if t := c.trayReceiver(receiverName(d.Func)); t != nil {
				c.inboxNames(t, d, pos, width)
			}
		case "alarm":
			id, _, _ := receiverOf(d.Func)
			o := c.receiver(id)
			if o == nil {
				continue
			}
			i := slices.IndexFunc(o.Alarms, func(a *model.Alarm) bool { return a.Pos == c.at(d.Pos) })
			if i < 0 {
				continue
			}
			a := o.Alarms[i]
			c.methodFree(o.Type, a.Schedule, pos, width)
			for _, had := range o.Alarms[:i] {
				if had.Schedule == a.Schedule {
					c.report(methodGeneratedTwice(pos, width, a.Schedule, "alarm "+had.Name).With(had.Pos, "the first"))
				}
			}
		}
	}
}

func (c *checker) inboxNames(t *model.Tray, d *directive.Directive, pos token.Position, width int) {
	i := slices.IndexFunc(t.Inboxes, func(in *model.Inbox) bool { return in.Pos == c.at(d.Pos) })
	if i < 0 {
		return
	}
	for _, name := range keyed(t.Inboxes[i]) {
		if slices.Contains(reservedInTrays, name) {
			c.report(inboxHides(pos, width, name))
			continue
		}
		c.methodFree(t.Type, name, pos, width)
		for _, had := range t.Inboxes[:i] {
			if slices.Contains(keyed(had), name) {
				c.report(methodGeneratedTwice(pos, width, name, "inbox "+had.Name).With(had.Pos, "the first"))
				return
			}
		}
	}
}

// keyed are the methods that are generated for an inbox.
func keyed(in *model.Inbox) []string { return []string{in.Name, in.Name + "As"} }

// methodFree refuses a generated method of a type that has a field or a method of the
// name, promoted ones too.
func (c *checker) methodFree(typ *types.Named, name string, pos token.Position, width int) {
	obj := c.member(typ, name)
	if obj == nil {
		return
	}
	what := "a method"
	if _, ok := obj.(*types.Var); ok {
		what = "a field"
	}
	d := methodTaken(pos, width, name, what)
	if obj.Pkg() == c.pkg.Types {
		d = d.With(c.at(obj.Pos()), "it is here")
	}
	c.report(d)
}

// member finds a field or a method that a type has without what is generated for it.
func (c *checker) member(typ *types.Named, name string) types.Object {
	if m := c.declaredMethod(typ, name); m != nil && !c.generatedHere(m) {
		return m
	}
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range st.Fields() {
		if f.Name() == name {
			return f
		}
		if !f.Embedded() {
			continue
		}
		if obj, _, _ := types.LookupFieldOrMethod(f.Type(), true, c.pkg.Types, name); obj != nil && !c.generatedHere(obj) {
			return obj
		}
	}
	return nil
}

// ungated refuses the option where it has no effect.
func (c *checker) ungated() {
	for _, d := range c.pkg.Directives {
		option, ok := d.Option("ungated")
		if !ok || d.Bad || d.Func == nil {
			continue
		}
		id, _, _ := receiverOf(d.Func)
		o := c.receiver(id)
		if o == nil || len(o.Alarms) > 0 || slices.ContainsFunc(o.Durable, func(f *model.Durable) bool { return f.Kind != model.Feed }) {
			continue
		}
		c.report(ungatedNothing(c.at(option.Pos), o.Name))
	}
}
