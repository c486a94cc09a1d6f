package pinned

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned/internal/bind"
)

// Value is a durable field: what it holds is there again after the process has
// died (durability contract, section 4). T is what encoding/json can encode
// whole. The zero value holds the zero T, or what a default tag of the field
// says, and works without a host: then it is memory like any other. It must not
// be copied.
//
// It belongs to the object's turn. Touching one while no turn is held panics.
type Value[T any] struct {
	_ noCopy

	row     bind.Row
	name    string
	v       T
	entry   json.RawMessage // of v, as it was written or stored; nil: v is the initial value
	initial json.RawMessage // nil: not needed yet, that of the zero T
	pos     int64           // of the last write
}

// Get returns the value. What it refers to, such as the elements of a map, must
// not be changed: use Update. An answer that follows waits until the last Set or
// Update is durable, whoever made it.
func (f *Value[T]) Get() T {
	if f.row != nil {
		f.row.Seen(f.pos)
	}
	return f.v
}

// Set replaces the value. It is encoded at once; what it refers to must not be
// changed afterwards. A value that doesn't encode, or that makes the object's row
// larger than 16 MiB, is the error of the receipt: the field keeps its value and
// the turn answers 500.
func (f *Value[T]) Set(v T) Receipt {
	entry, err := encodeEntry(&v)
	if err != nil {
		return f.refuse(err)
	}
	r := f.write(entry)
	if r.err == nil {
		f.v = v
	}
	return r
}

// Update changes the value in place and then is as Set. If it fails or change
// panics, the field has its value from before again.
func (f *Value[T]) Update(change func(v *T)) Receipt {
	if f.row != nil {
		f.row.Seen(f.pos)
	}
	kept := false
	defer func() {
		if !kept {
			f.restore()
		}
	}()
	if f.entry == nil && f.row == nil {
		// The value of a field without a host has no other copy yet.
		entry, err := encodeEntry(&f.v)
		if err != nil {
			return f.refuse(err)
		}
		f.entry = entry
	}
	change(&f.v)
	entry, err := encodeEntry(&f.v)
	if err != nil {
		return f.refuse(err)
	}
	r := f.write(entry)
	kept = r.err == nil
	return r
}

// write enlists an encoded value.
func (f *Value[T]) write(entry json.RawMessage) Receipt {
	if f.row == nil {
		f.entry = entry
		return Receipt{}
	}
	var e bind.Entry
	if !f.isInitial(entry) {
		e = rawEntry(entry)
	}
	pos, err := f.row.Write(f.name, e)
	if err != nil {
		return Receipt{err: err}
	}
	f.entry, f.pos = entry, pos
	return Receipt{row: f.row, pos: pos}
}

// isInitial compares an encoded value with the initial one.
func (f *Value[T]) isInitial(entry json.RawMessage) bool {
	if f.initial == nil {
		initial, err := encodeEntry(new(T))
		if err != nil {
			return false
		}
		f.initial = initial
	}
	return bytes.Equal(entry, f.initial)
}

// refuse is the receipt of a value that doesn't encode.
func (f *Value[T]) refuse(err error) Receipt {
	if f.row != nil {
		err = f.row.Refuse(f.name, err)
	}
	return Receipt{err: err}
}

// restore makes the value what it was when it was written.
func (f *Value[T]) restore() {
	entry := f.entry
	if entry == nil {
		entry = f.initial
	}
	f.v = *new(T)
	if entry != nil {
		_ = decodeEntry(entry, &f.v) // it came from there
	}
}

// bindTo implements durableField.
func (f *Value[T]) bindTo(row bind.Row, name string, initial json.RawMessage) error {
	f.row, f.name = row, name
	if initial != nil {
		if err := decodeEntry(initial, &f.v); err != nil {
			return fmt.Errorf("the default: %w", err)
		}
		entry, err := encodeEntry(&f.v)
		if err != nil {
			return fmt.Errorf("the default: %w", err)
		}
		f.initial = entry
	}
	stored, ok := row.Stored(name)
	if !ok {
		return nil
	}
	var v T
	if err := decodeEntry(stored, &v); err != nil {
		return err
	}
	f.v, f.entry = v, stored
	return nil
}

// durableField is a field that is kept in a row.
type durableField interface {
	bindTo(row bind.Row, name string, initial json.RawMessage) error
}

func init() {
	bind.BindField = func(field any, row bind.Row, name string, initial json.RawMessage) error {
		f, ok := field.(durableField)
		if !ok {
			return fmt.Errorf("a %T is no durable field", field)
		}
		return f.bindTo(row, name, initial)
	}
}

// rawEntry is an entry that is there in JSON.
type rawEntry json.RawMessage

// Append implements bind.Entry.
func (e rawEntry) Append(dst []byte) []byte { return append(dst, e...) }

// Len implements bind.Entry.
func (e rawEntry) Len() int { return len(e) }

// encodeEntry is the JSON of what v points to, so that methods of *T count.
func encodeEntry(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a document is no part of a page
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the value: %w", err)
	}
	return bytes.Clone(b.Bytes()[:b.Len()-1]), nil // without the encoder's line break
}

// decodeEntry reads an entry into a zero T. Numbers in an any stay as they are
// written. A null is one only where the zero T is written so too: json.Unmarshal
// would leave any other T alone.
func decodeEntry[T any](entry json.RawMessage, into *T) error {
	if bytes.Equal(entry, null) {
		zero, err := encodeEntry(into)
		if err != nil || !bytes.Equal(zero, null) {
			return errors.New("it is null")
		}
	}
	dec := json.NewDecoder(bytes.NewReader(entry))
	dec.UseNumber()
	return dec.Decode(into)
}

var null = []byte("null")
