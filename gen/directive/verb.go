package directive

import (
	"fmt"
	"slices"
	"strings"
)

// Target is a kind of declaration that a directive may stand on.
type Target int

// The kinds of Target, as messages name them.
const (
	Struct   Target = iota // a struct type
	Method                 // a method
	Variable               // a package-level variable
	TypeDecl               // a type
)

func (t Target) String() string {
	return [...]string{"a struct type", "a method of a struct", "a package-level variable", "a type"}[t]
}

// Verb is a row of the table of verbs: all that the parser, its messages and
// `pinnedgen help` know of a directive.
type Verb struct {
	Name    string
	Targets []Target
	Args    []Param
	Options []Param
	Short   string   // one line
	Doc     string   // paragraphs
	Example []string // lines of Go
	// wordy verbs have arguments that may be words of prose, or none.
	wordy bool
}

// Param is a positional argument or an option.
type Param struct {
	Name string
	// Value names an option's value in messages ("n" in limit=n); "" is a flag.
	// Of a positional argument it is the placeholder.
	Value string
	// Allowed are all values there are, where they are few.
	Allowed []string
	Doc     string
	// check says what is wrong with a value, and what it should be where that
	// is clear; "" where it's fine.
	check func(value string) (problem, fix string)
}

// Usage is the directive's form: "//pinned:object <namespace> [env=name]".
func (v *Verb) Usage() string {
	var b strings.Builder
	b.WriteString("//pinned:" + v.Name)
	for _, a := range v.Args {
		b.WriteString(" <" + a.Value + ">")
	}
	for _, o := range v.Options {
		b.WriteString(" [" + o.usage() + "]")
	}
	return b.String()
}

func (p *Param) usage() string {
	if p.Value == "" {
		return p.Name
	}
	return p.Name + "=" + p.Value
}

func (v *Verb) option(key string) *Param {
	i := slices.IndexFunc(v.Options, func(p Param) bool { return p.Name == key })
	if i < 0 {
		return nil
	}
	return &v.Options[i]
}

func (v *Verb) optionNames() []string {
	names := make([]string, len(v.Options))
	for i := range v.Options {
		names[i] = v.Options[i].Name
	}
	return names
}

// allowed lists the options there are, for a message.
func (v *Verb) allowed() string {
	if len(v.Options) == 0 {
		return fmt.Sprintf("%s takes no options", v.Name)
	}
	forms := make([]string, len(v.Options))
	for i := range v.Options {
		forms[i] = v.Options[i].usage()
	}
	return fmt.Sprintf("the options of %s are %s", v.Name, list(forms, "and"))
}

func (v *Verb) targets() string {
	names := make([]string, len(v.Targets))
	for i, t := range v.Targets {
		names[i] = t.String()
	}
	return strings.Join(names, " or ")
}

// Verbs are the directives there are, in the order in which help lists them.
func Verbs() []*Verb { return verbs }

// Lookup finds a verb, nil where there is none of that name.
func Lookup(name string) *Verb {
	for _, v := range verbs {
		if v.Name == name {
			return v
		}
	}
	return nil
}

func verbNames() []string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.Name
	}
	return names
}

// Methods are the values of a route's first argument.
var Methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "WEBSOCKET"}

