package runtime

import (
	"net/http"
	"net/url"

	"github.com/pinned-go/pinned/internal/wire"
)

// maxFaults is how many faults one answer lists.
const maxFaults = 100

// input is what decoding a request has found so far.
type input struct {
	faults  []wire.Fault
	status  int    // of the answer: 0 while all is well
	detail  string // of the answer
	query   url.Values
	queried bool
	refusal *refusal // residence comes before parameters and body
}

// fault notes what is wrong with one field.
func (in *input) fault(f wire.Fault) {
	if in.status == 0 {
		in.status, in.detail = http.StatusBadRequest, "the request has invalid fields"
	}
	if len(in.faults) < maxFaults {
		in.faults = append(in.faults, f)
	}
}

// parameter notes what is wrong with a path or query parameter or a header.
func (in *input) parameter(name, detail string) {
	in.fault(wire.Fault{Parameter: name, Detail: detail})
}

// pointer notes what is wrong with a place in the body.
func (in *input) pointer(pointer, detail string) {
	in.fault(wire.Fault{Pointer: &pointer, Detail: detail})
}

// whole notes what is wrong with the request as such. The first counts.
func (in *input) whole(status int, detail string) {
	if in.status == 0 || in.status == http.StatusBadRequest && status != http.StatusBadRequest {
		in.status, in.detail = status, detail
	}
}

// Decoded reports whether all that was bound is right. Otherwise it has
// answered, with everything that is wrong at once.
func (c *Call) Decoded() bool {
	if c.input.status == 0 && c.input.refusal == nil {
		return true
	}
	if c.resident(); c.input.refusal != nil {
		c.writeFailure(refused(c.input.refusal))
		return false
	}
	c.writeFailure(failure{problem: wire.Problem{
		Status: c.input.status,
		Detail: c.input.detail,
		Errors: c.input.faults,
	}})
	return false
}

// resident asks whether the object may be activated here at all, before
// anything is said of parameters or read of the body. It activates nothing.
func (c *Call) resident() bool {
	if c.input.refusal == nil {
		c.input.refusal = c.kind.refuse(c.id)
	}
	return c.input.refusal == nil
}

// Validate asks v, which is asked only if all that was bound is right so far.
// What its error says goes to the client.
func (c *Call) Validate(v interface{ Validate() error }) {
	if c.input.status != 0 || c.input.refusal != nil {
		return
	}
	err := v.Validate()
	if err == nil {
		return
	}
	c.input.pointer("", err.Error())
	c.input.detail = err.Error()
}
