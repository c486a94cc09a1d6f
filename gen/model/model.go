// Package model describes an annotated package: what load reads, check approves
// and emit writes. It holds data only. Everything that came from a source file
// carries its position, so that any later step can point at it. Types stay
// go/types values; how a value crosses the wire is spelled out beside them, so
// that no emitter has to decide it again.
package model

import (
	"go/token"
	"go/types"
)

// Package is one Go package with at least one directive.
type Package struct {
	Path string // import path
	Name string // of the package clause
	Dir  string // absolute
	// Module is the path of the module that holds the package.
	Module string

	Objects []*Object // by file name, then offset
	// Clients are the objects, of other packages, whose client= puts their
	// client here: by package path, then file name and offset. Where an object
	// lives says Type.Obj().Pkg().
	Clients []*Object
	Trays   []*Tray // by file name, then offset
	Errors  []*ErrorDecl
	// ErrorImports are the packages imported here whose PinnedErrors table is
	// merged into this one's, sorted by path.
	ErrorImports []Import

	// Constraint is the build constraint that the annotated files share, such as
	// "integration && !race": the output carries it too. "" mostly.
	Constraint string
	// Fingerprint is the hash of the annotated declarations, comments included.
	Fingerprint string
	// Names are the package-scope names that hand-written code declares, and
	// those that its files import or dot-import: what an emitter must not take.
	Names map[string]token.Position
	// Types is the type-checked package; nil for one that has no file yet.
	Types *types.Package
}

// Import is another package that generated code names.
type Import struct {
	Path string
	Name string // the package clause's, which may differ from the path's end
}

// Object is a struct with //pinned:object.
type Object struct {
	Name string // the Go type's
	// Package is the import path of the package that declares it.
	Package string
	// Base are the selectors from the struct to its pinned.Object: {"Object"}
	// mostly, more where a base struct embeds it, another where an alias does.
	Base      []string
	Namespace string // "/rooms"
	Env       string // env=, "" without
	Client    string // client=, a directory relative to Dir, "" for the same package
	// ClientPackage is the package that Client names; its zero value without.
	ClientPackage Import
	Doc           []string // doc comment lines without "//" and directives
	Hooks         Hooks
	Routes        []*Route   // by file name, then offset of the directive
	Durable       []*Durable // in the order of the struct
	Alarms        []*Alarm   // by file name, then offset
	Type          *types.Named
	Pos           token.Position // of the directive
}

// Hooks says which hooks an object has, each with the right signature.
type Hooks struct {
	Open, Close, Authorize, Idle, Stats bool
}

// Route is one //pinned:route. A method with several has a Route for each.
type Route struct {
	Func     string // the Go method
	Doc      []string
	Method   string // GET, HEAD, POST, PUT, PATCH, DELETE or WEBSOCKET
	Pattern  string // as written: "/messages/{n}"
	Segments []Segment
	// Primary marks the first route of Func, which its client method uses.
	Primary    bool
	Concurrent bool
	Ungated    bool
	Limit      int64  // limit= in bytes, 0 without
	Auth       string // auth=: a method's name, "none", or "" for Authorize

	// HasContext says that the first parameter is a context.Context.
	HasContext bool
	Params     []Param // the rest, in order
	Result     Result

	Pos        token.Position // of the directive
	PatternPos token.Position // of its pattern
	FuncPos    token.Position // of the method's name
}

// Segment is one part of a pattern, as net/http.ServeMux reads it.
type Segment struct {
	Kind SegmentKind
	// Text is the literal, unescaped; or the wildcard's name ("" for the
	// nameless one that a trailing slash means).
	Text string
}

// SegmentKind tells the parts of a pattern apart.
type SegmentKind int

// The kinds of Segment.
const (
	Literal  SegmentKind = iota
	Wildcard             // {name}
	Multi                // {name...}, or a trailing slash
	End                  // {$}
)

