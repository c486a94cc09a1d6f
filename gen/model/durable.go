package model

import (
	"go/token"
	"go/types"
	"time"

	"github.com/pinned-go/pinned/gen/internal/casing"
)

// Durable is a field of an object or a tray that generated code binds.
type Durable struct {
	Kind DurableKind
	Path []string // selectors from the struct: {"base", "topic"}
	// Name is the durable name; "" of a Feed, which has none.
	Name string
	// Type is the T of the field's type: of TrayOf and TraysOf the tray type.
	Type types.Type
	// Default is the JSON of a Value's initial value, "" where that is the zero one.
	Default string
	// Handle is the method that gets the items of a TrayOf, a TraysOf or a Jobs, and
	// Item their type.
	Handle string
	Item   types.Type
	// Tray describes the type of a TrayOf or a TraysOf: the function that gives its
	// TrayClass, and the package that has it.
	Tray Import
	// TrayClass is that function's name.
	TrayClass string
	Pos       token.Position // of the field, or of what embeds it
}

// DurableKind tells durable fields apart.
type DurableKind int

// The kinds of Durable, by the types of package pinned.
const (
	Value DurableKind = iota
	Queue
	Outbox
	Map
	Jobs
	TrayOf
	TraysOf
	Feed // in memory, but its elements carry the gate of what published them
)

// String is the name of the type in package pinned.
func (k DurableKind) String() string {
	return [...]string{"Value", "Queue", "Outbox", "Map", "Jobs", "TrayOf", "TraysOf", "Feed"}[k]
}

// Tray is a struct with //pinned:tray.
type Tray struct {
	Name string // the Go type's
	// Base are the selectors from the struct to its pinned.Tray.
	Base    []string
	Doc     []string
	Item    types.Type // what Items gives
	Version int
	// Attempts and Timeout are 0 where the directive doesn't say.
	Attempts    int
	Timeout     time.Duration
	Open, Drain bool
	Durable     []*Durable // in the order of the struct
	Inboxes     []*Inbox   // by file name, then offset
	Type        *types.Named
	Pos         token.Position // of the directive
}

// Class is the name of the generated function that describes the tray type. Other
// packages call it too, so that it isn't chosen freely.
func (t *Tray) Class() string { return TrayClass(t.Name) }

// Migrate is the name of the generated option that migrates its rows.
func (t *Tray) Migrate() string { return "Migrate" + casing.First(t.Name) }

// TrayClass is Class for the tray type of a name.
func TrayClass(name string) string { return name + "Tray" }

// Inbox is one //pinned:inbox.
type Inbox struct {
	Name   string // of the generated method
	Method string // the author's
	Doc    []string
	Params []InboxParam
	// Variadic says that the last parameter is.
	Variadic bool
	Pos      token.Position // of the directive
}

// InboxParam is a parameter of an Inbox's method; Name is "" where it has none.
type InboxParam struct {
	Name string
	Type types.Type
}

// Alarm is one //pinned:alarm.
type Alarm struct {
	Name     string // of the alarm
	Schedule string // the generated method
	Method   string // the author's
	Doc      []string
	// Info says that the method takes a pinned.Alarm.
	Info bool
	// Payload is the type of its payload; nil without.
	Payload types.Type
	Pos     token.Position // of the directive
}