// verbs is the table. A verb to come is a row.
var verbs = []*Verb{
	{
		Name:    "object",
		Targets: []Target{Struct},
		Args: []Param{
			{
				Name: "namespace", Value: "namespace",
				Doc:   "the first segment of the object's paths, such as /rooms",
				check: checkNamespace,
			},
		},
		Options: []Param{
			{Name: "env", Value: "name", Doc: "the environment that the object is registered for", check: checkEnv},
			{
				Name: "client", Value: "./dir",
				Doc:   "a folder below this one that gets client, fake and error table, as a package of their own",
				check: checkClient,
			},
		},
		Short: "makes a struct an object: one live value for each id",
		Doc: `The struct embeds pinned.Object. Each id has one live value, which runs one turn
at a time, so its fields need no locks. Its methods become routes by
//pinned:route; Open, Close, Authorize, Idle and Stats are hooks by their name
and signature.

Its fields of type pinned.Value, pinned.Queue, pinned.Outbox, pinned.Map and
pinned.Jobs are durable, and so are the trays of a pinned.TrayOf or pinned.TraysOf
(//pinned:tray). One is stored under the name of the field in lower camel case, or
under that of a tag pinned:"name"; a Value has the zero value at first, or that of a
tag default:"…". All other fields are in memory.

A namespace belongs to one object of a module. That is checked among the packages
of one run, so that "pinnedgen check ./..." finds one that is there twice.

Objects of two packages that call each other need the client of one of them in a
package of its own, and so do callers that shouldn't link the object: client=
names a folder below this one for it, such as ./api. Then no type of a signature
may be declared beside the object.`,
		Example: []string{
			"// Room is one chat room.",
			"//",
			"//pinned:object /rooms",
			"type Room struct {",
			"\tpinned.Object",
			"}",
		},
	},
	{
		Name:    "route",
		Targets: []Target{Method},
		Args: []Param{
			{Name: "method", Value: "METHOD", Allowed: Methods, Doc: "the HTTP method, or WEBSOCKET", check: checkMethod},
			{
				Name: "pattern", Value: "pattern",
				Doc:   "what follows the id, as net/http.ServeMux reads it: /messages/{n}, /files/{path...}, /{$}",
				check: checkPattern,
			},
		},
		Options: []Param{
			{Name: "concurrent", Doc: "the method runs outside turns, and enters one with Turn"},
			{
				Name: "ungated",
				Doc:  "the answer doesn't wait until what it wrote and saw is durable",
			},
			{
				Name: "limit", Value: "n",
				Doc:   "how large a body may be, or on a WEBSOCKET route a message: bytes, or with KiB, MiB or GiB; 1MiB without",
				check: checkLimit,
			},
			{
				Name: "auth", Value: "Method or none",
				Doc:   "a method that is asked instead of Authorize, with its signature; auth=none asks nothing",
				check: checkAuth,
			},
		},
		Short: "makes a method of an object a route; may repeat",
		Doc: `Arguments after ctx, in any order: path parameters by name; at most one struct,
read from a JSON body and from fields tagged query:"…" or header:"…"; an
io.Reader (the raw body); *http.Request; pinned.Caller. A WEBSOCKET route takes
a *pinned.Conn[In, Out].

A field with query: or header: may have default:"…", which is its value when the
request doesn't have it; without, it is the zero value. A struct that has
Validate() error gets it called when it was read, and its error is a 400.

Results: nothing, error, T or (T, error). T is anything that JSON can hold, or
string, []byte, io.Reader, *pinned.Response[T], iter.Seq[T], iter.Seq2[T, error].
A method func(http.ResponseWriter, *http.Request) does all itself.`,
		Example: []string{
			"// SetTopic replaces the topic.",
			"//",
			"//pinned:route PUT /topic",
			"func (r *Room) SetTopic(ctx context.Context, req SetTopic) (Topic, error)",
			"",
			"// Page is a request: ?after=…&limit=…",
			"type Page struct {",
			"\tAfter int `query:\"after\"`",
			"\tLimit int `query:\"limit\" default:\"50\"`",
			"}",
			"",
			"//pinned:route GET /messages",
			"func (r *Room) Messages(ctx context.Context, q Page) iter.Seq2[Message, error]",
			"",
			"//pinned:route WEBSOCKET /live limit=64KiB",
			"func (r *Room) Live(ctx context.Context, conn *pinned.Conn[In, Out]) error",
		},
	},
	trayVerb,
	inboxVerb,
	handleVerb,
	alarmVerb,
	{
		Name:    "error",
		Targets: []Target{Variable, TypeDecl},
		Args: []Param{
			{
				Name: "code", Value: "code",
				Doc:   "what travels: [a-z][a-z0-9_-]*, once among this package and those that it imports",
				check: checkErrorCode,
			},
			{Name: "status", Value: "status", Doc: "the HTTP status, 400 to 599", check: checkStatus},
		},
		Short: "lets an error cross the wire as the value that it is",
		Doc: `A caller gets the same variable, for errors.Is, or a value of the same type, for
errors.As, whose fields travel as JSON.`,
		Example: []string{
			"// ErrLocked says that the topic can't be changed.",
			"//",
			"//pinned:error locked 423",
			`var ErrLocked = errors.New("the topic is locked")`,
		},
	},
}
