package params_path

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/pinned-go/pinned"
)

type (
	Name  string
	Count uint16
	// Level writes itself.
	Level struct{ n int }
)

func (l Level) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "level%d", l.n), nil }

func (l *Level) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "level%d", &l.n)
	return err
}

//pinned:object /params_path
type Echo struct{ pinned.Object }

//pinned:route GET /string/{s}
func (e *Echo) String(ctx context.Context, s string) string { return s }

//pinned:route GET /name/{name}
func (e *Echo) Name(ctx context.Context, name Name) (Name, error) { return name, nil }

//pinned:route GET /ints/{a}/{b}/{c}/{d}/{e2}
func (e *Echo) Ints(ctx context.Context, a int, b int8, c int16, d int32, e2 int64) string {
	return fmt.Sprint(a, b, c, d, e2)
}

//pinned:route GET /uints/{a}/{b}/{c}/{d}/{count}
func (e *Echo) Uints(ctx context.Context, a uint, b uint8, c uint32, d uint64, count Count) string {
	return fmt.Sprint(a, b, c, d, count)
}

//pinned:route GET /bool/{yes}
func (e *Echo) Bool(ctx context.Context, yes bool) bool { return yes }

//pinned:route GET /time/{at}
func (e *Echo) Time(ctx context.Context, at time.Time) (time.Time, error) { return at, nil }

//pinned:route GET /addr/{addr}
func (e *Echo) Addr(ctx context.Context, addr netip.Addr) (netip.Addr, error) { return addr, nil }

//pinned:route GET /level/{l}
func (e *Echo) Level(ctx context.Context, l Level) string { return fmt.Sprint(l.n) }

//pinned:route GET /rest/{rest...}
func (e *Echo) Rest(ctx context.Context, rest string) string { return rest }

//pinned:route GET /mixed/{a}/then/{b}/{c...}
func (e *Echo) Mixed(ctx context.Context, c string, a int, b string) string {
	return fmt.Sprint(a, b, c)
}
