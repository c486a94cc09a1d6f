package calls_between_objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pinned-go/pinned"
)

// ErrSad travels through two objects.
//
//pinned:error sad 418
var ErrSad = errors.New("sad")

//pinned:object /calls_between_objects_front
type Front struct{ pinned.Object }

//pinned:object /calls_between_objects_back
type Back struct {
	pinned.Object
	heard []string
}

//pinned:route POST /say/{text}
func (b *Back) Say(ctx context.Context, text string, caller pinned.Caller) (int, error) {
	b.heard = append(b.heard, fmt.Sprint(caller.Namespace, " ", caller.Depth, " ", text))
	return len(b.heard), nil
}

//pinned:route GET /heard
func (b *Back) Heard(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, text := range b.heard {
			if !yield(text, nil) {
				return
			}
		}
	}
}

//pinned:route GET /sad
func (b *Back) Sad(ctx context.Context) error { return ErrSad }

// Again calls the object that called it, which gave up its turn for the call.
//
//pinned:route POST /again
func (b *Back) Again(ctx context.Context, caller pinned.Caller) (string, error) {
	return From(b).Front(cmp.Or(caller.ID, "somebody")).Plain(ctx)
}

//pinned:route POST /talk
func (f *Front) Talk(ctx context.Context) ([]string, error) {
	back := From(f).Back("back")
	for _, text := range []string{"a/b", "ü ?"} {
		if _, err := back.Say(ctx, text); err != nil {
			return nil, err
		}
	}
	var heard []string
	for text, err := range back.Heard(ctx) {
		if err != nil {
			return nil, err
		}
		heard = append(heard, text)
	}
	return heard, nil
}

// ToldSad answers with the error of another object, which is its own as well.
//
//pinned:route GET /told-sad
func (f *Front) ToldSad(ctx context.Context) error { return From(f).Back("back").Sad(ctx) }

//pinned:route GET /circle
func (f *Front) Circle(ctx context.Context) (string, error) { return From(f).Back("back").Again(ctx) }

//pinned:route GET /plain
func (f *Front) Plain(ctx context.Context) string { return "plain" }
