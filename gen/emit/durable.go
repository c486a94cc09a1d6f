package emit

import (
	"fmt"
	"go/types"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// binds says whether an object keeps something that is bound.
func binds(o *model.Object) bool {
	for _, d := range o.Durable {
		if d.Kind != model.Feed || len(o.Alarms) > 0 {
			return true
		}
	}
	return false
}

// bind writes the function that binds the durable fields of a type to their rows.
func (f *file) bind(name, typ string, durable []*model.Durable) {
	taken := f.imports.taken()
	for _, d := range durable {
		taken = append(taken, d.TrayClass)
	}
	l := newLocals(append(taken, typ)...)
	recv, binder := l.pick(strings.ToLower(typ[:1]), "v"), l.pick("b", "binder")
	if len(durable) == 0 {
		recv, binder = "_", "_"
	}
	f.add([]string{name + " binds what " + article(typ) + " keeps to its rows."},
		jen.Func().Id(name).Params(jen.Id(recv).Op("*").Id(typ), jen.Id(binder).Op("*").Add(f.runtime("Binder"))).
			BlockFunc(func(g *jen.Group) {
				for _, d := range durable {
					g.Add(f.bindOne(d, recv, binder))
				}
			}))
}

// bindOne binds a field.
func (f *file) bindOne(d *model.Durable, recv, binder string) jen.Code {
	field := jen.Op("&").Id(recv).Dot(strings.Join(d.Path, "."))
	switch d.Kind {
	case model.Feed:
		return jen.Id(binder).Dot("Feed").Call(field)
	case model.Jobs:
		return f.runtime("BindJobs").Call(
			jen.Id(binder), field, jen.Lit(d.Name), f.runtime("TrayOptions").Values(), jen.Id(recv).Dot(d.Handle))
	case model.TrayOf, model.TraysOf:
		bind := "BindTray"
		if d.Kind == model.TraysOf {
			bind = "BindTrays"
		}
		return f.runtime(bind).Call(
			jen.Id(binder), field, jen.Lit(d.Name), f.from(d.Tray.Path, d.Tray.Name, d.TrayClass).Call(), jen.Id(recv).Dot(d.Handle))
	}
	if d.Default != "" {
		return jen.Id(binder).Dot("Default").Call(jen.Lit(d.Name), field, text(d.Default))
	}
	return jen.Id(binder).Dot("Field").Call(jen.Lit(d.Name), field)
}

// text is a string in backquotes, where that reads better and is the same.
func text(s string) jen.Code {
	if strings.Contains(s, `"`) && !strings.ContainsAny(s, "`\r\n\t\uFEFF") {
		return jen.Id("`" + s + "`")
	}
	return jen.Lit(s)
}

// tray writes what is generated for a tray type: its description, the option that
// migrates it, and its inboxes.
func (f *file) tray(t *model.Tray) {
	names := f.names.trays[t]
	l := newLocals(append(f.imports.taken(), append(identifiers(t.Item), t.Name)...)...)
	recv := l.pick(strings.ToLower(t.Name[:1]), "v")
	var options []jen.Code
	option := func(name string, value jen.Code) { options = append(options, jen.Id(name), value) }
	if t.Version != 0 {
		option("Version", jen.Lit(t.Version))
	}
	if t.Attempts != 0 {
		option("Attempts", jen.Lit(t.Attempts))
	}
	if t.Timeout != 0 {
		option("Timeout", f.duration(t.Timeout))
	}
	if t.Open {
		option("Open", jen.True())
	}
	if t.Drain {
		option("Drain", jen.True())
	}
	var fields []jen.Code
	if len(options) > 0 {
		fields = append(fields, jen.Id("TrayOptions"), f.runtime("TrayOptions").Values(pairs(options...)...))
	}
	fields = append(
		fields,
		jen.Id("Name"), jen.Lit(t.Name),
		jen.Id("Base"), jen.Func().Params(jen.Id(recv).Op("*").Id(t.Name)).Op("*").Add(f.pinned("Tray")).
			Op("{").Return(jen.Op("&").Id(recv).Dot(strings.Join(t.Base, "."))).Op("}"),
		jen.Id("Durable"), jen.Id(names.bind),
		jen.Id("Items"), jen.Parens(jen.Op("*").Id(t.Name)).Dot("Items"),
	)
	class := f.runtime("TrayClass").Index(jen.List(jen.Id(t.Name), f.typ(t.Item)))
	f.add([]string{
		t.Class() + " describes " + t.Name + " to the runtime, for the objects of any package that",
		"have it in a field.",
	}, jen.Func().Id(t.Class()).Params().Add(class.Clone()).Block(
		jen.Return(class.Clone().Add(lines(pairs(fields...)...)))))
	f.bind(names.bind, t.Name, t.Durable)

	f.add([]string{
		names.migrate + " makes an option of Register: f makes the document of a " + t.Name + " whose",
		"version is from that of the next version. Without it such a row begins blank.",
	}, jen.Func().Id(names.migrate).Params(jen.Id("from").Int(), jen.Id("f").Add(f.runtime("Migration"))).
		Add(f.runtime("RegisterOption")).
		Block(jen.Return(f.runtime("Migrate").Index(jen.Id(t.Name)).Call(jen.Id("from"), jen.Id("f")))))

	for _, in := range t.Inboxes {
		f.inbox(t, in)
	}
}

// duration writes a time in the largest unit that it is a multiple of.
func (f *file) duration(d time.Duration) jen.Code {
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{
		{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
		{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"},
	} {
		if d%unit.d == 0 {
			return jen.Id(fmt.Sprint(int64(d / unit.d))).Op("*").Add(f.from("time", "time", unit.name))
		}
	}
	return jen.Id(fmt.Sprint(int64(d))).Op("*").Add(f.from("time", "time", "Nanosecond"))
}

// inbox writes the two methods of an inbox.
func (f *file) inbox(t *model.Tray, in *model.Inbox) {
	words := append(f.imports.taken(), t.Name, "string")
	for _, p := range in.Params {
		words = append(words, identifiers(p.Type)...)
	}
	l := newLocals(words...)
	var params, args []jen.Code
	for i, p := range in.Params {
		name := l.pick(p.Name, "v")
		typ := f.typ(p.Type)
		arg := jen.Id(name)
		if in.Variadic && i == len(in.Params)-1 {
			typ = jen.Op("...").Add(f.typ(element(p.Type)))
			arg = arg.Op("...")
		}
		params, args = append(params, jen.Id(name).Add(typ)), append(args, arg)
	}
	key := l.pick("key", "admissionKey")
	recv := l.pick(strings.ToLower(t.Name[:1]), "t", "tray")
	method := func(name string, params []jen.Code, result, admit string, first ...jen.Code) jen.Code {
		base := jen.Op("&").Id(recv).Dot(strings.Join(t.Base, "."))
		return jen.Func().Params(jen.Id(recv).Op("*").Id(t.Name)).Id(name).Params(params...).Add(f.pinned(result)).Block(
			jen.Return(f.runtime(admit).Call(append(append([]jen.Code{base}, first...),
				jen.Func().Params().Op("{").Id(recv).Dot(in.Method).Call(args...).Op("}"))...)))
	}
	doc := []string{in.Name + " admits by " + in.Method + ": all that it writes, or nothing."}
	if len(in.Doc) > 0 {
		doc = append(append(doc, ""), in.Doc...)
	}
	f.add(doc, method(in.Name, params, "Receipt", "Admit"))
	f.add([]string{
		in.Name + "As is " + in.Name + " for Admit of a *pinned.Dispatch, which admits once for each key.",
	}, method(in.Name+"As", append([]jen.Code{jen.Id(key).String()}, params...), "Admission", "AdmitAs", jen.Id(key)))
}

// alarms writes the methods that set an object's alarms.
func (f *file) alarms(o *model.Object) {
	for _, a := range o.Alarms {
		words := append(f.imports.taken(), o.Name)
		if a.Payload != nil {
			words = append(words, identifiers(a.Payload)...)
		}
		l := newLocals(words...)
		recv, when := l.pick(strings.ToLower(o.Name[:1]), "object"), l.pick("when")
		params := []jen.Code{jen.Id(when).Add(f.pinned("When"))}
		args := []jen.Code{jen.Lit(a.Name), jen.Id(when)}
		if a.Payload != nil {
			payload := l.pick("payload")
			params = append(params, jen.Id(payload).Add(f.typ(a.Payload)))
			args = append(args, jen.Id(payload))
		}
		f.add([]string{
			a.Schedule + " sets the alarm " + a.Name + ", or replaces it: " + a.Method + " runs then.",
		}, jen.Func().Params(jen.Id(recv).Op("*").Id(o.Name)).Id(a.Schedule).Params(params...).Add(f.pinned("Receipt")).Block(
			jen.Return(jen.Id(recv).Dot(strings.Join(o.Base, ".")).Dot("SetAlarm").Call(args...))))
	}
}

// alarmRow is an entry of Class.Alarms.
func (f *file) alarmRow(o *model.Object, a *model.Alarm) jen.Code {
	if a.Payload == nil {
		return jen.Values(pairs(jen.Id("Name"), jen.Lit(a.Name), jen.Id("Run"), f.method(o, a.Method))...)
	}
	l := newLocals(append(append(f.imports.taken(), identifiers(a.Payload)...), o.Name, "error", "nil")...)
	recv, ctx := l.pick(strings.ToLower(o.Name[:1]), "object"), l.pick("ctx")
	alarm, payload, err := l.pick("a", "alarm"), l.pick("payload"), l.pick("err")
	args := []jen.Code{jen.Id(ctx)}
	if a.Info {
		args = append(args, jen.Id(alarm))
	}
	run := jen.Func().Params(
		jen.Id(recv).Op("*").Id(o.Name), jen.Id(ctx).Add(f.context()), jen.Id(alarm).Add(f.pinned("Alarm")),
	).Error().Block(
		jen.List(jen.Id(payload), jen.Id(err)).Op(":=").Add(f.runtime("AlarmPayload")).Index(f.typ(a.Payload)).Call(jen.Id(alarm)),
		jen.If(jen.Id(err).Op("!=").Nil()).Block(jen.Return(jen.Id(err))),
		jen.Return(jen.Id(recv).Dot(a.Method).Call(append(args, jen.Id(payload))...)),
	)
	return jen.Values(pairs(jen.Id("Name"), jen.Lit(a.Name), jen.Id("Run"), run)...)
}

// element is the type of a variadic parameter's arguments.
func element(t types.Type) types.Type {
	if s, ok := types.Unalias(t).(*types.Slice); ok {
		return s.Elem()
	}
	return t
}
