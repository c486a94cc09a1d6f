// Package fault plants faults in the code, for the tests that must catch them. They
// are built in with the build tag chaos only, and none acts unless it is chosen.
package fault

// Fault is a planted fault.
type Fault string

// The faults, each where its name says.
const (
	AckBeforeCommit   Fault = "ack before commit"    // a write counts as durable when it is taken
	SegmentSplit      Fault = "segment split"        // a batch ends within a segment
	FirstWriteWins    Fault = "first write wins"     // a row is collapsed to its first state
	FenceDropped      Fault = "fence dropped"        // a store takes writes of any epoch
	ReadsUnfenced     Fault = "reads unfenced"       // a store's reads neither check nor advance the epoch
	AdoptAnyway       Fault = "adopt anyway"         // an epoch is adopted whatever is stored
	MarkAfterAppend   Fault = "mark after append"    // a row is marked when its work begins
	UnmarkWhenParked  Fault = "unmark when parked"   // a parked row rests unmarked
	TakeCommitted     Fault = "take committed early" // what is taken is gone from the row
	CountForgotten    Fault = "count forgotten"      // a delivery isn't counted
	KeyForgotten      Fault = "key forgotten"        // a target doesn't remember a key
	RecordForgotten   Fault = "record forgotten"     // a source doesn't record an admission
	AlarmGoneAtStart  Fault = "alarm gone at start"  // an alarm is removed when its run begins
	AlarmEarly        Fault = "alarm early"          // an alarm fires a second early
	DeletionForgotten Fault = "deletion forgotten"   // the deletion of a tray isn't in its row
)

// All are all faults.
var All = []Fault{
	AckBeforeCommit, SegmentSplit, FirstWriteWins, FenceDropped, ReadsUnfenced, AdoptAnyway, MarkAfterAppend, UnmarkWhenParked,
	TakeCommitted, CountForgotten, KeyForgotten, RecordForgotten, AlarmGoneAtStart, AlarmEarly, DeletionForgotten,
}
