package routes_of_every_scalar

import (
	"context"

	"github.com/pinned-go/pinned"
)

type (
	B   bool
	I8  int8
	U64 uint64
	F32 float32
	S   string
	By  byte
	Ru  rune
)

type All struct {
	B   B     `query:"b"`
	I8  I8    `query:"i8"`
	U64 U64   `query:"u64"`
	F32 F32   `query:"f32"`
	S   S     `query:"s"`
	By  By    `query:"by"`
	Ru  Ru    `query:"ru"`
	PB  *B    `query:"pb"`
	PF  *F32  `query:"pf"`
	LS  []S   `query:"ls"`
	LF  []F32 `query:"lf"`
	HB  B     `header:"X-B"`
	HF  *F32  `header:"X-F"`
	HU  []U64 `header:"X-U"`
}

//pinned:object /routes_of_every_scalar
type Echo struct{ pinned.Object }

//pinned:route GET /{b}/{i8}/{u64}/{s}/{by}/{ru}
func (e *Echo) Echo(ctx context.Context, all All, b B, i8 I8, u64 U64, s S, by By, ru Ru) (All, error) {
	if all.B != b || all.S == s {
		return All{}, nil
	}
	return all, nil
}
