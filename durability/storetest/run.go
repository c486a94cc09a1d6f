package storetest

import (
	"testing"

	"github.com/pinned-go/pinned/durability"
)

// check is one part of the contract.
type check struct {
	name string
	run  func(t *tester)
}

// checks are all parts. Those of what a store can do beside durability.StateStore skip
// themselves with one that can't.
var checks = []check{
	{"fence/writes", fenceOfWrites},
	{"fence/reads", fenceOfReads},
	{"fence/batches of several instances", fenceOfMany},
	{"fence/negative epochs", negativeEpochs},
	{"fence/adopt", adopting},
	{"fence/two owners at once", twoOwners},
	{"rows/put, get, delete", rows},
	{"rows/marks and places", marksAndPlaces},
	{"rows/copies", copies},
	{"rows/names", names},
	{"rows/names that no store holds", badNames},
	{"rows/reopened", reopened},
	{"documents/equal or rejected", documents},
	{"documents/no object", noObjects},
	{"batches/order", order},
	{"batches/twice", twice},
	{"batches/atomic", atomicBatches},
	{"batches/of several instances", manyInstances},
	{"batches/at once", manyAtOnce},
	{"list/filters", filters},
	{"list/pages", pages},
	{"context/ended before", endedBefore},
	{"context/ended within", endedWithin},
	{"context/ended after", endedAfter},
	{"closed", closedStore},
	{"sweep/marked rows", sweepMarked},
	{"sweep/due alarms", sweepDue},
	{"sweep/stored epochs", sweepEpochs},
	{"hold", holding},
	{"any operations", anyOperations},
}

// Run runs the suite over a store, each part as a subtest that begins with no rows: empty
// makes such a place for rows, and what it returns opens a store on it. A second call of
// that is what another process would open: it must see the rows of the first, and be a
// store of its own where rows outlive their store. empty closes by t.Cleanup what is
// opened; a store with a method Close() error is closed by the suite too.
//
// What must hold is said by the interfaces of package durability. Of the optional ones,
// durability.Batcher, MultiBatcher, Sweepable and Exclusive, those that the store
// implements are tested.
func Run(t *testing.T, empty func(t testing.TB) (open func() durability.StateStore)) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.do(t, empty(t)) })
	}
}

func (c check) do(t testing.TB, open func() durability.StateStore) {
	t.Helper()
	c.run(&tester{TB: t, store: open(), open: open, model: map[durability.Key]*instance{}})
}
