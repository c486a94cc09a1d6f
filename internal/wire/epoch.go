package wire

import (
	"errors"
	"strconv"
	"strings"
)

// errEpoch quotes nothing: what isn't an epoch may be anything.
var errEpoch = errors.New("a placement epoch is one decimal number of at most 2^63 - 1")

// ParseEpoch reads the values of a header, of which there must be exactly one: decimal
// digits, at most 2^63 - 1 (wire contract, section 3).
func ParseEpoch(values ...string) (int64, error) {
	const most = len("9223372036854775807")
	if len(values) != 1 || len(values[0]) > most || strings.Trim(values[0], "0123456789") != "" {
		return 0, errEpoch
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return 0, errEpoch
	}
	return n, nil
}

// FormatEpoch writes an epoch as the wire has it.
func FormatEpoch(epoch int64) string { return strconv.FormatInt(epoch, 10) }
