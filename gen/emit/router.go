package emit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// maxArgs is the length of runtime.Args.
const maxArgs = 8

// methods in the order of the router's cases.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "WEBSOCKET"}

// node is a place in the patterns of one method: what may follow a path that has
// come this far. It mirrors net/http's decision tree, whose rules are:
//
//   - a literal wins over a wildcard, that over the rest of the path; where the
//     winner leads nowhere, the next is tried;
//   - {$} is the literal "/", which is what a trailing slash reads as;
//   - a wildcard doesn't match that "/", the rest of the path does.
type node struct {
	route    int // that ends here, -1 for none
	literals map[string]*node
	wildcard *node
	multi    *rest
}

// rest is the end of a pattern that takes all that is left.
type rest struct {
	route int
	named bool
}

func newNode() *node { return &node{route: -1, literals: map[string]*node{}} }

// add puts a route's segments below n.
func (n *node) add(segments []model.Segment, route int) {
	if len(segments) == 0 {
		n.route = route
		return
	}
	s := segments[0]
	switch s.Kind {
	case model.Multi:
		n.multi = &rest{route: route, named: s.Text != ""}
	case model.Wildcard:
		if n.wildcard == nil {
			n.wildcard = newNode()
		}
		n.wildcard.add(segments[1:], route)
	case model.End:
		n.literal("/").add(segments[1:], route)
	default:
		n.literal(s.Text).add(segments[1:], route)
	}
}

func (n *node) literal(text string) *node {
	if n.literals[text] == nil {
		n.literals[text] = newNode()
	}
	return n.literals[text]
}

// leaf says that nothing follows n.
func (n *node) leaf() bool { return len(n.literals) == 0 && n.wildcard == nil && n.multi == nil }

// match writes the router of an object: a switch on the method, then nested
// switches on the segments of the path. Each segment is decoded once; a branch
// that leads nowhere falls through to the next best one.
func (f *file) match(o *model.Object) {
	trees := map[string]*node{}
	for i, r := range o.Routes {
		if trees[r.Method] == nil {
			trees[r.Method] = newNode()
		}
		trees[r.Method].add(r.Segments, i)
		if wildcards(r) > maxArgs {
			f.fail(errTooManyWildcards(r.Pattern))
		}
	}

	names := f.names.objects[o]
	router := router{routes: o.Routes, segment: f.runtime("Segment"), rest: f.runtime("Rest")}
	f.add([]string{
		names.match + " finds the route of a request by its place in " + names.class + "'s Routes,",
		"or -1, as net/http.ServeMux would.",
	}, jen.Func().Id(names.match).Params(
		jen.List(jen.Id("method"), jen.Id("path")).String(),
		jen.Id("args").Op("*").Add(f.runtime("Args")),
	).Int().BlockFunc(func(g *jen.Group) {
		if len(trees) > 0 {
			g.Switch(jen.Id("method")).BlockFunc(func(g *jen.Group) {
				for _, m := range methods {
					if tree := trees[m]; tree != nil {
						g.Case(jen.Lit(m)).BlockFunc(func(g *jen.Group) { router.below(g, tree, 0, 0) })
					}
				}
			})
		}
		g.Return(jen.Lit(-1))
	}))
}

// wildcards counts the values that a route's pattern gives.
func wildcards(r *model.Route) int {
	n := 0
	for _, s := range r.Segments {
		if s.Kind == model.Wildcard || s.Kind == model.Multi && s.Text != "" {
			n++
		}
	}
	return n
}

// router writes nodes. What is left of the path at depth d is the variable
// pathD, its first segment seg(D+1).
type router struct {
	routes        []*model.Route
	segment, rest *jen.Statement
}

func pathAt(depth int) *jen.Statement {
	if depth == 0 {
		return jen.Id("path")
	}
	return jen.Id(fmt.Sprintf("path%d", depth))
}

// done is the end of a branch.
func (r router) done(route int) jen.Code {
	return jen.Return(jen.Lit(route)).Comment(r.routes[route].Pattern)
}

// at writes what is matched at n, whose path may be at its end; args are those
// that have been filled.
func (r router) at(g *jen.Group, n *node, depth, args int) {
	path := pathAt(depth)
	switch {
	case n.leaf():
		g.If(path.Op("==").Lit("")).Block(r.done(n.route))
	case n.route < 0:
		g.If(path.Op("!=").Lit("")).BlockFunc(func(g *jen.Group) { r.below(g, n, depth, args) })
	default:
		g.If(path.Op("==").Lit("")).Block(r.done(n.route))
		r.below(g, n, depth, args)
	}
}

// below writes what may follow n where the path hasn't ended.
func (r router) below(g *jen.Group, n *node, depth, args int) {
	if len(n.literals) > 0 || n.wildcard != nil {
		seg, next := jen.Id(fmt.Sprintf("seg%d", depth+1)), pathAt(depth+1)
		g.List(seg.Clone(), next.Clone()).Op(":=").Add(r.segment.Clone()).Call(pathAt(depth))

		switch texts := slices.Sorted(maps.Keys(n.literals)); {
		case len(texts) == 1:
			r.one(g, seg.Clone().Op("==").Lit(texts[0]), n.literals[texts[0]], depth+1, args, jen.Null())
		case len(texts) > 1:
			g.Switch(seg.Clone()).BlockFunc(func(g *jen.Group) {
				for _, text := range texts {
					g.Case(jen.Lit(text)).BlockFunc(func(g *jen.Group) { r.at(g, n.literals[text], depth+1, args) })
				}
			})
		}

		if n.wildcard != nil {
			set := jen.Id("args").Index(jen.Lit(args)).Op("=").Add(seg.Clone())
			r.one(g, seg.Clone().Op("!=").Lit("/"), n.wildcard, depth+1, args+1, set)
		}
	}
	if n.multi != nil {
		if n.multi.named {
			g.Id("args").Index(jen.Lit(args)).Op("=").Add(r.rest.Clone()).Call(pathAt(depth))
		}
		g.Add(r.done(n.multi.route))
	}
}

// one writes a single branch: into n if cond holds, after set. A condition on
// the path's end goes into the same if where there is only one.
func (r router) one(g *jen.Group, cond *jen.Statement, n *node, depth, args int, set jen.Code) {
	path := pathAt(depth)
	switch {
	case n.leaf():
		g.If(cond.Op("&&").Add(path).Op("==").Lit("")).Block(set, r.done(n.route))
	case n.route < 0:
		g.If(cond.Op("&&").Add(path).Op("!=").Lit("")).BlockFunc(func(g *jen.Group) {
			g.Add(set)
			r.below(g, n, depth, args)
		})
	default:
		g.If(cond).BlockFunc(func(g *jen.Group) {
			g.Add(set)
			r.at(g, n, depth, args)
		})
	}
}
