//go:build chaos

package crash

import (
	"testing"

	"github.com/pinned-go/pinned/internal/fault"
)

// TestPlantedFaultsAreCaught plants one fault after another: a sweep that passes with one
// of them proves nothing.
func TestPlantedFaultsAreCaught(t *testing.T) {
	defer fault.Choose("")
	for _, f := range fault.All {
		t.Run(string(f), func(t *testing.T) {
			fault.Choose(f)
			for seed := range uint64(seeds) {
				for _, single := range []bool{false, true} {
					if _, failed := sweep(seed, single, false); failed != nil {
						t.Logf("caught: %v", failed.Err)
						return
					}
				}
			}
			t.Error("not caught")
		})
	}
}
