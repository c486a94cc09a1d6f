package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// assertions hold the file against the author's code: an edit there that needs
// this file anew fails to compile here, under a comment that says what to run.
func (f *file) assertions() {
	for _, o := range f.pkg.Objects {
		if hooks := f.hooks(o); len(hooks) > 0 {
			f.add([]string{"The hooks of " + o.Name + "."}, vars(hooks))
		}

		var methods []jen.Code
		seen := map[string]bool{}
		expect := func(method string) {
			if seen[method] {
				return
			}
			seen[method] = true
			methods = append(methods, jen.Id("_").Add(f.funcType(o.Type, signature(o, method))).Op("=").Add(f.method(o, method)))
		}
		for _, r := range o.Routes {
			expect(r.Func)
		}
		for _, d := range o.Durable {
			if d.Handle != "" {
				expect(d.Handle)
			}
		}
		for _, a := range o.Alarms {
			expect(a.Method)
		}
		if len(methods) > 0 {
			f.add([]string{
				"The methods of " + o.Name + " as this file calls them. If one of these lines doesn't",
				"compile, a signature has changed. Run: " + fix,
			}, vars(methods))
		}
	}
	for _, t := range f.pkg.Trays {
		var methods []jen.Code
		expect := func(method string) {
			methods = append(methods, jen.Id("_").Add(f.funcType(t.Type, methodOf(t.Type, method))).Op("=").
				Parens(jen.Op("*").Id(t.Name)).Dot(method))
		}
		expect("Items")
		for _, in := range t.Inboxes {
			expect(in.Method)
		}
		f.add([]string{
			"The methods of " + t.Name + " as this file calls them. If one of these lines doesn't",
			"compile, a signature has changed. Run: " + fix,
		}, vars(methods))
	}
}

func (f *file) hooks(o *model.Object) []jen.Code {
	var hooks []jen.Code
	for _, h := range []struct {
		has  bool
		name string
	}{
		{o.Hooks.Open, "Opener"},
		{o.Hooks.Close, "Closer"},
		{o.Hooks.Authorize, "Authorizer"},
		{o.Hooks.Idle, "Idler"},
		{o.Hooks.Stats, "Statser"},
	} {
		if h.has {
			hooks = append(hooks, jen.Id("_").Add(f.pinned(h.name)).Op("=").Parens(jen.Op("*").Id(o.Name)).Call(jen.Nil()))
		}
	}
	return hooks
}

// vars declares several variables, or one without the parentheses.
func vars(specs []jen.Code) jen.Code {
	if len(specs) == 1 {
		return jen.Var().Add(specs[0])
	}
	return jen.Var().Defs(specs...)
}

// method is a method expression: (*Room).SetTopic.
func (f *file) method(o *model.Object, name string) *jen.Statement {
	return jen.Parens(jen.Op("*").Id(o.Name)).Dot(name)
}

// register is what main calls.
func (f *file) register() {
	f.add([]string{
		"Register adds the objects of this package to w. A fault, such as a namespace",
		"that is taken, is the error of w.Start.",
	}, jen.Func().Id("Register").Params(
		jen.Id("w").Op("*").Add(f.runtime("Worker")),
		jen.Id("options").Op("...").Add(f.runtime("RegisterOption")),
	).BlockFunc(func(g *jen.Group) {
		for _, o := range f.pkg.Objects {
			g.Add(f.runtime("Register").Call(jen.Id("w"), jen.Id(f.names.objects[o].class).Call(), jen.Id("options").Op("...")))
		}
	}))

	for _, o := range f.pkg.Objects {
		setup := f.names.objects[o].setup
		doc := setup + " makes an option of Register: f runs on every new " + o.Name + " before Open."
		if o.Hooks.Authorize {
			doc = setup + " makes an option of Register: f runs on every new " + o.Name + " before Open,\nand on those that only authorize."
		}
		f.add(strings.Split(doc, "\n"),
			jen.Func().Id(setup).Params(jen.Id("f").Func().Params(jen.Op("*").Id(o.Name))).
				Add(f.runtime("RegisterOption")).
				Block(jen.Return(f.runtime("Setup").Call(jen.Id("f")))))
	}
}

// class is what the runtime knows of an object. A function gives it, since a
// variable that leads to the handlers would be an initialisation cycle as soon
// as one of them leads back to Register.
func (f *file) class(o *model.Object) {
	names := f.names.objects[o]
	fields := []jen.Code{
		jen.Id("Name"), jen.Lit(o.Name),
		jen.Id("Namespace"), jen.Lit(o.Namespace),
	}
	if o.Env != "" {
		fields = append(fields, jen.Id("Env"), jen.Lit(o.Env))
	}
	fields = append(fields,
		jen.Id("Base"), jen.Func().Params(jen.Id("r").Op("*").Id(o.Name)).Op("*").Add(f.pinned("Object")).
			Op("{").Return(jen.Op("&").Id("r").Dot(strings.Join(o.Base, "."))).Op("}"),
		jen.Id("Match"), jen.Id(names.match),
	)

	var routes []jen.Code
	for i, r := range o.Routes {
		routes = append(routes, jen.Values(f.route(o, r, names.serve[i])...))
	}
	list := jen.Index().Add(f.runtime("Route")).Index(jen.Id(o.Name))
	if len(routes) > 0 {
		fields = append(fields, jen.Id("Routes"), list.Add(lines(routes...)))
	}
	if names.bind != "" {
		fields = append(fields, jen.Id("Durable"), jen.Id(names.bind))
	}
	if len(o.Alarms) > 0 {
		var alarms []jen.Code
		for _, a := range o.Alarms {
			alarms = append(alarms, f.alarmRow(o, a))
		}
		fields = append(fields, jen.Id("Alarms"), jen.Index().Add(f.runtime("Alarm")).Index(jen.Id(o.Name)).Add(lines(alarms...)))
	}
	fields = append(fields, jen.Id("Errors"), jen.Id("PinnedErrors"))

	class := f.runtime("Class").Index(jen.Id(o.Name))
	f.add([]string{fmt.Sprintf("%s describes %s to the runtime.", names.class, o.Name)},
		jen.Func().Id(names.class).Params().Add(class.Clone()).Block(
			jen.Return(class.Clone().Add(lines(pairs(fields...)...)))))
}

func (f *file) route(o *model.Object, r *model.Route, serve string) []jen.Code {
	fields := []jen.Code{
		jen.Id("Method"), jen.Lit(r.Method),
		jen.Id("Pattern"), jen.Lit(r.Pattern),
		jen.Id("Func"), jen.Lit(r.Func),
	}
	if r.Limit != 0 {
		fields = append(fields, jen.Id("Limit"), size(r.Limit))
	}
	if r.Concurrent {
		fields = append(fields, jen.Id("Concurrent"), jen.True())
	}
	if r.Ungated {
		fields = append(fields, jen.Id("Ungated"), jen.True())
	}
	switch r.Auth {
	case "":
	case "none":
		fields = append(fields, jen.Id("NoAuth"), jen.True())
	default:
		fields = append(fields, jen.Id("Auth"), f.method(o, r.Auth))
	}
	return pairs(append(fields, jen.Id("Serve"), jen.Id(serve))...)
}

// size writes a number of bytes in the largest unit that it is a multiple of.
func size(n int64) jen.Code {
	for _, shift := range []int{30, 20, 10} {
		if n > 0 && n%(1<<shift) == 0 {
			return jen.Id(fmt.Sprintf("%d << %d", n>>shift, shift))
		}
	}
	return jen.Id(strconv.FormatInt(n, 10))
}
