package gen

import (
	"errors"
	"testing"

	"github.com/pinned-go/pinned/gen/model"
)

func TestOutputThatIsNoGoIsABugOfOurs(t *testing.T) {
	d := bug(&model.Package{Dir: "/m/rooms"}, errors.New("3:1: expected declaration\nand the whole source"))
	want := "/m/rooms/pinned_gen.go: bug in pinnedgen, please report it with this package; the file is left as it is: 3:1: expected declaration [PIN000]"
	if got := d.String(); got != want {
		t.Errorf("it is reported as\n%s, not\n%s", got, want)
	}
}
