package check

import (
	"go/token"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// The messages of this package. Those of whole packages come first.

func excluded(pos token.Position, width int, constraint string) diag.Diagnostic {
	return diag.At(pos, width, diag.Excluded, "this file is not in the build, by its //go:build %s: run pinnedgen with the -tags that it asks for", constraint)
}

func notLoaded(pos token.Position, width int, p *load.Package) diag.Diagnostic {
	return diag.At(pos, width, diag.NotLoaded, "no file of package %s is in the build", p.Path)
}

func notInBuild(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.NotLoaded, "%s is not declared in this build of the package", name)
}

func typeError(pos token.Position, text string) diag.Diagnostic {
	return diag.At(pos, 0, diag.BadType, "%s", text)
}

func badType(pos token.Position, width int, what string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadType, "the type of %s can't be resolved", what)
}

// Objects.

func notAStruct(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.NotAStruct, "an object is a struct, and %s isn't", name)
}

func genericObject(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.GenericObject, "%s has type parameters: an object can't have any", name)
}

func unexportedObject(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.UnexportedObject, "an object's type must be exported, since its client is named after it: %s", name).
		Replace(strings.ToUpper(name[:1]) + name[1:])
}

func objectTarget(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.ObjectName, "an object can't be called %s: the generated Client has a field of that name", name)
}

func objectTwice(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.ObjectTwice, "%s has two //pinned:object directives", name)
}

func noBase(pos token.Position, name, base, problem string) diag.Diagnostic {
	if problem != "" {
		return diag.At(pos, len(name), diag.NoBase, "%s must embed pinned.%s: %s", name, base, problem)
	}
	return diag.At(pos, len(name), diag.NoBase, "%s must embed pinned.%s", name, base)
}

func fieldHides(pos token.Position, name, base string, promoted bool) diag.Diagnostic {
	if promoted {
		return diag.At(pos, 0, diag.HidesMethod, "a field %s, promoted from here, hides a method of pinned.%s", name, base)
	}
	return diag.At(pos, len(name), diag.HidesMethod, "field %s hides a method of pinned.%s: call it otherwise", name, base)
}

func wrongHook(pos token.Position, width int, name, signature string) diag.Diagnostic {
	return diag.At(pos, width, diag.WrongHook, "%s is the name of a hook, whose signature is %s: call the method otherwise if it is none", name, signature)
}

func namespaceTwice(pos token.Position, width int, namespace string, had *model.Object) diag.Diagnostic {
	return diag.At(pos, width, diag.NamespaceTwice, "namespace %s is taken in this module, by %s of %s", namespace, had.Name, had.Package)
}

func clientElsewhere(pos token.Position, width int, folder string) diag.Diagnostic {
	return diag.At(pos, width, diag.ClientName, "client %q is in another module", folder)
}

func clientTwice(pos token.Position, name, folder string) diag.Diagnostic {
	return diag.At(pos, 0, diag.NameTwice, "two objects called %s have their client in %s", name, folder)
}

// Routes.

func receiverNoObject(pos token.Position, width int, verb, method, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.NoObject, "%s has %s, but %s is no object: give it //pinned:object", method, one(verb), name)
}

func promotedMethod(pos token.Position, width int, verb, base, object string) diag.Diagnostic {
	return diag.At(pos, width, diag.NoObject,
		"%s isn't inherited: %s is no object, though %s embeds it; declare the method on %s", one(verb), base, object, object)
}

func genericReceiver(pos token.Position, verb, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.GenericObject, "%s has type parameters: the receiver of %s can't have any", name, one(verb))
}

func hookReceiver(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.ValueReceiver, "%s has a value receiver: a hook is a method of the pointer, as the object is", name)
}

func valueReceiver(pos token.Position, width int, verb, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.ValueReceiver, "%s needs a pointer receiver, *%s: this one would work on a copy", one(verb), name)
}

// one is a verb that stands on methods, as a noun.
func one(verb string) string {
	if verb == "alarm" || verb == "inbox" {
		return "an " + verb
	}
	return "a " + verb
}

func unexportedRoute(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.UnexportedRoute, "a route's method must be exported, since a client has it too: %s", name).
		Replace(strings.ToUpper(name[:1]) + name[1:])
}

func methodHides(pos token.Position, verb, name, base string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.HidesMethod, "%s %s hides a method of pinned.%s: call it otherwise", verb, name, base)
}

