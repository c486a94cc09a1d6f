// Package naming has every name that generated code would like to have.
package naming

import (
	"context"
	"errors"
	"io"
	stditer "iter"
	nethttp "net/http"

	pin "github.com/pinned-go/pinned"
	fakecontext "github.com/pinned-go/pinned/gen/emit/testdata/naming/context/v2"
	dashed "github.com/pinned-go/pinned/gen/emit/testdata/naming/go-dash"
	"github.com/pinned-go/pinned/gen/emit/testdata/naming/lib/v2"
)

// Names at package scope that are like imports, or like what is generated.
type (
	pinned        struct{}
	pinnedruntime struct{}
	iter          struct{ IO int }
	call          struct {
		Text string `json:"text"`
	}
	req struct {
		N int `query:"n"`
	}
	out struct{}
)

const (
	http                = "http"
	roomClass           = 1
	matchRoom           = 2
	serveRoomGet        = 3
	_pinnedFingerprint  = "mine"
	_pinnedFingerprint2 = "mine too"
)

var ok, err = pinned{}, pinnedruntime{}

func init() { _, _, _ = ok, err, iter{}.IO }

// ErrBad is bad.
//
//pinned:error bad 400
var ErrBad = errors.New("bad")

// Room has a method for every name */ that is hard.
//
//pinned:object /rooms
type Room struct {
	pin.Object
}

// Get has parameters that are called as packages, results and locals are.
//
//pinned:route GET /get/{ctx}/{r}/{c}/{context}
func (r_ *Room) Get(_ context.Context, ctx string, r int, c bool, context fakecontext.Level) (out, error) {
	return out{}, nil
}

// Call shadows in another way.
//
//pinned:route POST /call/{err}/{ok}/{Type}
func (*Room) Call(call context.Context, req call, err string, ok int, Type string) (*pin.Response[call], error) {
	return nil, nil
}

// Type has the name of a keyword, and hides types in its body.
//
//pinned:route GET /type/{error}/{nil}/{string}/{out}
func (r *Room) Type(ctx context.Context, error, nil, string, out string) out { return struct{}{} }

// Import is a keyword in lower case. It ends no comment: */ and begins none: /*
//
//		code := "stays code"
//
//	  - a list
//
// go:generate is prose here.
//
//pinned:route PUT /import
func (r *Room) Import(f context.Context, v io.Reader) ([]byte, error) { return nil, nil }

// Unnamed has no names.
//
//pinned:route POST /unnamed
func (r *Room) Unnamed(context.Context, call) error { return nil }

// Blank has blank ones.
//
//pinned:route GET /blank
func (r *Room) Blank(_ context.Context, _ req) stditer.Seq2[iter, error] { return nil }

// Bare has no context.
//
//pinned:route GET /bare/{yield}
func (r *Room) Bare(yield lib.Level) (int, error) { return 0, nil }

// Fake has the receiver's name.
//
//pinned:route GET /fake/{f}/{ref}/{fake}/{args}
func (r *Room) Fake(f dashed.ID, ref, fake, args string) {}

// Raw has wildcards that no parameter can be called.
//
//pinned:route GET /raw/{type}/{func}/{req}/{rest...}
func (r *Room) Raw(w nethttp.ResponseWriter, req *nethttp.Request) {}

// Request has what isn't sent.
//
//pinned:route GET /request
func (r *Room) Request(req *nethttp.Request, caller pin.Caller, c req) stditer.Seq[lib.Level] {
	return nil
}

// Live has a conn that is called as something else.
//
//pinned:route WEBSOCKET /live/{conn}
func (r *Room) Live(ctx context.Context, call *pin.Conn[call, out], conn string) {}

// GetFunc meets the field of a fake.
//
//pinned:route GET /getfunc
func (r *Room) GetFunc(ctx context.Context) {}

// RoomSet is an object whose routes could be Room's.
//
//pinned:object /sets
type RoomSet struct{ pin.Object }

// Get meets Room's SetGet.
//
//pinned:route GET /
func (r *RoomSet) Get() {}

// SetGet meets RoomSet's Get.
//
//pinned:route GET /setget
func (r *Room) SetGet() {}
