package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// client writes Client, what makes one, and its methods.
func (f *file) client(objects []*model.Object) {
	f.add([]string{"Client reaches the objects of this package."},
		jen.Type().Id("Client").Struct(f.pinned("Target")))

	client := func(target jen.Code) jen.Code { return jen.Return(jen.Id("Client").Values(target)) }
	f.add([]string{
		"NewClient calls through the worker or the pinboard at base. A bad base is the",
		"error of the first call.",
	}, jen.Func().Id("NewClient").Params(
		jen.Id("base").String(), jen.Id("options").Op("...").Add(f.pinned("ClientOption")),
	).Id("Client").Block(client(f.runtime("Dial").Call(jen.Id("base"), jen.Id("options").Op("...")))))

	f.add([]string{"InProcess calls the objects on w without a socket."},
		jen.Func().Id("InProcess").Params(jen.Id("w").Op("*").Add(f.runtime("Worker"))).Id("Client").
			Block(client(f.runtime("InProcess").Call(jen.Id("w")))))

	f.add([]string{"From calls as the object r does, through its host."},
		jen.Func().Id("From").Params(jen.Id("r").Add(f.pinned("Hosted"))).Id("Client").
			Block(client(f.runtime("From").Call(jen.Id("r"), jen.Lit(f.pkg.Path)))))

	f.fakes(objects, client)
	for _, o := range objects {
		f.pick(o)
	}
}

// fakes writes what a client for tests is made of.
func (f *file) fakes(objects []*model.Object, client func(jen.Code) jen.Code) {
	var fields []jen.Code
	for _, o := range objects {
		names := f.names.objects[o]
		fields = append(fields, jen.Id(o.Name).Func().Params(jen.Id("id").String()).Id(names.calls))
	}
	f.add([]string{"Fakes are what a fake client answers with: a func for each object."},
		jen.Type().Id("Fakes").Struct(fields...))
	f.add([]string{"NewFake answers every call from fakes."},
		jen.Func().Id("NewFake").Params(jen.Id("fakes").Id("Fakes")).Id("Client").
			Block(client(f.runtime("Fake").Call(jen.Lit(f.pkg.Path), jen.Id("fakes")))))
}

// pick writes the method of Client that picks one object by its id.
func (f *file) pick(o *model.Object) {
	names := f.names.objects[o]
	target := jen.Id("c").Dot("Target")
	f.add([]string{o.Name + " is the " + o.Name + " of that id."},
		jen.Func().Params(jen.Id("c").Id("Client")).Id(o.Name).Params(jen.Id("id").String()).Id(names.calls).Block(
			jen.If(
				jen.List(jen.Id("fakes"), jen.Id("ok")).Op(":=").
					Add(f.runtime("Faked")).Index(jen.Id("Fakes")).Call(target.Clone()),
				jen.Id("ok"),
			).Block(
				jen.If(jen.Id("fakes").Dot(o.Name).Op("==").Nil()).
					Block(jen.Return(jen.Op("&").Id(names.fake).Values())),
				jen.Return(jen.Id("fakes").Dot(o.Name).Call(jen.Id("id"))),
			),
			jen.Return(jen.Id(names.ref).Values(f.runtime("NewRef").Call(
				target, jen.Lit(o.Namespace), jen.Id("id"), jen.Id("PinnedErrors")))),
		))
}
