package runtime

import (
	"fmt"
	"net/url"

	"github.com/pinned-go/pinned/internal/wire"
)

// maxParameters is how many parameters a query may have.
const maxParameters = 10_000

// Path is the wildcard number i of the route's pattern, which is called name.
func Path[T any](c *Call, i int, name string, p Parser[T]) T {
	return parse(c, name, c.args[i], p)
}

// Query is the first query parameter of that name. Where there is none it is
// def, parsed, or zero.
func Query[T any](c *Call, name string, p Parser[T], def ...string) T {
	return one(c, name, c.query()[name], p, def)
}

// QueryOptional is Query that is nil where there is neither parameter nor def.
func QueryOptional[T any](c *Call, name string, p Parser[T], def ...string) *T {
	return optional(c, name, c.query()[name], p, def)
}

// QueryAll is every query parameter of that name, in the order they came.
func QueryAll[T any](c *Call, name string, p Parser[T]) []T {
	return all(c, name, c.query()[name], p)
}

// Header is the first header of that name, which is canonical. Where there is
// none it is def, parsed, or zero.
func Header[T any](c *Call, name string, p Parser[T], def ...string) T {
	return one(c, name, c.header(name), p, def)
}

// HeaderOptional is Header that is nil where there is neither header nor def.
func HeaderOptional[T any](c *Call, name string, p Parser[T], def ...string) *T {
	return optional(c, name, c.header(name), p, def)
}

// HeaderAll is every header of that name, in the order they came.
func HeaderAll[T any](c *Call, name string, p Parser[T]) []T {
	return all(c, name, c.header(name), p)
}

func one[T any](c *Call, name string, values []string, p Parser[T], def []string) (v T) {
	if len(values) == 0 {
		values = def
	}
	if len(values) == 0 {
		return v
	}
	return parse(c, name, values[0], p)
}

func optional[T any](c *Call, name string, values []string, p Parser[T], def []string) *T {
	if len(values) == 0 && len(def) == 0 {
		return nil
	}
	v := one(c, name, values, p, def)
	return &v
}

func all[T any](c *Call, name string, values []string, p Parser[T]) []T {
	if len(values) == 0 {
		return nil
	}
	vs := make([]T, len(values))
	for i, value := range values {
		vs[i] = parse(c, name, value, p)
	}
	return vs
}

func parse[T any](c *Call, name, value string, p Parser[T]) T {
	v, err := p(value)
	if err != nil {
		c.input.parameter(name, clip(err.Error()))
	}
	return v
}

// header is what the request has under a canonical name. net/http keeps Host
// apart; what belongs to the runtime is nobody's parameter.
func (c *Call) header(name string) []string {
	if wire.Reserved(name) {
		return nil
	}
	if name == "Host" && c.req.Host != "" {
		return []string{c.req.Host}
	}
	return c.req.Header[name]
}

// query parses the query once. One that doesn't parse is a fault of the request
// as a whole, and only on a route that binds some of it.
func (c *Call) query() url.Values {
	if c.input.queried {
		return c.input.query
	}
	c.input.queried = true
	query, err := parseQuery(c.req.URL.RawQuery)
	if err != nil {
		c.input.whole(400, err.Error())
		return nil
	}
	c.input.query = query
	return query
}

func parseQuery(raw string) (url.Values, error) {
	if raw == "" {
		return nil, nil
	}
	n := 1
	for i := range len(raw) {
		switch raw[i] {
		case '&':
			n++
		case ';':
			return nil, fmt.Errorf("the query has a semicolon, which is written %%3B")
		}
	}
	if n > maxParameters {
		return nil, fmt.Errorf("the query has more than %d parameters", maxParameters)
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fmt.Errorf("the query has a percent sign without two hexadecimal digits")
	}
	return query, nil
}
