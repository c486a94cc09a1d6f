package tray

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Record is one keyed admission that the head of a tray made.
type Record struct {
	Key     json.RawMessage
	Target  Target
	Outcome Outcome
	// Cleaned says that the target has released the key.
	Cleaned bool

	canonical string
}

// Target names a tray of the same instance.
type Target struct{ Namespace, ID string }

// records are those of the head's dispatch. They outlive its acknowledgement, so
// that a second run of the item stays without effect.
type records []Record

func (rs records) find(canonical string) *Record {
	for i := range rs {
		if rs[i].canonical == canonical {
			return &rs[i]
		}
	}
	return nil
}

// storedRecord is a Record as the row holds it.
type storedRecord struct {
	Key     json.RawMessage `json:"key"`
	Target  [2]string       `json:"target"`
	Outcome Outcome         `json:"outcome"`
	Cleaned bool            `json:"cleaned"`
}

func parseRecords(entry []byte) (records, error) {
	if entry == nil {
		return nil, nil
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(entry, &raws); err != nil || raws == nil {
		return nil, errors.New("expected a list of records")
	}
	var rs records
	for n, raw := range raws {
		// A member that isn't there, or is null, would be taken for its zero value, and
		// one that nobody knows would be dropped.
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, fmt.Errorf("record %d: %w", n, err)
		}
		for _, name := range []string{"key", "target", "outcome", "cleaned"} {
			if members[name] == nil {
				return nil, fmt.Errorf("record %d: the member %q is missing", n, name)
			}
		}
		var stored struct {
			Key     json.RawMessage `json:"key"`
			Target  []*string       `json:"target"`
			Outcome Outcome         `json:"outcome"`
			Cleaned *bool           `json:"cleaned"`
		}
		if err := json.Unmarshal(raw, &stored); err != nil {
			return nil, fmt.Errorf("record %d: %w", n, err)
		}
		target := stored.Target
		if len(members) != 4 || stored.Cleaned == nil || len(target) != 2 || target[0] == nil || target[1] == nil ||
			stored.Outcome != Admitted && stored.Outcome != Absorbed {
			return nil, fmt.Errorf("record %d: expected a key, a target of two strings, an outcome that is admitted or absorbed, "+
				"whether it is cleaned, and nothing else", n)
		}
		canonical, err := canon(stored.Key)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", n, err)
		}
		rs = append(rs, Record{
			Key: stored.Key, Target: Target{*target[0], *target[1]}, Outcome: stored.Outcome, Cleaned: *stored.Cleaned,
			canonical: canonical,
		})
	}
	return rs, nil
}

// encode is the entry; nil for no records.
func (rs records) encode() []byte {
	if len(rs) == 0 {
		return nil
	}
	stored := make([]storedRecord, len(rs))
	for i, r := range rs {
		stored[i] = storedRecord{r.Key, [2]string{r.Target.Namespace, r.Target.ID}, r.Outcome, r.Cleaned}
	}
	return mustEncode(stored)
}

// ignored are the keys that were admitted into a tray and aren't released yet.
type ignored []ignoredKey

type ignoredKey struct {
	raw       json.RawMessage
	canonical string
}

func parseIgnored(entry []byte) (ignored, error) {
	if entry == nil {
		return nil, nil
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(entry, &raws); err != nil || raws == nil {
		return nil, errors.New("expected a list of keys")
	}
	var keys ignored
	for n, raw := range raws {
		canonical, err := canon(raw)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", n, err)
		}
		keys = append(keys, ignoredKey{raw, canonical})
	}
	return keys, nil
}

func (ks ignored) index(canonical string) int {
	for i, k := range ks {
		if k.canonical == canonical {
			return i
		}
	}
	return -1
}

// encode is the entry; nil for no keys.
func (ks ignored) encode() []byte {
	if len(ks) == 0 {
		return nil
	}
	raws := make([]json.RawMessage, len(ks))
	for i, k := range ks {
		raws[i] = k.raw
	}
	return mustEncode(raws)
}

// mustEncode encodes what always can be, without escaping for HTML.
func mustEncode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("tray: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
