// Package naming_worst_case takes every name that generated code would like.
package naming_worst_case

import (
	ctx2 "context"
	http "fmt"
	json "io"
	fmt "net/http"

	p "github.com/pinned-go/pinned"
)

// Names of packages that generated code imports, and of its own variables.
type (
	context       struct{ A int }
	iter          struct{ B string }
	pinned        struct{ C bool }
	pinnedruntime struct{ D []int }
	call          int
	args          string
	c             struct{ E string }
	worker        struct{ F string }
	string2       string
)

var (
	io, ok, out, err2, req, options, ref, path, method = 1, 2, 3, 4, 5, 6, 7, 8, 9

	_ = http.Sprint
	_ = []any{io, ok, out, err2, req, options, ref, path, method}
)

func run(error json.Reader) json.Reader { return error }

//pinned:object /naming_worst_case
type Room struct{ p.Object }

//pinned:route POST /types/{context}/{pinned}
func (r *Room) Types(ctx ctx2.Context, iter context, context string, pinned args) (iter, error) {
	_ = iter
	return *new(iter2), nil
}

type iter2 = iter

//pinned:route POST /import/{c}/{call}/{ok}/{err}
func (r *Room) Import(ctx ctx2.Context, call call, c args, ok bool, err string2) (_ pinned, _ error) {
	return pinned{C: ok}, nil
}

//pinned:route GET /type/{string}/{int}/{nil}/{true}/{any}
func (*Room) Type(error ctx2.Context, string string2, int call, nil args, true bool, any string2) (len worker, cap error) {
	return worker{F: http.Sprint(string, int, nil, true, any)}, cap
}

//pinned:route GET /range/{r}/{q}/{args}/{pinnedruntime}
func (room *Room) Range(_ ctx2.Context, r args, q string, args int, pinnedruntime uint) c {
	return c{E: http.Sprint(r, q, args, pinnedruntime)}
}

//pinned:route PUT /reader/{req}
func (r *Room) Reader(ctx ctx2.Context, body json.Reader, req string, w *fmt.Request, caller p.Caller) (err error) {
	_, err = json.ReadAll(run(body))
	return err
}

type q struct {
	Call   string `query:"call"`
	Ctx    int    `header:"X-Ctx"`
	V      []int  `query:"v"`
	Err    *bool  `query:"err"`
	Target string `query:"target"`
}

//pinned:route GET /query/{v}/{call}
func (f *Room) Query(ctx ctx2.Context, v int, call string, q q) q2 { return q }

type q2 = q
