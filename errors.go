package pinned

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
)

// Errors is a table of the errors that travel by their codes, one row for each
// //pinned:error. Generated code makes it as PinnedErrors.
type Errors []ErrorCode

// ErrorCode is one row of the table: ErrorValue or ErrorType makes it.
type ErrorCode struct {
	// Code names the error: [a-z][a-z0-9_-]*.
	Code string
	// Status is the HTTP status that it is answered with.
	Status int

	// find returns the declared error inside err, or nil.
	find func(err error) error
	// encode returns the JSON of a declared error, nil for a variable.
	encode func(declared error) (json.RawMessage, error)
	// value rebuilds the declared error.
	value func(data json.RawMessage) error
}

// ErrorValue is the row of an error variable: it matches what errors.Is says is
// err, and its value at the client is err itself.
func ErrorValue(code string, status int, err error) ErrorCode {
	return ErrorCode{
		Code:   code,
		Status: status,
		find: func(e error) error {
			if errors.Is(e, err) {
				return err
			}
			return nil
		},
		value: func(json.RawMessage) error { return err },
	}
}

// ErrorType is the row of an error type: it matches what errors.As finds as E.
// The JSON of the value travels as data and makes an equal one at the client.
func ErrorType[E error](code string, status int) ErrorCode {
	return ErrorCode{
		Code:   code,
		Status: status,
		find: func(e error) error {
			if declared, ok := errors.AsType[E](e); ok {
				return declared
			}
			return nil
		},
		encode: func(declared error) (json.RawMessage, error) {
			e, _ := declared.(E) //nolint:errorlint // find has found it
			return json.Marshal(&e)
		},
		value: func(data json.RawMessage) error {
			var e E
			// Without this a type whose methods need a receiver would be nil where
			// the data is missing, null, or of a newer shape.
			if t := reflect.TypeFor[E](); t.Kind() == reflect.Pointer {
				e, _ = reflect.TypeAssert[E](reflect.New(t.Elem()))
				_ = json.Unmarshal(data, e)
				return e
			}
			_ = json.Unmarshal(data, &e)
			return e
		},
	}
}

// MergeErrors joins tables. Of rows with the same code the first stays.
func MergeErrors(tables ...Errors) Errors {
	var merged Errors
	seen := map[string]bool{}
	for _, t := range tables {
		for _, row := range t {
			if !seen[row.Code] {
				seen[row.Code] = true
				merged = append(merged, row)
			}
		}
	}
	return merged
}

// Problem returns what is answered for err: status, code, the declared error's
// own text as detail, and its JSON as data if it is of a declared type. It
// returns nil if no row matches err; of several the first wins.
func (t Errors) Problem(err error) (*Error, error) {
	for i := range t {
		row := &t[i]
		if row.find == nil {
			continue
		}
		declared := row.find(err)
		if declared == nil {
			continue
		}
		e := &Error{
			Status: row.Status,
			Title:  http.StatusText(row.Status),
			Detail: declared.Error(),
			Code:   row.Code,
			inner:  declared,
		}
		if row.encode != nil {
			data, err := row.encode(declared)
			if err != nil {
				return nil, fmt.Errorf("encode the error %q: %w", row.Code, err)
			}
			e.Data = data
		}
		return e, nil
	}
	return nil, nil
}

// Value rebuilds the declared error of a code from its data. It returns nil if
// the table has no such code.
func (t Errors) Value(code string, data json.RawMessage) error {
	for i := range t {
		if t[i].Code == code && t[i].value != nil {
			return t[i].value(data)
		}
	}
	return nil
}
