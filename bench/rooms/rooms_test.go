package rooms

import (
	"testing"
	"unsafe"

	"github.com/pinned-go/pinned"
)

func TestRoomHas64BytesOfItsOwn(t *testing.T) {
	if size := unsafe.Sizeof(Room{}) - unsafe.Sizeof(pinned.Object{}); size != 64 {
		t.Errorf("it has %d", size)
	}
}
