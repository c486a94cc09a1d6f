package directive

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
)

// The messages of this package.

// describe says the first thing that is wrong with m, whose comment begins at pos.
func (m *miss) describe(pos token.Position) diag.Diagnostic {
	text := "//" + m.text
	if m.word == "" {
		text = strings.TrimRightFunc(text, isBlank)
	}
	at := func(code diag.Code, format string, args ...any) diag.Diagnostic {
		return diag.At(pos, len(text), code, format, args...)
	}
	before, after, colon := strings.Cut(m.sep, ":")
	switch {
	case !m.isTool():
		return at(diag.WrongTool, "unknown directive %s, did you mean //pinned:%s?", text, m.known)
	case m.known == "" && leadingWord(m.word) == "":
		return at(diag.NoVerb, "a directive needs a verb after the colon: %s", list(verbNames(), "or"))
	case m.sign != "":
		return at(diag.StrayMark, "a directive has no %q between // and pinned", m.sign)
	case m.blank != "":
		return at(diag.SpacedDirective, "a directive has no space after //%s", hidden(m.blank))
	case !colon && m.sep == "":
		return at(diag.WrongColon, "a directive has a colon after pinned: //pinned:%s", m.known)
	case !colon || trimBlanks(before) != "" || trimBlanks(after) != "":
		return at(diag.WrongColon, "a directive has a colon after pinned, not %+q: //pinned:%s", m.sep, m.known)
	case m.sep != ":":
		return at(diag.SpacedColon, "a directive has no space around its colon%s", hidden(m.sep))
	case m.known == "":
		return at(diag.CapitalDirective, "a directive is //pinned:verb, in lower case: the verbs are %s", list(verbNames(), "and"))
	}
	return at(diag.CapitalDirective, "a directive is in lower case: //pinned:%s", m.known)
}

// hidden tells of blanks that look like a space, or like nothing, and aren't one.
func hidden(blanks string) string {
	for _, r := range blanks {
		if r != ' ' && r != '\t' && r != ':' {
			return fmt.Sprintf(": this one is %U", r)
		}
	}
	return ""
}

func inBlock(pos token.Position, m miss) diag.Diagnostic {
	const rule = "a directive is a // comment on a line of its own, not in /* */"
	if m.known == "" {
		return diag.At(pos, len(m.text), diag.BlockDirective, rule)
	}
	return diag.At(pos, len(m.text), diag.BlockDirective, rule+": //pinned:%s", m.known)
}

func unknownVerb(pos token.Position, name, near string) diag.Diagnostic {
	if near != "" {
		return diag.At(pos, len(name), diag.UnknownVerb, "unknown directive //pinned:%s, did you mean //pinned:%s?", name, near)
	}
	return diag.At(pos, len(name), diag.UnknownVerb, "unknown directive //pinned:%s: the verbs are %s", name, list(verbNames(), "and"))
}

func badQuote(pos token.Position, width int, problem string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadQuote, "%s", problem)
}

func spacesInValue(name, value string) string {
	return fmt.Sprintf("%s %q can't contain a space, not even in quotes", name, value)
}

func quotedValue(name, value string) string {
	return fmt.Sprintf("a value takes no quotes: %s=%s", name, value)
}

func missingArgument(pos token.Position, width int, verb *Verb, param Param) diag.Diagnostic {
	return diag.At(pos, width, diag.MissingArgument, "//pinned:%s needs a %s: %s", verb.Name, param.Name, verb.Usage())
}

func badValue(pos token.Position, width int, problem string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadArgument, "%s", problem)
}

func unknownOption(pos token.Position, width int, verb *Verb, key string) diag.Diagnostic {
	return diag.At(pos, width, diag.UnknownOption, "unknown option %q: %s", key, verb.allowed())
}

func nearOption(pos token.Position, width int, verb *Verb, key, near string) diag.Diagnostic {
	return diag.At(pos, width, diag.UnknownOption, "unknown option %q, did you mean %s? %s", key, near, verb.allowed())
}

func optionTwice(pos token.Position, width int, key string) diag.Diagnostic {
	return diag.At(pos, width, diag.OptionTwice, "option %s is given twice", key)
}

func flagWithValue(pos token.Position, width int, key string) diag.Diagnostic {
	return diag.At(pos, width, diag.OptionForm, "option %s takes no value", key)
}

func optionWithoutValue(pos token.Position, width int, param *Param) diag.Diagnostic {
	return diag.At(pos, width, diag.OptionForm, "option %s needs a value: %s", param.Name, param.usage())
}

func inTest(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.InTest, "a directive in a _test.go file has no effect: the output isn't a test")
}

func isDetached(pos token.Position, width int, verb *Verb, next string) diag.Diagnostic {
	if next == "" {
		return diag.At(pos, width, diag.Detached, "//pinned:%s stands on nothing: put it into the comment of %s", verb.Name, verb.targets())
	}
	return diag.At(pos, width, diag.Detached,
		"//pinned:%s stands on nothing: it must be in the comment right above %s, without a blank line; the next declaration is %s",
		verb.Name, verb.targets(), next)
}

func isTrailing(pos token.Position, width int, verb *Verb, name string) diag.Diagnostic {
	if name == "" {
		return diag.At(pos, width, diag.Trailing, "//pinned:%s stands behind a declaration: put it on a line above", verb.Name)
	}
	return diag.At(pos, width, diag.Trailing, "//pinned:%s stands behind the declaration of %s: put it on a line above", verb.Name, name)
}

func isInBody(pos token.Position, width int, verb *Verb, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.InBody, "//pinned:%s stands inside the body of %s: put it above %s", verb.Name, name, verb.targets())
}

func wrongPlace(pos token.Position, width int, verb *Verb, what string) diag.Diagnostic {
	return diag.At(pos, width, diag.WrongPlace, "//pinned:%s stands on %s: it belongs to %s", verb.Name, what, verb.targets())
}

func severalNames(pos token.Position, width int, verb *Verb) diag.Diagnostic {
	return diag.At(pos, width, diag.SeveralNames, "//pinned:%s stands on several variables: declare each on its own", verb.Name)
}
