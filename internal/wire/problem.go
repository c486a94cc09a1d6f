package wire

import (
	"encoding/json"
	"net/http"
)

// Problem is the body of every error (RFC 9457; wire contract, section 4).
type Problem struct {
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Detail string          `json:"detail"`
	Code   string          `json:"code,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	Errors []Fault         `json:"errors,omitempty"`
}

// Fault is one thing that is wrong with the input.
type Fault struct {
	Pointer   *string `json:"pointer,omitempty"` // "" is the whole body
	Parameter string  `json:"parameter,omitempty"`
	Detail    string  `json:"detail"`
}

// Encode returns p as one line of JSON. An empty title becomes the status's own
// text. Data that isn't JSON is left out rather than the whole.
func (p Problem) Encode() []byte {
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	body, err := json.Marshal(p)
	if err != nil {
		p.Data = nil
		body, _ = json.Marshal(p)
	}
	return body
}