func routeIsHook(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.RouteIsHook, "%s is a hook, so it can't be a route: call the method otherwise", name)
}

func badPattern(pos token.Position, width int, pattern, problem string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadPattern, "pattern %q: %s", pattern, problem)
}

func conflict(r, had *model.Route, why string) diag.Diagnostic {
	if r.Method == had.Method && r.Pattern == had.Pattern {
		if r.Func == had.Func {
			return diag.At(r.PatternPos, len(r.Pattern), diag.RouteConflict, "%s has the route %s %s twice", r.Func, r.Method, r.Pattern)
		}
		return diag.At(r.PatternPos, len(r.Pattern), diag.RouteConflict, "route %s %s is taken by %s", r.Method, r.Pattern, had.Func)
	}
	return diag.At(r.PatternPos, len(r.Pattern), diag.RouteConflict, "route %s %s conflicts with %s %s: %s",
		r.Method, r.Pattern, had.Method, had.Pattern, why)
}

func neverMatches(r, winner *model.Route) diag.Diagnostic {
	return diag.At(r.PatternPos, len(r.Pattern), diag.NeverMatches, "route %s %s can never match: others such as %s %s win",
		r.Method, r.Pattern, winner.Method, winner.Pattern)
}

// Parameters.

func variadic(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadParam, "%s is variadic: a route takes a slice in a request struct", name)
}

func badRaw(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadRaw,
		"%s takes an http.ResponseWriter, so it must be func(http.ResponseWriter, *http.Request), without results", name)
}

func rawSocket(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadRaw, "a WEBSOCKET route can't be a raw handler: it takes a *pinned.Conn[In, Out]")
}

func contextNotFirst(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadParam, "the context must be the first parameter")
}

func wantPointer(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadParam, "this must be a pointer, %s", typ)
}

func wantValue(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadParam, "this must be %s itself, no pointer", typ).Replace(typ)
}

func wantReader(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadParam, "a raw body is an io.Reader")
}

func badPathParam(pos token.Position, width int, name, typ, problem string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadPathParam, "path parameter %s can't be %s: %s", name, typ, problem)
}

func unnamedParam(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.UnnamedParam, "this %s needs the name of a path parameter: parameters are bound by name", typ)
}

func notInPattern(pos token.Position, width int, name, pattern string) diag.Diagnostic {
	return diag.At(pos, width, diag.NotInPattern, "no {%s} in the pattern %s: a parameter of this type comes from the path; from the query it is a field of a request struct", name, pattern)
}

func badParam(pos token.Position, width int, what, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadParam, "%s can't be %s: a route takes path parameters, a request struct, io.Reader, *http.Request and pinned.Caller", what, typ)
}

func paramTwice(pos token.Position, width int, what string) diag.Diagnostic {
	return diag.At(pos, width, diag.ParamTwice, "a route takes one %s at most", what)
}

func socketNeedsConn(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadSocket, "a WEBSOCKET route takes a *pinned.Conn[In, Out], and %s doesn't", name)
}

func connNeedsSocket(pos token.Position, width int, method string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadSocket, "a *pinned.Conn is for WEBSOCKET routes, and this is a %s one", method)
}

func readerWithoutBody(pos token.Position, width int, method string) diag.Diagnostic {
	return diag.At(pos, width, diag.NoBody, "%s requests have no body to read", method)
}

func bodyTwice(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BodyTwice, "the body can't be both this io.Reader and %s: tag its fields query: or header:", typ)
}

func wildcardIsKeyword(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.WildcardWithoutParam, "path parameter {%s} is a word of Go, which no parameter is called: rename it in the pattern", name)
}

func wildcardWithoutParam(pos token.Position, width int, name, method string) diag.Diagnostic {
	return diag.At(pos, width, diag.WildcardWithoutParam, "path parameter {%s} needs a parameter %s of %s", name, name, method)
}

func limitWithoutBody(pos token.Position, width int, why string) diag.Diagnostic {
	return diag.At(pos, width, diag.LimitWithoutBody, "limit= bounds a body, and %s", why)
}

func noAuthMethod(pos token.Position, width int, object, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadAuth, "auth=%s: *%s has no method of that name", name, object)
}

func wrongAuth(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadAuth, "auth=%s: its signature must be %s", name, authSignature(name))
}

// Request structs.

