package load_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/gen/check"
	"github.com/pinned-go/pinned/gen/internal/modtest"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// rooms names what will be generated in bodies and in signatures, its own and those
// of another package, which uses it likewise.
const rooms = `
-- rooms/room.go --
package rooms

import (
	"context"
	"iter"
	"time"

	"github.com/pinned-go/pinned"
)

// Room is one chat room.
//
//pinned:object /rooms
type Room struct {
	pinned.Object
	next RoomCalls
}

type Topic struct{ Text string }

//pinned:route GET /topic/{n}
func (r *Room) Topic(ctx context.Context, n int, q struct {
	Since time.Time ` + "`query:\"since\"`" + `
}) (Topic, error) {
	return From(r).Room("x").Topic(ctx, n, q)
}

//pinned:route GET /topics
func (r *Room) Topics(ctx context.Context) iter.Seq2[Topic, error] { return nil }

func (r *Room) Next() RoomCalls { return r.next }

func Open(c Client) *FakeRoom { return &FakeRoom{} }
-- lobby/lobby.go --
package lobby

import (
	"context"

	"example.com/m/rooms"
	"github.com/pinned-go/pinned"
)

//pinned:object /lobbies
type Lobby struct {
	pinned.Object
	Rooms map[string]rooms.RoomRef
}

// Box is generic over what is generated elsewhere.
type Box[C rooms.RoomCalls] struct{ Name string }

//pinned:route GET /box
func (l *Lobby) Box(ctx context.Context) (Box[rooms.RoomRef], error) {
	rooms.NewClient("http://x").Room("a").Topic(ctx, 1, struct{}{})
	return Box[rooms.RoomRef]{}, nil
}

func (l *Lobby) Client() rooms.Client { return rooms.From(l) }
`

// both checks a module and wants both objects, without a diagnostic.
func both(t *testing.T, dir string, patterns ...string) []*model.Package {
	t.Helper()
	res, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	models, diags := check.Check(res)
	for _, d := range diags {
		t.Errorf("diagnostic: %s", d)
	}
	return models
}

func objects(models []*model.Package) []string {
	var names []string
	for _, m := range models {
		for _, o := range m.Objects {
			names = append(names, o.Package+"."+o.Name)
		}
		for _, o := range m.Clients {
			names = append(names, m.Path+" has the client of "+o.Package+"."+o.Name)
		}
	}
	return names
}

func TestLoadSurvivesAnyOutput(t *testing.T) {
	const header = load.Header + "\n\n"
	for name, output := range map[string]string{
		"missing":                "",
		"stale":                  header + "package rooms\n\nvar _ = (*Room).Gone\n\nfunc NewRoomClient() {}\n",
		"stale with imports":     header + "package rooms\n\nimport (\n\t\"context\"\n\t\"iter\"\n\t\"time\"\n\n\t\"github.com/pinned-go/pinned\"\n\tpinnedruntime \"github.com/pinned-go/pinned/runtime\"\n)\n\nvar _ = (*Room).Gone\nvar _ pinned.Object\nvar _ pinnedruntime.Worker\nvar _ context.Context\nvar _ iter.Seq[int]\nvar _ time.Time\n",
		"empty":                  "\n",
		"another package":        header + "package other\n",
		"no syntax":              header + "package rooms\n\nfunc {",
		"no package clause":      header,
		"conflict on top":        "<<<<<<< HEAD\n" + header + "=======\n" + header + ">>>>>>> b\npackage rooms\n",
		"conflict in imports":    header + "package rooms\n\nimport (\n<<<<<<< HEAD\n\t\"context\"\n=======\n\t\"iter\"\n>>>>>>> b\n)\n",
		"conflict in a body":     header + "package rooms\n\nfunc f() {\n<<<<<<< HEAD\n\tx()\n=======\n\ty()\n>>>>>>> b\n}\n",
		"a build constraint":     header + "//go:build ignore\n\npackage rooms\n",
		"an import that is gone": header + "package rooms\n\nimport \"example.com/m/gone\"\n\nvar _ gone.X\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := modtest.Write(t, rooms)
			if output != "" {
				modtest.Put(t, filepath.Join(dir, "rooms", load.Output), output)
				modtest.Put(t, filepath.Join(dir, "lobby", load.Output), strings.Replace(output, "package rooms", "package lobby", 1))
			}
			got := objects(both(t, dir, "./..."))
			if want := []string{"example.com/m/lobby.Lobby", "example.com/m/rooms.Room"}; !slices.Equal(got, want) {
				t.Errorf("got %v", got)
			}
			if output != "" {
				src, err := os.ReadFile(filepath.Join(dir, "rooms", load.Output))
				if err != nil || string(src) != output {
					t.Errorf("the output changed: %q, %v", src, err)
				}
			}
		})
	}
}

func TestLoadSurvivesTheOutputOfAnImport(t *testing.T) {
	dir := modtest.Write(t, rooms)
	// No pattern names rooms, whose output is missing.
	if got := objects(both(t, dir, "./lobby")); !slices.Equal(got, []string{"example.com/m/lobby.Lobby"}) {
		t.Errorf("missing: got %v", got)
	}
	modtest.Put(t, filepath.Join(dir, "rooms", load.Output), load.Header+"\n\npackage rooms\n\nvar _ = (*Room).Gone\n")
	if got := objects(both(t, dir, "./lobby")); !slices.Equal(got, []string{"example.com/m/lobby.Lobby"}) {
		t.Errorf("stale: got %v", got)
	}
}

