// Package fields binds a field of every kind.
package fields

import (
	"context"
	"math/big"
	"net/netip"
	"time"

	"github.com/pinned-go/pinned"
)

// Kinds of named scalars.
type (
	Name    string
	Count   int8
	Size    uint16
	Ratio   float32
	Flag    bool
	Version struct{ Major, Minor int }
	List    []Name
	Alias   = Count
)

// UnmarshalText reads a version.
func (v *Version) UnmarshalText(text []byte) error { return nil }

// MarshalText writes a version.
func (v *Version) MarshalText() ([]byte, error) { return nil, nil }

// Paging is embedded.
type Paging struct {
	After Count `query:"after"`
	Limit int   `query:"limit" default:"50"`
}

// Deep embeds another, which has a field of the same name.
type Deep struct {
	Deeper
	Depth int `query:"depth"`
}

// Deeper is embedded twice, and one of its fields hidden.
type Deeper struct {
	Depth   int    `header:"X-Depth"`
	Deepest string `header:"X-Deepest" default:"a \"quoted\" default"`
}

// Query has it all.
type Query struct {
	Paging
	Deep
	S     string     `query:"s"`
	Named Name       `query:"named"`
	I     int        `query:"i"`
	I8    Count      `query:"i8"`
	Al    Alias      `query:"al"`
	U     uint       `query:"u"`
	Sz    Size       `query:"sz" default:"7"`
	F     float64    `query:"f"`
	R     Ratio      `query:"r"`
	B     bool       `query:"b"`
	Flag  Flag       `query:"flag"`
	T     time.Time  `query:"t"`
	Addr  netip.Addr `query:"addr"`
	V     Version    `query:"v"`
	Big   big.Int    `query:"big"`

	PS *string    `query:"ps"`
	PI *Count     `query:"pi" default:"3"`
	PT *time.Time `header:"X-Time"`
	PV *Version   `header:"X-Version"`

	Strings []string    `query:"strings"`
	Names   List        `query:"names"`
	Times   []time.Time `header:"X-Times"`
	Vs      []Version   `query:"vs"`
}

// Body has fields outside and inside of the body.
type Body struct {
	Deep
	Text string `json:"text"`
	Dry  bool   `query:"dry"`
}

// Validate accepts all.
func (b *Body) Validate() error { return nil }

// Thing has routes that bind.
//
//pinned:object /things env=things
type Thing struct{ pinned.Object }

// Get binds a query.
//
//pinned:route GET /{n}/{name}/{v}/{b}
func (t *Thing) Get(ctx context.Context, name Name, n Count, v Version, b Flag, q Query) (Query, error) {
	return q, nil
}

// Put binds a pointer.
//
//pinned:route PUT /body
func (t *Thing) Put(ctx context.Context, b *Body) error { return nil }
