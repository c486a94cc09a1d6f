package placement

import (
	"errors"
	"fmt"
)

// Row is where an id is. The zero Row is that of an id that nobody has.
type Row struct {
	Session string
	Epoch   int64
	// Was is the epoch that the session reported when the row was made anew for it, after a
	// wipe; 0: it reported none, or the row was claimed. Of two sessions that say that they
	// have an id, the higher keeps it.
	Was int64
	// Why tells an operator how the row came about.
	Why string
}

// Exists reports whether anybody has the id.
func (r Row) Exists() bool { return r.Session != "" }

// MostEpoch is the largest epoch that is ever minted. JSON readers of other languages keep
// whole numbers up to there.
const MostEpoch = 1 << 53

// ErrEpoch is a floor above MostEpoch. Something has spoiled a stored epoch, and nothing may
// be minted above it.
var ErrEpoch = errors.New("an epoch over 2^53 was reported, and none is minted above it")

// Mint is the epoch of a claim: above all that its bucket has minted, and no lower than the
// floor, which is the greatest of the wall clock in milliseconds and what durable stores and
// workers have seen.
func Mint(counter, floor int64) (int64, error) {
	epoch := max(counter+1, floor)
	if epoch > MostEpoch {
		return 0, fmt.Errorf("%w: %d", ErrEpoch, epoch)
	}
	return epoch, nil
}

// Claim asks for a row.
type Claim struct {
	Session string
	// Expect and ExpectEpoch are the row that the claim replaces, as its sender has read it;
	// "" and 0: none. Whoever replaces another session's has seen that it doesn't live.
	Expect      string
	ExpectEpoch int64
	// Keep takes over the row's epoch, instead of minting one. The row must be there.
	Keep  bool
	Floor int64
	Was   int64
	Why   string
}

// Step is a claim of a row whose bucket has minted up to counter. It returns what stands
// there afterwards, the bucket's counter, and whether the claim won.
func Step(row Row, counter int64, c Claim) (after Row, minted int64, won bool, err error) {
	if row.Session != c.Expect || row.Epoch != c.ExpectEpoch || c.Keep && !row.Exists() {
		return row, counter, false, nil
	}
	after = Row{Session: c.Session, Epoch: row.Epoch, Was: c.Was, Why: c.Why}
	if !c.Keep {
		if after.Epoch, err = Mint(counter, c.Floor); err != nil {
			return row, counter, false, err
		}
		counter = after.Epoch
	}
	return after, counter, true, nil
}

// Release gives a row back.
type Release struct {
	Session string
	// Epoch at which the instance ran; nil: it isn't known.
	Epoch *int64
	// Fence is the stored epoch that has refused the instance; 0: none. The next claim mints
	// above it.
	Fence int64
}

// Free is a release of a row. It frees what the session has, unless the release is of an
// earlier stay, and is nothing otherwise. A fence counts in any case, up to MostEpoch.
func Free(row Row, counter int64, r Release) (after Row, minted int64, freed bool) {
	if r.Fence < MostEpoch {
		counter = max(counter, r.Fence)
	}
	if !row.Exists() || row.Session != r.Session || r.Epoch != nil && *r.Epoch < row.Epoch {
		return row, counter, false
	}
	return Row{}, counter, true
}