// away has its client in a package of its own, which doesn't exist yet and is
// imported already, by the object's package too.
const away = `
-- rooms/room.go --
package rooms

import (
	"context"

	"example.com/m/rooms/api"
	"example.com/m/types"
	"github.com/pinned-go/pinned"
)

//pinned:object /rooms client=./api
type Room struct {
	pinned.Object
	other api.RoomCalls
}

//pinned:route GET /topic
func (r *Room) Topic(ctx context.Context) (types.Topic, error) { return api.From(r).Room("x").Topic(ctx) }
-- types/topic.go --
package types

type Topic struct{ Text string }
-- lobby/lobby.go --
package lobby

import "example.com/m/rooms/api"

func Client() api.Client { return api.NewClient("x") }
`

func TestLoadPlacesClientsElsewhere(t *testing.T) {
	want := []string{"example.com/m/rooms.Room", "example.com/m/rooms/api has the client of example.com/m/rooms.Room"}
	check := func(t *testing.T, dir string, patterns ...string) []*model.Package {
		t.Helper()
		models := both(t, dir, patterns...)
		if got := objects(models); !slices.Equal(got, want) {
			t.Errorf("%v: got %v", patterns, got)
		}
		return models
	}
	t.Run("in a folder to come", func(t *testing.T) {
		dir := modtest.Write(t, away)
		models := check(t, dir, "./...")
		if api := models[1]; api.Name != "api" || api.Dir != filepath.Join(dir, "rooms", "api") {
			t.Errorf("client: %s in %s", api.Name, api.Dir)
		}
		if o := models[0].Objects[0]; o.ClientPackage != (model.Import{Path: "example.com/m/rooms/api", Name: "api"}) {
			t.Errorf("client package: %+v", o.ClientPackage)
		}
	})
	t.Run("in a folder with types and errors, of another name", func(t *testing.T) {
		dir := modtest.Write(t, strings.ReplaceAll(away, "example.com/m/types", "example.com/m/rooms/api")+`
-- rooms/api/topic.go --
package types

import "errors"

type Topic struct{ Text string }

//pinned:error locked 423
var ErrLocked = errors.New("locked")
`)
		src, err := os.ReadFile(filepath.Join(dir, "rooms", "room.go"))
		if err != nil {
			t.Fatal(err)
		}
		src2 := strings.Replace(string(src), "\t\"example.com/m/rooms/api\"\n", "", 1)
		modtest.Put(t, filepath.Join(dir, "rooms", "room.go"), strings.ReplaceAll(src2, "api.", "types."))
		for _, pattern := range []string{"./rooms", "./rooms/api"} {
			models := check(t, dir, pattern)
			if got := models[1].Name; got != "types" {
				t.Errorf("name: %s", got)
			}
			imports := models[0].ErrorImports
			if len(imports) != 1 || imports[0].Path != "example.com/m/rooms/api" || imports[0].Name != "types" {
				t.Errorf("error imports: %+v", imports)
			}
		}
	})
}

// kept names what is generated for trays and alarms: in bodies, in signatures and in
// types that a route returns, of its own package and of another.
const kept = `
-- letters/letters.go --
package letters

import (
	"iter"

	"github.com/pinned-go/pinned"
)

//pinned:tray
type Mail struct {
	pinned.Tray
	next Adder
}

type Adder interface{ Add(s string) pinned.Receipt }

var _ Adder = (*Mail)(nil)

func (m *Mail) Items() iter.Seq[string] { return nil }

//pinned:inbox Add
func (m *Mail) add(s string) { m.next.Add(s) }
-- rooms/rooms.go --
package rooms

import (
	"context"

	"example.com/m/letters"
	"github.com/pinned-go/pinned"
)

//pinned:object /rooms
type Room struct {
	pinned.Object
	mail pinned.TrayOf[letters.Mail]
}

type scheduler interface{ ScheduleX(when pinned.When, n int) pinned.Receipt }

// Box holds only what has a generated method.
type Box[A letters.Adder] struct{ N int }

//pinned:route GET /box
func (r *Room) Box(ctx context.Context) (Box[*letters.Mail], error) {
	var s scheduler = r
	s.ScheduleX(pinned.When{}, 1)
	_ = letters.MailTray
	return Box[*letters.Mail]{}, nil
}

// Planned holds only what can be scheduled.
type Planned[S scheduler] struct{ N int }

//pinned:route GET /planned
func (r *Room) Planned(ctx context.Context) Planned[*Room] { return Planned[*Room]{} }

//pinned:handle mail
func (r *Room) deliver(ctx context.Context, s string, d *pinned.Dispatch) error { return nil }

//pinned:alarm x
func (r *Room) x(context.Context, int) error { return nil }
`

func TestLoadSurvivesAnyOutputOfTrays(t *testing.T) {
	for name, output := range map[string]string{
		"missing": "",
		"stale":   load.Header + "\n\npackage NAME\n\nfunc (*Mail) Add() {}\n",
		"broken":  load.Header + "\n\npackage NAME\n\nfunc {",
	} {
		t.Run(name, func(t *testing.T) {
			for _, pattern := range []string{"./...", "./rooms"} {
				dir := modtest.Write(t, kept)
				for _, pkg := range []string{"letters", "rooms"} {
					if output != "" {
						modtest.Put(t, filepath.Join(dir, pkg, load.Output), strings.Replace(output, "NAME", pkg, 1))
					}
				}
				models := both(t, dir, pattern)
				o := models[len(models)-1].Objects[0]
				if len(o.Durable) != 1 || o.Durable[0].TrayClass != "MailTray" || o.Durable[0].Handle != "deliver" || len(o.Alarms) != 1 {
					t.Errorf("%s: %+v", pattern, o)
				}
			}
		})
	}
}
