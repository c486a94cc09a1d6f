package pinned_test

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/wire"
)

type (
	roomName   string
	roomNumber int16
)

// These never change: ids name stored data.
func TestIDIsWrittenAsItAlwaysWas(t *testing.T) {
	long := strings.Repeat("a", 257)
	for want, parts := range map[string][]any{
		"lobby":                {"lobby"},
		"user~40x":             {"user@x"},
		"~-":                   {""},
		"~-~.~-":               {"", ""},
		"team~.7~.~-":          {"team", 7, ""},
		"a_b-C9":               {"a_b-C9"},
		"~2E":                  {"."},
		"~2E~2E":               {".."},
		"~7E-":                 {"~-"},
		"~7E~2E":               {"~."},
		"a~2Fb~20c":            {"a/b c"},
		"~C3~A9":               {"é"},
		"~00~FF":               {"\x00\xff"},
		"-5":                   {-5},
		"0~.7":                 {0, "7"},
		"-9223372036854775808": {int64(math.MinInt64)},
		"18446744073709551615": {uint64(math.MaxUint64)},
		"255~.-128":            {uint8(255), int8(-128)},
		"lobby~.12":            {roomName("lobby"), roomNumber(12)},
		"192~2E0~2E2~2E1":      {netip.MustParseAddr("192.0.2.1")},
		long[:256]:             {long[:256]},
		long[:190] + "~~e8d95cc2b4bc198c54b40bd214df958afb65f5e73d2c2eafe0593cf5c635c1f0": {long},
		// The hash is of the whole id as it would have been.
		strings.Repeat("~40", 63) + "~~~e5f9304935861aa5fd1b4ae43145aa380d32b4cb3b915c0a34051705d4542204": {strings.Repeat("@", 86)},
	} {
		if got := pinned.ID(parts...); got != want {
			t.Errorf("ID(%q) is %q, want %q", parts, got, want)
		}
	}
}

func TestIDIsAlwaysValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := drawParts(t)
		if id := pinned.ID(anys(parts)...); wire.ValidID(id) != nil {
			t.Fatalf("ID(%q) is %q: %v", parts, id, wire.ValidID(id))
		}
	})
}

func TestDifferentPartsHaveDifferentIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawParts(t), drawParts(t)
		if idA, idB := pinned.ID(anys(a)...), pinned.ID(anys(b)...); (idA == idB) != slices.Equal(a, b) {
			t.Fatalf("ID(%q) is %q, ID(%q) is %q", a, idA, b, idB)
		}
	})
}

// drawParts draws from what the encoding itself is made of, so that collisions
// would be likely, and from anything else.
func drawParts(t *rapid.T) []string {
	part := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("~-.2Ee7")), 0, 4, -1),
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")) }),
	)
	return rapid.SliceOfN(part, 1, 4).Draw(t, "parts")
}

func anys(parts []string) []any {
	all := make([]any, len(parts))
	for i, p := range parts {
		all[i] = p
	}
	return all
}

// mute has no text.
type mute struct{}

func (mute) MarshalText() ([]byte, error) { return nil, errors.New("no text") }

func TestIDRefusesWhatHasNoOneText(t *testing.T) {
	for name, parts := range map[string][]any{
		"no parts":                 nil,
		"nil":                      {nil},
		"a float":                  {1.5},
		"a bool":                   {true},
		"a pointer":                {new(int)},
		"bytes":                    {[]byte("x")},
		"a struct":                 {struct{ N int }{1}},
		"an error of MarshalText":  {mute{}},
		"a nil marshaler":          {(*mute)(nil)},
		"the second part is wrong": {"lobby", 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it didn't panic")
				}
			}()
			pinned.ID(parts...)
		})
	}
}
