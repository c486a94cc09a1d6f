// Package names_generated_in_signatures names generated symbols before there are any.
package names_generated_in_signatures

import (
	"context"
	"net/http"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

//pinned:object /names_generated_in_signatures
type Lamp struct {
	pinned.Object
	other LampCalls
	all   map[string]*FakeLamp
}

// Use has generated names in its signature.
func Use(c Client, fakes Fakes, ref RoomRef2) (LampRef, error) { return LampRef{}, nil }

type RoomRef2 = LampRef

// Serve registers.
func Serve(w *runtime.Worker) {
	Register(w, SetupLamp(func(l *Lamp) { l.other = From(l).Lamp("other") }))
}

//pinned:route GET /
func (l *Lamp) Get(ctx context.Context) (string, error) {
	if l.other == nil {
		l.other = From(l).Lamp("other")
	}
	return l.other.Other(ctx)
}

//pinned:route GET /other
func (l *Lamp) Other(ctx context.Context) string { return "other" }

// Raw answers with a wildcard whose name is a keyword.
//
//pinned:route GET /raw/{type}
func (l *Lamp) Raw(w http.ResponseWriter, r *http.Request) {
	_, _ = w.Write([]byte(r.PathValue("type")))
}

var client = NewClient("http://127.0.0.1:1")

var _ = []any{client, PinnedErrors, NewFake(Fakes{Lamp: func(id string) LampCalls { return &FakeLamp{} }})}