func badField(pos token.Position, width int, field, problem string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadField, "%s: %s", field, problem)
}

func nameTwice(pos token.Position, width int, in, name, first, second string) diag.Diagnostic {
	return diag.At(pos, width, diag.BoundTwice, "%s %q is read into both %s and %s", in, name, first, second)
}

func boundInBody(pos token.Position, width int, bound, body, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BoundInBody,
		"%s is never read from the body, but encoding/json calls it %q, like %s: tag it json:\"-\"", bound, name, body)
}

func nestedTag(pos token.Position, width int, path, tag string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadField, "%s: %s: has no effect in a struct inside a request struct", path, tag)
}

func ownJSON(pos token.Position, width int, typ, method string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadField, "%s reads its own JSON, but %s requests have no body", typ, method)
}

func wrongValidate(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.WrongHook, "Validate of request type %s must be Validate() error", typ)
}

// Results.

func socketResult(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "a WEBSOCKET route returns nothing or an error")
}

func tooManyResults(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "%s returns too much: a route returns nothing, error, T or (T, error)", name)
}

func seqWithoutError(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "a stream is iter.Seq[T] or iter.Seq2[T, error], not with %s", typ)
}

func badResponse(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "a pinned.Response can't hold %s", typ)
}

func wantReaderResult(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "return %s as an io.Reader, for its bytes to be streamed", typ)
}

func wantSeq(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "return %s as an iter.Seq or iter.Seq2, for a stream", typ)
}

func errorNotLast(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadResult, "an error must be the last result, and of type error")
}

// Types.

func cannotEncode(pos token.Position, width int, path, typ, why string) diag.Diagnostic {
	text := path + ": " + typ + " cannot be encoded"
	if path == typ {
		text = typ + " cannot be encoded"
	}
	if why != "" {
		text += ": " + why
	}
	return diag.At(pos, width, diag.CannotEncode, "%s", text)
}

func hollowStruct(pos token.Position, width int, path, typ string) diag.Diagnostic {
	why := "all its fields are unexported, so it would be {}"
	return cannotEncode(pos, width, path, typ, why)
}

func badMapKey(pos token.Position, width int, path, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.CannotEncode, "%s: a map's key can't be %s", path, typ)
}

func embeddedPointer(pos token.Position, width int, path, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.CannotEncode, "%s: %s cannot be decoded: it is an embedded pointer to an unexported struct", path, typ)
}

func sameJSONName(pos token.Position, width int, path, first, second, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.CannotEncode, "%s: fields %s and %s are both %q in JSON", path, first, second, name)
}

func lostField(pos token.Position, width int, first, second, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.CannotEncode, "%s and %s are both %q in JSON, at one depth, so that encoding/json drops them", first, second, name)
}

func besideObject(pos token.Position, width int, typ, object, folder string) diag.Diagnostic {
	return diag.At(pos, width, diag.BesideObject,
		"%s is declared beside %s, whose client is in %s and can't import this package: declare it there", typ, object, folder)
}

// Errors.

func blankError(pos token.Position) diag.Diagnostic {
	return diag.At(pos, 1, diag.NotAnError, "an error that travels needs a name")
}

func notAnError(pos token.Position, name, typ string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.NotAnError, "%s can't be declared as an error: %s doesn't implement error", name, typ)
}

func genericError(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.NotAnError, "%s has type parameters: an error that travels can't have any", name)
}

func interfaceError(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.NotAnError, "%s is an interface: an error that travels is a variable or a concrete type", name)
}

func codeTwice(pos token.Position, width int, code, had string) diag.Diagnostic {
	return diag.At(pos, width, diag.ErrorCodeTwice, "error code %q is taken by %s", code, had)
}

func errorTwice(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len("//pinned:error"), diag.ErrorTwice, "%s is declared as an error twice: an error has one code", name)
}

func errorBesideObject(pos token.Position, width int, name, folder string) diag.Diagnostic {
	return diag.At(pos, width, diag.BesideObject, "%s must be declared in %s, where the client and its error table are", name, folder)
}

// Names.

func nameTaken(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.NameTaken, "%s is a name that pinnedgen generates: call this otherwise", name)
}

func nameGeneratedTwice(pos token.Position, name, first, second string) diag.Diagnostic {
	return diag.At(pos, 0, diag.NameTwice, "%s would be generated for both %s and %s: call one otherwise", name, first, second)
}
