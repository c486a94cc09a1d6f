package check

import (
	"testing"

	"github.com/pinned-go/pinned/gen/load"
)

func TestSample(t *testing.T) {
	res, err := load.Load(t.Context(), load.Config{Dir: "../../internal/sample"})
	if err != nil {
		t.Fatal(err)
	}
	ms, ds := Check(res)
	for _, d := range ds {
		t.Log(d)
	}
	for _, m := range ms {
		t.Logf("%+v", m)
		for _, o := range m.Objects {
			t.Logf("%+v", o)
			for _, r := range o.Routes {
				t.Logf("%+v", r)
			}
		}
	}
}
