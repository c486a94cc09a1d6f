package directive

import "testing"

func TestVerbsSayWhatTheyTake(t *testing.T) {
	for _, v := range Verbs() {
		if v.Short == "" || v.Doc == "" || len(v.Example) == 0 || len(v.Targets) == 0 {
			t.Errorf("%s: help has a hole", v.Name)
		}
		for _, p := range append(v.Args, v.Options...) {
			if p.Doc == "" {
				t.Errorf("%s: %s has no doc", v.Name, p.Name)
			}
		}
		if Lookup(v.Name) != v {
			t.Errorf("%s isn't found", v.Name)
		}
	}
	want := "//pinned:object <namespace> [env=name] [client=./dir]"
	if got := Lookup("object").Usage(); got != want {
		t.Errorf("usage: %s", got)
	}
}
