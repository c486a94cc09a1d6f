package directive

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// reader reads the words of one directive.
type reader struct {
	s     *scanner
	verb  *Verb
	d     ast.Directive
	words []word
	out   *Directive
}

// arguments reads what stands behind the verb into out, and says whether all of
// it is fine.
func (s *scanner) arguments(verb *Verb, d ast.Directive, out *Directive) bool {
	words, fault := split(d)
	if fault != "" {
		last := words[len(words)-1]
		s.report(badQuote(s.at(last.pos), int(last.end-last.pos), fault))
		return false
	}
	before := len(s.diags)
	r := &reader{s: s, verb: verb, d: d, words: words, out: out}
	if r.positional() {
		r.options()
	}
	return len(s.diags) == before
}

// positional reads the arguments, and says whether all are there.
func (r *reader) positional() bool {
	for _, param := range r.verb.Args {
		if len(r.words) == 0 || r.verb.optionWord(r.words[0].text) {
			r.s.report(missingArgument(r.s.at(r.out.Pos), int(r.out.End-r.out.Pos), r.verb, param))
			return false
		}
		w := r.words[0]
		r.words = r.words[1:]
		r.out.Args = append(r.out.Args, Arg{Name: param.Name, Text: w.text, Pos: w.pos})
		r.value(w.pos, w.end, param, w.text)
	}
	return true
}

// optionWord says whether a word is an option, where an argument should be.
func (v *Verb) optionWord(word string) bool {
	key, _, _ := strings.Cut(word, "=")
	return v.option(key) != nil || strings.Contains(word, "=") && wordForm.MatchString(key)
}

func (r *reader) options() {
	s, seen := r.s, map[string]token.Pos{}
	for len(r.words) > 0 {
		w := r.words[0]
		r.words = r.words[1:]
		key, value, hasValue := strings.Cut(w.text, "=")
		param := r.verb.option(key)
		pos, width := s.at(w.pos), int(w.end-w.pos)
		if param == nil {
			diagnostic := unknownOption(pos, width, r.verb, key)
			if near := nearest(strings.ToLower(key), r.verb.optionNames()); near != "" {
				diagnostic = nearOption(pos, len(key), r.verb, key, near).Replace(near)
			}
			s.report(diagnostic)
			continue
		}
		if first, twice := seen[key]; twice {
			s.report(optionTwice(pos, width, key).With(s.at(first), "the first"))
			continue
		}
		seen[key] = w.pos
		switch {
		case param.Value == "" && hasValue:
			s.report(flagWithValue(pos, width, key).Replace(key))
			continue
		case param.Value != "" && value == "":
			s.report(optionWithoutValue(pos, width, param))
			continue
		}
		o := Option{Key: key, Value: value, Pos: w.pos, ValuePos: w.pos}
		if param.Value != "" {
			o.ValuePos += token.Pos(strings.IndexByte(r.source(w.pos, w.end), '=') + 1)
		}
		if r.optionValue(*param, o, w) {
			r.out.Options = append(r.out.Options, o)
		}
	}
}

// source is what the directive has from one place to another.
func (r *reader) source(pos, end token.Pos) string {
	return r.d.Args[pos-r.d.ArgsPos : end-r.d.ArgsPos]
}

// optionValue checks the value of an option, of which w is the first word. Quotes stand
// around words, so that in key="a b" they are a part of it, and it is two words.
func (r *reader) optionValue(param Param, o Option, w word) bool {
	end := w.end
	if w.quoted {
		end -= token.Pos(len(`"`))
	}
	if w.quoted || param.Value == "" {
		return r.value(o.ValuePos, end, param, o.Value)
	}
	if quote := o.Value[0]; quote == '"' || quote == '`' {
		for len(r.words) > 0 && !r.closed(o.ValuePos, end, quote) {
			end = r.words[0].end
			r.words = r.words[1:]
		}
		text := r.source(o.ValuePos, end)
		if !r.closed(o.ValuePos, end, quote) {
			r.s.report(badQuote(r.s.at(o.ValuePos), len(text), "a quoted value doesn't end, and a value takes no quotes"))
			return false
		}
		inner := text[1 : len(text)-1]
		if strings.ContainsFunc(inner, unicode.IsSpace) {
			r.spaces(o.ValuePos, end, param, inner)
			return false
		}
		d := badValue(r.s.at(o.ValuePos), len(text), quotedValue(param.Name, inner))
		if problem, _ := param.check(inner); problem == "" {
			d = d.Replace(inner)
		}
		r.s.report(d)
		return false
	}
	// What can only be the rest of this value, such as the unit of a limit.
	if len(r.words) > 0 {
		next := r.words[0]
		if text := r.source(o.ValuePos, next.end); r.verb.option(next.text) == nil && joined(param, text) != "" {
			r.words = r.words[1:]
			r.spaces(o.ValuePos, next.end, param, text)
			return false
		}
	}
	return r.value(o.ValuePos, end, param, o.Value)
}

// closed says whether the source ends with the quote with which it begins.
func (r *reader) closed(pos, end token.Pos, quote byte) bool {
	text := r.source(pos, end)
	return len(text) > 1 && text[len(text)-1] == quote
}

// value checks what an argument or option is, and says whether it is fine.
func (r *reader) value(pos, end token.Pos, param Param, value string) bool {
	if strings.ContainsFunc(value, unicode.IsSpace) {
		r.spaces(pos, end, param, value)
		return false
	}
	if param.check == nil {
		return true
	}
	problem, fix := param.check(value)
	if problem == "" {
		return true
	}
	d := badValue(r.s.at(pos), int(end-pos), problem)
	if fix != "" {
		d = d.Replace(fix)
	}
	r.s.report(d)
	return false
}

func (r *reader) spaces(pos, end token.Pos, param Param, value string) {
	d := badValue(r.s.at(pos), int(end-pos), spacesInValue(param.Name, value))
	if fix := joined(param, value); fix != "" {
		d = d.Replace(fix)
	}
	r.s.report(d)
}

// joined is the value that a number and its unit would be without the space between
// them, "" for anything else: then it isn't sure what was meant.
func joined(param Param, value string) string {
	number, unit, two := strings.Cut(value, " ")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil || !two || param.check == nil {
		return ""
	}
	unit = strings.TrimSpace(unit)
	if problem, _ := param.check(number + unit); problem != "" || wordForm.FindString(unit) == "" {
		return ""
	}
	return number + unit
}