// Param is one parameter of a route's method, after ctx.
type Param struct {
	Kind ParamKind
	Name string // "" where the author gave none
	Type types.Type
	// Scalar is how a PathParam is written.
	Scalar Scalar
	// Request is the struct of a StructParam.
	Request *Request
	// In and Out are the message types of a ConnParam: what the object receives
	// and what it sends.
	In, Out types.Type
	Pos     token.Position
}

// ParamKind tells parameters apart.
type ParamKind int

// The kinds of Param.
const (
	PathParam    ParamKind = iota // by name, from the pattern
	StructParam                   // the request struct (or a pointer to it)
	ReaderParam                   // io.Reader: the raw body
	RequestParam                  // *http.Request
	CallerParam                   // pinned.Caller
	ConnParam                     // *pinned.Conn[In, Out] of a WEBSOCKET route
	WriterParam                   // http.ResponseWriter of a raw handler
)

// Request is a route's request struct.
type Request struct {
	Type    types.Type // the struct, without pointer
	Pointer bool       // the parameter is a pointer to it
	// Body says that fields are read from a JSON body.
	Body bool
	// Exclude are the JSON names of bound fields that a body must not set
	// (those that encoding/json would fill otherwise), sorted.
	Exclude []string
	// Bound are the fields with a query or header tag, in field order, embedded
	// structs' included.
	Bound []Field
	// Validate says that the struct, or a pointer to it, has Validate() error.
	Validate bool
}

// Field is one field of a request struct that is bound outside the body.
type Field struct {
	Path    []string // selectors from the struct: {"Page", "After"}
	In      string   // "query" or "header"
	Name    string   // the parameter's or the header's (canonical form)
	Default *string  // default:, as written; nil without
	Scalar  Scalar
	Pos     token.Position
}

// Scalar is a value written as text in a path, a query or a header.
type Scalar struct {
	Kind ScalarKind
	Bits int // of Int, Uint and Float: 8 to 64; 0 for int and uint
	// Type is the element's type as declared: the T of *T and of []T.
	Type    types.Type
	Pointer bool // *T: nil when absent
	Slice   bool // []T: one element a value
	// Flag of a Text scalar: whether UnmarshalText and MarshalText are there
	// with a pointer receiver only.
	PointerText bool
}

// ScalarKind is how a Scalar is parsed.
type ScalarKind int

// The kinds of Scalar. Named types have their underlying type's kind, unless
// they are a Text.
const (
	String ScalarKind = iota
	Int
	Uint
	Float
	Bool
	Text // encoding.TextUnmarshaler
)

// Result is what a route's method returns.
type Result struct {
	Kind ResultKind
	// Type is T: what is encoded. Of Seq and Seq2 the element, of Response the
	// body. nil for None and Raw.
	Type types.Type
	// Body is what T is on the wire: JSON, Str, Bytes or Reader. It differs
	// from Kind for Response only.
	Body ResultKind
	// HasError says that the last result is an error (of Seq2: the sequence's).
	HasError bool
	// StreamError, of Seq and Seq2, says that the method returns an error beside the
	// sequence: (iter.Seq2[T, error], error).
	StreamError bool
	Pos         token.Position
}

// ResultKind tells results apart.
type ResultKind int

// The kinds of Result.
const (
	None     ResultKind = iota // nothing, or only error: 204
	JSON                       // T
	Str                        // string
	Bytes                      // []byte
	Reader                     // io.Reader
	Response                   // *pinned.Response[T]
	Seq                        // iter.Seq[T]
	Seq2                       // iter.Seq2[T, error]
	Raw                        // func(http.ResponseWriter, *http.Request)
	Socket                     // a WEBSOCKET route
)

// ErrorDecl is one //pinned:error.
type ErrorDecl struct {
	Name    string // the Go name of the variable or type
	Code    string
	Status  int
	IsType  bool // a type: travels with its JSON as data
	Pointer bool // of a type: *T is the error, not T
	Pos     token.Position
}
