package sample

import "context"

// The types of Echo. An Echo holds bytes, which JSON carries whatever they are.
type (
	Values struct {
		Query  string   `query:"q"`
		List   []string `query:"list"`
		Header string   `header:"X-Value"`
	}
	Echo struct {
		ID, Part, Rest, Query, Header []byte
		List                          [][]byte
	}
)

// Echo returns what reached the handler.
//
//pinned:route GET /echo/{part}/{rest...}
func (r *Room) Echo(ctx context.Context, part, rest string, v Values) (Echo, error) {
	e := Echo{ID: []byte(r.ID()), Part: []byte(part), Rest: []byte(rest), Query: []byte(v.Query), Header: []byte(v.Header)}
	for _, s := range v.List {
		e.List = append(e.List, []byte(s))
	}
	return e, nil
}
