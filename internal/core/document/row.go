// Package document is the payload of a durable row in memory: one JSON object
// whose entries fields answer for, each on its own (durability contract, section
// 4). A write costs the entry that it writes; the document is put together when
// it is flushed.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Entry is the JSON of one entry. It never changes.
type Entry interface {
	// Append appends the JSON.
	Append(dst []byte) []byte
	// Len is how many bytes Append appends.
	Len() int
}

// Row is the document of one row. The zero value is the empty one. It isn't safe
// for concurrent use; what Snapshot returned is.
type Row struct {
	entries []entry // in the order of the stored document, and then of the first writes
	length  int     // of all entries as they are rendered, with a comma each
	shared  bool    // a snapshot has entries
}

// entry is never changed while a snapshot shares it.
type entry struct {
	name    string
	key     []byte // the name as JSON
	value   Entry
	claimed bool // a field answers for it
}

// Raw is an entry as it came: byte for byte it goes out again.
type Raw json.RawMessage

// Append implements Entry.
func (r Raw) Append(dst []byte) []byte { return append(dst, r...) }

// Len implements Entry.
func (r Raw) Len() int { return len(r) }

// Decode reads a stored document, whose bytes it keeps. Of a name that is there
// twice the last entry counts.
func Decode(doc []byte) (*Row, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	start, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("the document is no JSON: %w", err)
	}
	if start != json.Delim('{') {
		return nil, errors.New("the document is no JSON object")
	}
	r := &Row{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("the document is no JSON: %w", err)
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("the document is no JSON: %w", err)
		}
		r.put(name, Raw(value), false)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the document is no JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the document is more than one JSON object")
	}
	return r, nil
}

// Claim returns an entry as it was stored. From then on a field answers for the
// name, whether there is an entry or not.
func (r *Row) Claim(name string) (json.RawMessage, bool) {
	i := r.index(name)
	if i < 0 {
		return nil, false
	}
	raw, ok := r.entries[i].value.(Raw)
	if !ok {
		return nil, false
	}
	r.own()
	r.entries[i].claimed = true
	return json.RawMessage(raw), true
}

// Unclaimed are the names of the entries that nobody answers for, in the order of
// the document.
func (r *Row) Unclaimed() []string {
	var names []string
	for _, e := range r.entries {
		if !e.claimed {
			names = append(names, e.name)
		}
	}
	return names
}

// Has reports whether there is an entry.
func (r *Row) Has(name string) bool { return r.index(name) >= 0 }

// Set replaces an entry, or removes it if value is nil.
func (r *Row) Set(name string, value Entry) {
	if value != nil {
		r.put(name, value, true)
		return
	}
	i := r.index(name)
	if i < 0 {
		return
	}
	r.length -= r.entries[i].rendered()
	r.own()
	r.entries = slices.Delete(r.entries, i, i+1)
}

// With is what Len would be after Set.
func (r *Row) With(name string, value Entry) int {
	length := r.length
	if i := r.index(name); i >= 0 {
		length -= r.entries[i].rendered()
	}
	if value != nil {
		e := entry{key: quote(name), value: value}
		length += e.rendered()
	}
	return documentLen(length)
}

// Len is how many bytes the document has.
func (r *Row) Len() int { return documentLen(r.length) }

// Empty reports whether the document is {}.
func (r *Row) Empty() bool { return len(r.entries) == 0 }

// Snapshot is the document as it is now. It shares what it can with the row, which
// copies the list of its entries at the next change.
func (r *Row) Snapshot() Snapshot {
	r.shared = true
	return Snapshot{entries: r.entries, length: r.Len()}
}

func (r *Row) put(name string, value Entry, claimed bool) {
	r.own()
	if i := r.index(name); i >= 0 {
		e := &r.entries[i]
		r.length -= e.rendered()
		e.value, e.claimed = value, claimed
		r.length += e.rendered()
		return
	}
	e := entry{name: name, key: quote(name), value: value, claimed: claimed}
	r.length += e.rendered()
	r.entries = append(r.entries, e)
}

// own makes the list the row's alone.
func (r *Row) own() {
	if r.shared {
		r.entries, r.shared = slices.Clone(r.entries), false
	}
}

func (r *Row) index(name string) int {
	return slices.IndexFunc(r.entries, func(e entry) bool { return e.name == name })
}

// rendered is the length of the entry with its colon and a comma.
func (e *entry) rendered() int { return len(e.key) + e.value.Len() + 2 }

// documentLen is the length of a document by that of its entries: the last has no
// comma, and there are two braces.
func documentLen(entries int) int {
	if entries == 0 {
		return 2
	}
	return entries + 1
}

// quote is a name as JSON.
func quote(name string) []byte {
	key, _ := json.Marshal(name) //nolint:errchkjson // a string always encodes
	return key
}

// Snapshot is a document that never changes.
type Snapshot struct {
	entries []entry
	length  int
}

// Len is how many bytes AppendDoc appends.
func (s Snapshot) Len() int { return s.length }

// AppendDoc appends the document.
func (s Snapshot) AppendDoc(dst []byte) []byte {
	dst = append(slices.Grow(dst, s.length), '{')
	for i, e := range s.entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.key...)
		dst = append(dst, ':')
		dst = e.value.Append(dst)
	}
	return append(dst, '}')
}
