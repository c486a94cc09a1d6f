package document

import (
	"encoding/json"
	"errors"
	"strconv"
)

// versionEntry is the schema version of a tray type.
const versionEntry = "~v"

// Version is the schema version of a stored document, 0 where it says none.
func (r *Row) Version() (int, error) {
	raw, ok := r.Claim(versionEntry)
	if !ok {
		return 0, nil
	}
	var v int
	if err := json.Unmarshal(raw, &v); err != nil || string(raw) == "null" {
		return 0, errors.New(`entry "~v": it is no whole number`)
	}
	return v, nil
}

// SetVersion writes the schema version, which 0 leaves out.
func (r *Row) SetVersion(v int) {
	if v == 0 {
		r.Set(versionEntry, nil)
		return
	}
	r.Set(versionEntry, Raw(strconv.Itoa(v)))
}
