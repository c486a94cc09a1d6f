package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/internal/modtest"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

func durableLines(durable []*model.Durable) []string {
	var lines []string
	for _, d := range durable {
		line := fmt.Sprintf("%s %s %q", d.Kind, strings.Join(d.Path, "."), d.Name)
		if d.Default != "" {
			line += " default " + d.Default
		}
		if d.Handle != "" {
			line += " to " + d.Handle
		}
		if d.TrayClass != "" {
			line += " by " + d.TrayClass
		}
		lines = append(lines, line)
	}
	return lines
}

func TestDurableFieldsAreDescribed(t *testing.T) {
	lines, models := checkAll(t, map[string]string{
		"fields": `
type Text = pinned.Value[string]
type base[T any] struct { last pinned.Value[T]; deeper }
type deeper struct { pinned.Queue[int] }
//pinned:object NS
type Room struct {
	pinned.Object
	base[map[string]int]
	a, B Text
	URLs pinned.Map[[]string]
	n pinned.Value[uint16] ` + "`default:\"007\" pinned:\"the-n\"`" + `
	f pinned.Value[float32] ` + "`default:\"1e3\"`" + `
	yes pinned.Value[bool] ` + "`default:\"T\"`" + `
	at pinned.Value[time.Time] ` + "`default:\"2026-01-02T03:04:05Z\"`" + `
	none pinned.Value[string] ` + "`default:\"\"`" + `
	box pinned.Outbox[time.Time]
	feed pinned.Feed[chan int]
	other map[string]*pinned.Feed[int]
	jobs pinned.Jobs[struct{ A int }]
	mail pinned.TrayOf[Mail]
	mails pinned.TraysOf[Letters]
}
type Letters = Mail
//pinned:handle jobs
func (r *Room) work(context.Context, struct{ A int }, *pinned.Dispatch) error { return nil }
//pinned:handle mail
//pinned:handle mails
func (r *Room) deliver(ctx context.Context, s string, d *pinned.Dispatch) error { return nil }
//pinned:tray
type Mail struct { pinned.Tray; open pinned.Value[bool] }
func (m *Mail) Items() iter.Seq[string] { return nil }
`,
	})
	if len(lines) > 0 {
		t.Fatal(lines)
	}
	want := []string{
		`Value base.last "last"`,
		`Queue base.deeper.Queue "queue"`,
		`Value a "a"`,
		`Value B "b"`,
		`Map URLs "urls"`,
		`Value n "the-n" default 7`,
		`Value f "f" default 1000`,
		`Value yes "yes" default true`,
		`Value at "at" default "2026-01-02T03:04:05Z"`,
		`Value none "none" default ""`,
		`Outbox box "box"`,
		`Feed feed ""`,
		`Jobs jobs "jobs" to work`,
		`TrayOf mail "mail" to deliver by MailTray`,
		`TraysOf mails "mails" to deliver by MailTray`,
	}
	got := durableLines(models["fields"].Objects[0].Durable)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTraysAndAlarmsAreDescribed(t *testing.T) {
	lines, models := checkAll(t, map[string]string{
		"all": room + `
//pinned:tray version=3 attempts=4 timeout=5m open drain
type Mail struct { pinned.Tray }
func (m *Mail) Items() iter.Seq[[]string] { return nil }
type Post = Mail
//pinned:inbox Add
func (m *Post) add(_ int, s ...string) {}
//pinned:alarm daily-digest
func (r *Room) digest(context.Context, pinned.Alarm, *time.Time) error { return nil }
//pinned:alarm x
func (r *Room) X(context.Context, string) error { return nil }
`,
	})
	if len(lines) > 0 {
		t.Fatal(lines)
	}
	p := models["all"]
	tray := p.Trays[0]
	if got := fmt.Sprintln(tray.Name, tray.Base, tray.Item, tray.Version, tray.Attempts, tray.Timeout, tray.Open, tray.Drain); got != "Mail [Tray] []string 3 4 5m0s true true\n" {
		t.Errorf("the tray: %s", got)
	}
	in := tray.Inboxes[0]
	if got := fmt.Sprintln(in.Name, in.Method, in.Variadic, in.Params[1].Name, in.Params[1].Type); got != "Add add true s []string\n" {
		t.Errorf("the inbox: %s", got)
	}
	var alarms []string
	for _, a := range p.Objects[0].Alarms {
		alarms = append(alarms, fmt.Sprint(a.Name, " ", a.Schedule, " ", a.Method, " ", a.Info, " ", a.Payload))
	}
	if want := []string{"daily-digest ScheduleDailyDigest digest true *time.Time", "x ScheduleX X false string"}; !slices.Equal(alarms, want) {
		t.Errorf("the alarms: %q", alarms)
	}
}

// elsewhere has a tray type of a module that isn't a main one: what was generated there
// tells of it.
const elsewhere = `
-- go.mod --
GOMOD(example.com/m)
require example.com/dep v0.0.0

replace example.com/dep => ./dep
-- dep/go.mod --
GOMOD(example.com/dep)
-- dep/letters/letters.go --
package letters

import (
	"iter"

	"github.com/pinned-go/pinned"
)

//pinned:tray
type Mail struct{ pinned.Tray }

func (m *Mail) Items() iter.Seq[string] { return nil }

type Unmarked struct{ pinned.Tray }

func (m *Unmarked) Items() iter.Seq[string] { return nil }
-- dep/letters/pinned_gen.go --
package letters

import "github.com/pinned-go/pinned/runtime"

func MailTray() runtime.TrayClass[Mail, string] { panic(0) }
-- rooms/rooms.go --
package rooms

import (
	"context"

	"example.com/dep/letters"
	"github.com/pinned-go/pinned"
)

//pinned:object /rooms
type Room struct {
	pinned.Object
	mail  pinned.TrayOf[letters.Mail]
	other pinned.TrayOf[letters.Unmarked]
}

//pinned:handle mail
//pinned:handle other
func (r *Room) deliver(context.Context, string, *pinned.Dispatch) error { return nil }
`

func TestTraysOfOtherModulesAreToldByTheirOutput(t *testing.T) {
	dir := modtest.Write(t, elsewhere)
	res, err := load.Load(t.Context(), load.Config{Dir: filepath.Join(dir, "rooms")})
	if err != nil {
		t.Fatal(err)
	}
	models, diags := Check(res)
	if len(diags) != 1 || diags[0].Message != "letters.Unmarked is no tray type: give it //pinned:tray" {
		t.Errorf("diagnostics: %v", diags)
	}
	got := durableLines(models[0].Objects[0].Durable)
	if len(got) != 2 || got[0] != `TrayOf mail "mail" to deliver by MailTray` {
		t.Errorf("got %q", got)
	}
}

func TestTheFingerprintIsOfWhatIsEmbedded(t *testing.T) {
	const src = `-- a/a.go --
package a

import "github.com/pinned-go/pinned"

type base struct {
	topic pinned.Value[string]
}

//pinned:object /a
type A struct {
	pinned.Object
	base
}
`
	of := func(src string) string {
		models, lines := checkModule(t, src, "./a")
		if len(lines) > 0 {
			t.Fatal(lines)
		}
		return models["a"].Fingerprint
	}
	want := of(src)
	for name, field := range map[string]string{
		"another type": "topic pinned.Value[int]",
		"another kind": "topic pinned.Queue[string]",
		"another name": "text pinned.Value[string]",
		"a tag":        "topic pinned.Value[string] `pinned:\"text\"`",
		"a default":    "topic pinned.Value[string] `default:\"x\"`",
		"a second":     "topic pinned.Value[string]\n\tother pinned.Value[string]",
	} {
		if of(strings.Replace(src, "topic pinned.Value[string]", field, 1)) == want {
			t.Errorf("%s didn't change it", name)
		}
	}
	if of(strings.Replace(src, "topic pinned.Value[string]", "topic pinned.Value[string]\n\tmemory int", 1)) != want {
		t.Error("a field in memory changed it")
	}
}
