package directive

import (
	"go/token"

	"github.com/pinned-go/pinned/gen/diag"
)

// The messages of this package.

func spaced(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.SpacedDirective, "a directive has no space after //")
}

func spacedColon(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.SpacedColon, "a directive has no space around its colon")
}

func capitalised(pos token.Position, width int, near string) diag.Diagnostic {
	if near == "" {
		return diag.At(pos, width, diag.CapitalDirective, "a directive is //pinned:verb, in lower case: the verbs are %s", list(verbNames()))
	}
	return diag.At(pos, width, diag.CapitalDirective, "a directive is in lower case: //pinned:%s", near)
}

func noVerb(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.NoVerb, "a directive needs a verb after the colon: %s", list(verbNames()))
}

func wrongTool(pos token.Position, width int, tool, verb string) diag.Diagnostic {
	return diag.At(pos, width, diag.WrongTool, "unknown directive //%s:%s, did you mean //pinned:%s?", tool, verb, verb)
}

func inBlock(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BlockDirective, "a directive is a // comment on a line of its own, not in /* */")
}

func unknownVerb(pos token.Position, name, near string) diag.Diagnostic {
	if near != "" {
		return diag.At(pos, len(name), diag.UnknownVerb, "unknown directive //pinned:%s, did you mean //pinned:%s?", name, near)
	}
	return diag.At(pos, len(name), diag.UnknownVerb, "unknown directive //pinned:%s: the verbs are %s", name, list(verbNames()))
}

func badQuote(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadQuote, "a quoted argument doesn't end, or goes on after its quote")
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
