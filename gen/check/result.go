package check

import (
	"go/types"

	"github.com/pinned-go/pinned/gen/model"
)

// results reads what a route's method returns.
func (s *signature) results() {
	if s.r.Result.Kind == model.Raw {
		return
	}
	results := s.written(s.d.Func.Type.Results, s.fn.Signature().Results())
	s.r.Result.Pos = s.r.FuncPos
	if len(results) > 0 {
		s.r.Result.Pos = s.at(results[0].expr.Pos())
	}
	if n := len(results); n > 0 && isError(results[n-1].typ) {
		s.r.Result.HasError = true
		results = results[:n-1]
	}
	switch {
	case s.r.Method == "WEBSOCKET":
		s.r.Result.Kind = model.Socket
		if len(results) > 0 {
			pos, width := s.node(results[0].expr)
			s.report(socketResult(pos, width))
		}
	case len(results) == 0:
		s.r.Result.Kind = model.None
	case len(results) > 1:
		pos, width := s.node(results[1].expr)
		s.report(tooManyResults(pos, width, s.r.Func))
	default:
		s.result(results[0])
	}
}

// result reads T.
func (s *signature) result(p param) {
	out := &s.r.Result
	t := p.typ
	pos, width := s.node(p.expr)
	out.Type = t
	switch {
	case is(t, "iter", "Seq"), is(t, "iter", "Seq2"):
		args := named(t).TypeArgs()
		out.Kind, out.Type, out.Body = model.Seq, args.At(0), model.JSON
		if out.HasError {
			out.StreamError = true
		}
		if args.Len() == 2 {
			out.Kind, out.HasError = model.Seq2, true
			if !isError(args.At(1)) {
				s.report(seqWithoutError(pos, width, s.typeName(args.At(1))))
			}
		}
		s.encodable(pos, width, args.At(0))
	case isPointer(t, pinnedPath, "Response"):
		out.Kind, out.Type = model.Response, named(t).TypeArgs().At(0)
		out.Body = bodyKind(out.Type)
		if is(out.Type, "iter", "Seq") || is(out.Type, "iter", "Seq2") || named(out.Type) != nil && is(named(out.Type), pinnedPath, "Response") {
			s.report(badResponse(pos, width, s.typeName(out.Type)))
			return
		}
		if out.Body == model.JSON {
			s.encodable(pos, width, out.Type)
		}
	case is(t, pinnedPath, "Response"):
		s.report(wantPointer(pos, width, "*pinned.Response").Replace("*" + s.text(p.expr)))
	case is(t, "io", "ReadCloser"), is(t, "io", "ReadSeeker"), is(t, "io", "ReadSeekCloser"), isPointer(t, "os", "File"), isPointer(t, "bytes", "Buffer"):
		s.report(wantReaderResult(pos, width, s.typeName(t)))
	case isSequence(t):
		s.report(wantSeq(pos, width, s.typeName(t)))
	case types.IsInterface(t) && types.Implements(t, errorInterface):
		s.report(errorNotLast(pos, width))
	default:
		out.Kind = bodyKind(t)
		out.Body = out.Kind
		if out.Kind == model.JSON {
			s.encodable(pos, width, t)
		}
	}
}

var errorInterface, _ = errorType.Underlying().(*types.Interface)

// bodyKind is how a value of t goes over the wire. Only string itself is text; a type
// of the author's with that kind is JSON.
func bodyKind(t types.Type) model.ResultKind {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.String {
			return model.Str
		}
	case *types.Slice:
		if b, ok := types.Unalias(t.Elem()).(*types.Basic); ok && b.Kind() == types.Byte {
			return model.Bytes
		}
	}
	if is(t, "io", "Reader") {
		return model.Reader
	}
	return model.JSON
}

// isSequence says whether t is a function that can be ranged over, without being an
// iter.Seq.
func isSequence(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() != 0 {
		return false
	}
	_, ok = sig.Params().At(0).Type().Underlying().(*types.Signature)
	return ok
}
