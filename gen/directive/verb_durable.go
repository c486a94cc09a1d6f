package directive

import (
	"fmt"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The rows of the table that are about durable state. Their arguments may be words of
// prose, so that a near miss has nothing else behind it.
var (
	trayVerb = &Verb{
		Name:    "tray",
		Targets: []Target{Struct},
		wordy:   true,
		Options: []Param{
			{
				Name: "version", Value: "n", check: checkVersion,
				Doc: "the schema version of its rows: one of another version begins blank, unless Migrate… has a function for it; 0 without",
			},
			{Name: "attempts", Value: "n", Doc: "how often an item is delivered before the tray parks; 10 without", check: checkAttempts},
			{Name: "timeout", Value: "d", Doc: "how long one delivery may take, such as 90s or 2h; 12h without", check: checkTimeout},
			{Name: "open", Doc: "it opens with the object, and never closes"},
			{Name: "drain", Doc: "it finishes what is queued while its worker drains"},
		},
		Short: "makes a struct a tray type: a durable queue of work with state of its own",
		Doc: `The struct embeds pinned.Tray. Its fields of type pinned.Value, pinned.Queue and
pinned.Outbox are one durable row. It has a method Items() iter.Seq[T], which gives
the work, from those fields alone: what runs after yield returned true is the
acknowledgement of the item.

An object has trays in fields: a pinned.TrayOf[Mail] is one, a pinned.TraysOf[Mail]
one for each key. A method of the object with //pinned:handle gets the items. The
object may be of another package.

A tray is filled by its inboxes (//pinned:inbox). For plain jobs no tray type is
needed: a field pinned.Jobs[T] of an object is a queue that a handle consumes.`,
		Example: []string{
			"// Mail is what waits to be sent.",
			"//",
			"//pinned:tray attempts=20 timeout=5m",
			"type Mail struct {",
			"\tpinned.Tray",
			"",
			"\tletters pinned.Queue[Letter]",
			"}",
			"",
			"// Items gives each letter, and takes it out once it was sent.",
			"func (m *Mail) Items() iter.Seq[Letter] {",
			"\treturn func(yield func(Letter) bool) {",
			"\t\tfor {",
			"\t\t\tletter, ok := m.letters.Peek()",
			"\t\t\tif !ok || !yield(letter) {",
			"\t\t\t\treturn",
			"\t\t\t}",
			"\t\t\tm.letters.Pop()",
			"\t\t}",
			"\t}",
			"}",
		},
	}
	inboxVerb = &Verb{
		Name:    "inbox",
		Targets: []Target{Method},
		wordy:   true,
		Args: []Param{
			{Name: "name", Value: "ExportedName", Doc: "the method that is generated, such as Add", check: checkInbox},
		},
		Short: "makes a method of a tray an admission into it",
		Doc: `The method is unexported and returns nothing; what it writes is one atomic
segment, so it takes no context. The generated method has the name that the
directive gives, and returns a pinned.Receipt; a second one, <ExportedName>As, has
a key in front and returns a pinned.Admission. That is what d.Admit takes, d being
the *pinned.Dispatch of an item: it admits exactly once for each key, however
often the item is delivered.`,
		Example: []string{
			"//pinned:inbox Add",
			"func (m *Mail) add(letter Letter) {",
			"\tm.letters.Append(letter)",
			"}",
			"",
			"mail, err := r.mail.Get(ctx)",
			"receipt := mail.Add(letter)",
			`outcome, err := d.Admit(ctx, mail.AddAs("letter-7", letter))`,
		},
	}
	handleVerb = &Verb{
		Name:    "handle",
		Targets: []Target{Method},
		wordy:   true,
		Args: []Param{
			{Name: "field", Value: "Field", Doc: "the field of the object, as it is written there", check: checkFieldName},
		},
		Short: "makes a method of an object the consumer of a tray field's items",
		Doc: `The field is a pinned.TrayOf, a pinned.TraysOf or a pinned.Jobs of the object, and
the method is (ctx, item, d *pinned.Dispatch) error. Each such field has one.

An item is delivered at least once. An error delivers it again, later and with a
higher d.Attempt(); after as many attempts as the tray's directive says the tray
parks.`,
		Example: []string{
			"//pinned:handle mail",
			"func (r *Room) deliver(ctx context.Context, letter Letter, d *pinned.Dispatch) error",
		},
	}
	alarmVerb = &Verb{
		Name:    "alarm",
		Targets: []Target{Method},
		wordy:   true,
		Args: []Param{
			{Name: "name", Value: "name", Doc: "the alarm: [a-z][A-Za-z0-9_-]*, 64 characters at most, once in the object", check: checkAlarm},
		},
		Short: "makes a method of an object run when an alarm is due",
		Doc: `The method is (ctx, pinned.Alarm) error, (ctx, payload) error or (ctx,
pinned.Alarm, payload) error; a payload is any type that JSON holds whole. A
generated method sets the alarm, with the types of this one: of an alarm
daily-digest it is ScheduleDailyDigest(when), or (when, payload), and returns a
pinned.Receipt. When it is says a pinned.When: At, After, Every or Cron.

An alarm is never early, and runs at least once: it is taken away only after the
method returned nil.`,
		Example: []string{
			"//pinned:alarm daily-digest",
			"func (r *Room) digest(ctx context.Context, a pinned.Alarm, to Address) error",
			"",
			`r.ScheduleDailyDigest(pinned.Cron("0 7 * * *", "Europe/Berlin"), address)`,
		},
	}
)

var alarmForm = regexp.MustCompile(`^[a-z][A-Za-z0-9_-]*$`)

func checkAlarm(s string) (problem, fix string) {
	switch {
	case len(s) > 64:
		return fmt.Sprintf("the name of an alarm has 64 characters at most, and this one has %d", len(s)), ""
	case alarmForm.MatchString(s):
		return "", ""
	}
	if low := strings.ToLower(s[:1]) + s[1:]; alarmForm.MatchString(low) {
		fix = low
	}
	return fmt.Sprintf("the name of an alarm must be [a-z][A-Za-z0-9_-]*, and not %q", s), fix
}

func checkInbox(s string) (problem, fix string) {
	switch {
	case token.IsIdentifier(s) && token.IsExported(s):
		return "", ""
	case token.IsIdentifier(s):
		if up := strings.ToUpper(s[:1]) + s[1:]; token.IsExported(up) {
			fix = up
		}
	}
	return fmt.Sprintf("an inbox has the name of an exported method, and not %q", s), fix
}

func checkFieldName(s string) (problem, fix string) {
	if _, after, ok := strings.Cut(s, "."); ok && token.IsIdentifier(after) {
		fix = after
	}
	if !token.IsIdentifier(s) {
		return fmt.Sprintf("%q is not the name of a field", s), fix
	}
	return "", ""
}

// MaxVersion is the largest version of a tray's rows.
const MaxVersion = 1<<31 - 1

func checkVersion(s string) (problem, fix string) {
	if n, err := strconv.ParseInt(s, 10, 32); err != nil || n < 0 || s[0] == '+' {
		return fmt.Sprintf("version %q must be a whole number from 0 to %d", s, MaxVersion), ""
	}
	return "", ""
}

func checkAttempts(s string) (problem, fix string) {
	if n, err := strconv.ParseInt(s, 10, 32); err != nil || n < 1 || s[0] == '+' {
		return fmt.Sprintf("attempts %q must be a whole number, at least 1", s), ""
	}
	return "", ""
}

func checkTimeout(s string) (problem, fix string) {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		return fmt.Sprintf("timeout %q must be a duration such as 90s, 5m or 1h30m", s), ""
	}
	return "", ""
}
