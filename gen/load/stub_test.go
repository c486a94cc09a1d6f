package load

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

// api writes what each of the names means to other code: its type, and of a type the
// exported methods and what it is made of, unexported fields apart.
func api(pkg *types.Package, names []string) map[string]string {
	qualify := func(p *types.Package) string { return p.Path() }
	out := map[string]string{}
	for _, name := range names {
		obj := pkg.Scope().Lookup(name)
		if obj == nil || !obj.Exported() { // which export data doesn't have
			continue
		}
		t, ok := obj.Type().(*types.Named)
		if _, isType := obj.(*types.TypeName); !ok || !isType {
			out[name] = types.TypeString(unnamed(obj.Type()), qualify)
			continue
		}
		set := types.NewMethodSet(types.NewPointer(t))
		if types.IsInterface(t) {
			set = types.NewMethodSet(t)
		}
		for sel := range set.Methods() {
			if sel.Obj().Exported() {
				out[name+"."+sel.Obj().Name()] = types.TypeString(unnamed(sel.Type()), qualify)
			}
		}
		if st, ok := t.Underlying().(*types.Struct); ok {
			for f := range st.Fields() {
				if f.Exported() {
					out[name+" has "+f.Name()] = types.TypeString(unnamed(f.Type()), qualify)
				}
			}
		}
	}
	return out
}

// unnamed takes the parameters' names away from a signature.
func unnamed(t types.Type) types.Type {
	sig, ok := t.(*types.Signature)
	if !ok {
		return t
	}
	strip := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(0, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, strip(sig.Params()), strip(sig.Results()), sig.Variadic())
}

// The sample has a route of every kind, and the cases have tray types and alarms; their
// outputs are committed.
func TestStubsDeclareWhatOutputsDo(t *testing.T) {
	for name, tc := range map[string]struct {
		dir   string
		types []string // with generated methods
		least int
	}{
		"routes": {"../../internal/sample", nil, 4 * 17},
		"trays":  {"../../testdata/golden/durable_trays/letters", []string{"Mail", "Post"}, 2*2 + 2*2},
		"alarms": {"../../testdata/golden/durable_naming", []string{"Room", "Mail"}, 3*2 + 2 + 2},
	} {
		t.Run(name, func(t *testing.T) { declaresTheSame(t, tc.dir, tc.types, tc.least) })
	}
}

func declaresTheSame(t *testing.T, dir string, typeNames []string, least int) {
	t.Helper()
	cfg := Config{Dir: dir, Env: os.Environ()}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadTypes, Dir: dir}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded[0].Errors) > 0 {
		t.Fatal(loaded[0].Errors)
	}
	s, u := alone(t, dir)
	u.whole = true
	foreign, err := exported(t.Context(), cfg, s, []*unit{u}, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.addStub(s.fset); err != nil {
		t.Fatal(err)
	}
	u.check(s.fset, newBuild(cfg), foreign.find)
	for _, e := range u.errors {
		if !e.Soft { // an import that only bodies use
			t.Errorf("the stub: %v", e)
		}
	}
	names := append(u.f.generated(), typeNames...)
	want, got := api(loaded[0].Types, names), api(u.types, names)
	if len(want) < least || len(want) < len(names) {
		t.Fatalf("the output declares only %d of them", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// alone reads one package as a unit.
func alone(t *testing.T, dir string) (*sources, *unit) {
	t.Helper()
	w, err := findWorkspace(absolute(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSources(w)
	if err := s.read([]string{absolute(t, dir)}); err != nil {
		t.Fatal(err)
	}
	if err := s.complete(); err != nil {
		t.Fatal(err)
	}
	units, err := s.units()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(units, func(u *unit) bool { return u.f.dir == absolute(t, dir) })
	if i < 0 {
		t.Fatal("the sample is no unit")
	}
	return s, units[i]
}

func absolute(t *testing.T, dir string) string {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(wd, dir)
}
