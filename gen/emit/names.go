package emit

import (
	"go/token"
	"go/types"
	"regexp"
	"strconv"

	"github.com/pinned-go/pinned/gen/internal/casing"
	"github.com/pinned-go/pinned/gen/model"
)

// names are the package-scope names of an output. The exported ones follow from
// the objects' and check has found them free; the unexported ones give way to
// whatever the author has.
type names struct {
	declared map[string]bool // by hand-written code at package scope
	taken    map[string]bool // all that a package-scope name of ours can't be
	own      []string        // the output's at package scope
	twice    []string        // those of own that were taken

	fingerprint string
	objects     map[*model.Object]*objectNames
	trays       map[*model.Tray]*trayNames
}

// trayNames are what is generated for one tray type.
type trayNames struct{ migrate, bind string }

// objectNames are what is generated for one object.
type objectNames struct {
	setup, calls, ref, fake string
	class, match            string
	bind                    string            // "" for an object that keeps nothing
	serve                   []string          // by route
	funcField               map[string]string // of the fake, by method
}

func newNames(p *model.Package) *names {
	n := &names{declared: map[string]bool{}, taken: map[string]bool{}, objects: map[*model.Object]*objectNames{}, trays: map[*model.Tray]*trayNames{}}
	for name := range p.Names {
		n.taken[name] = true
		// What a file of the author's imports is in that file's scope only.
		if p.Types == nil || p.Types.Scope().Lookup(name) != nil {
			n.declared[name] = true
		}
	}

	n.exported("PinnedErrors")
	if len(p.Objects) > 0 {
		n.exported("Register")
	}
	for _, o := range p.Objects {
		n.objects[o] = &objectNames{setup: n.exported("Setup" + o.Name)}
	}
	for _, t := range p.Trays {
		n.exported(t.Class())
		n.trays[t] = &trayNames{migrate: n.exported(t.Migrate())}
	}
	n.clientNames(clients(p))

	n.fingerprint = n.pick("_pinnedFingerprint")
	for _, o := range p.Objects {
		n.serving(o)
	}
	for _, t := range p.Trays {
		n.trays[t].bind = n.pick("bind" + casing.First(t.Name))
	}
	return n
}

// clientNames are those of the client that the output holds, if any.
func (n *names) clientNames(objects []*model.Object) {
	if len(objects) == 0 {
		return
	}
	for _, name := range []string{"Client", "NewClient", "InProcess", "From", "Fakes", "NewFake"} {
		n.exported(name)
	}
	for _, o := range objects {
		names := n.objects[o]
		if names == nil {
			names = &objectNames{}
			n.objects[o] = names
		}
		names.calls = n.exported(o.Name + "Calls")
		names.ref = n.exported(o.Name + "Ref")
		names.fake = n.exported("Fake" + o.Name)
		names.funcField = funcFields(o)
	}
}

func (n *names) serving(o *model.Object) {
	names := n.objects[o]
	names.class = n.pick(casing.Lower(o.Name) + "Class")
	names.match = n.pick("match" + o.Name)
	if binds(o) {
		names.bind = n.pick("bind" + o.Name)
	}
	shared := map[string]string{}
	for _, r := range o.Routes {
		key := serveKey(r)
		if shared[key] == "" {
			shared[key] = n.pick("serve" + o.Name + r.Func)
		}
		names.serve = append(names.serve, shared[key])
	}
}

// exported takes a name that has no choice.
func (n *names) exported(name string) string {
	if n.taken[name] {
		n.twice = append(n.twice, name)
	}
	n.taken[name] = true
	n.own = append(n.own, name)
	return name
}

// pick takes the first name of the series name, name2, name3, … that is free.
func (n *names) pick(name string) string {
	name = pick(func(s string) bool { return n.taken[s] }, name)
	n.taken[name] = true
	n.own = append(n.own, name)
	return name
}

// funcFields names the fields of an object's fake: the method's name and Func,
// unless a method is called that.
func funcFields(o *model.Object) map[string]string {
	taken, fields := map[string]bool{}, map[string]string{}
	for _, r := range o.Routes {
		taken[r.Func] = true
	}
	for _, r := range o.Routes {
		if fields[r.Func] == "" {
			field := pick(func(s string) bool { return taken[s] }, r.Func+"Func", r.Func+"Stub")
			taken[field] = true
			fields[r.Func] = field
		}
	}
	return fields
}

// locals gives the names inside of one function.
type locals map[string]bool

// newLocals begins with what the function's body refers to.
func newLocals(uses ...string) locals {
	l := locals{}
	for _, name := range uses {
		l[name] = true
	}
	return l
}

// pick takes the first of names that is free, or the first of name2, name3, ….
func (l locals) pick(names ...string) string {
	name := pick(func(s string) bool { return l[s] }, names...)
	l[name] = true
	return name
}

func pick(taken func(string) bool, names ...string) string {
	for _, name := range names {
		if usable(name) && !taken(name) {
			return name
		}
	}
	base := "v"
	for _, name := range names {
		if usable(name+"2") && name != "_" {
			base = name
			break
		}
	}
	for i := 2; ; i++ {
		if name := base + strconv.Itoa(i); !taken(name) {
			return name
		}
	}
}

// usable says whether a name can be declared and referred to.
func usable(name string) bool { return token.IsIdentifier(name) && name != "_" }

var identifier = regexp.MustCompile(`[\pL_][\pL\p{Nd}_]*`)

// identifiers are the words of types as they are written: what a function that
// names these types must not declare.
func identifiers(ts ...types.Type) []string {
	var words []string
	for _, t := range ts {
		if t != nil {
			words = append(words, identifier.FindAllString(types.TypeString(t, func(p *types.Package) string { return "" }), -1)...)
		}
	}
	return words
}
