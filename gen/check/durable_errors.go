package check

import (
	"go/token"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/model"
)

// The messages about durable state.

func strayDurable(pos token.Position, width int, field, what, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.StrayDurable,
		"field %s is a %s, but %s is neither an object nor a tray, nor embedded in one by value: nothing would be kept", field, what, typ)
}

func durableForm(pos token.Position, width int, path, what string) diag.Diagnostic {
	return diag.At(pos, width, diag.DurableForm,
		"%s holds a %s that nothing would keep: it must be a field by itself, of an object, a tray, or a struct that one embeds by value", path, what)
}

func outOfReach(pos token.Position, width int, path string) diag.Diagnostic {
	return diag.At(pos, width, diag.DurableForm, "generated code can't reach %s, which is unexported in another package", path)
}

func notInTray(pos token.Position, width int, field string, kind model.DurableKind) diag.Diagnostic {
	return diag.At(pos, width, diag.NotInTray, "field %s is a pinned.%s, which is for objects: a tray keeps values, queues and outboxes", field, kind)
}

func tagWithout(pos token.Position, width int, field string) diag.Diagnostic {
	return diag.At(pos, width, diag.DurableName, "field %s has a tag pinned:, but isn't durable", field)
}

func durableName(pos token.Position, width int, name, problem string) diag.Diagnostic {
	if len(name) > 64 {
		name = name[:64] + "…"
	}
	return diag.At(pos, width, diag.DurableName, "durable name %q: %s", name, problem)
}

func durableTwice(pos token.Position, width int, name, owner string) diag.Diagnostic {
	return diag.At(pos, width, diag.DurableTwice, "durable name %q is there twice in %s: give one a tag pinned:\"…\"", name, owner)
}

func droppedField(pos token.Position, width int, path string) diag.Diagnostic {
	return diag.At(pos, width, diag.CannotEncode,
		"%s is unexported, so JSON would drop it from what is kept: export it, or tag it json:\"-\"", path)
}

func badInitial(pos token.Position, width int, problem string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadDefault, "default: %s", problem)
}

// Trays.

func notATray(pos token.Position, width int, typ string) diag.Diagnostic {
	return diag.At(pos, width, diag.NotATray, "%s is no tray type: give it //pinned:tray", typ)
}

func bothKinds(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.ObjectTwice, "%s can't be an object and a tray", name)
}

func trayTwice(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.ObjectTwice, "%s has two //pinned:tray directives", name)
}

func trayNotAStruct(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.NotAStruct, "a tray is a struct, and %s isn't", name)
}

func genericTray(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.GenericObject, "%s has type parameters: a tray can't have any", name)
}

func noItems(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.BadItems, "tray %s needs a method Items() iter.Seq[T], which gives its work", name)
}

func wrongItems(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadItems, "Items gives the work of tray %s: it must be Items() iter.Seq[T]", name)
}

// Handles.

func noHandle(pos token.Position, width int, field string, kind model.DurableKind) diag.Diagnostic {
	return diag.At(pos, width, diag.NoHandle, "field %s, a pinned.%s, has no consumer: annotate a method with //pinned:handle %[1]s", field, kind)
}

func handleWithout(pos token.Position, width int, object, field string) diag.Diagnostic {
	return diag.At(pos, width, diag.HandleField, "%s has no field %s of type pinned.TrayOf, pinned.TraysOf or pinned.Jobs", object, field)
}

func handleOf(pos token.Position, width int, field string, kind model.DurableKind) diag.Diagnostic {
	return diag.At(pos, width, diag.HandleField, "field %s is a pinned.%s, which needs no handle: one is for a TrayOf, a TraysOf or Jobs", field, kind)
}

func handleTwice(pos token.Position, width int, field, had string) diag.Diagnostic {
	return diag.At(pos, width, diag.HandleTwice, "field %s is handled by %s already", field, had)
}

func wrongHandle(pos token.Position, width int, name, item string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadHandle, "%s must be %[1]s(context.Context, %s, *pinned.Dispatch) error", name, item)
}

func wrongItem(pos token.Position, width int, got, field, want string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadHandle, "this is %s, but field %s gives items of type %s", got, field, want)
}

// Inboxes.

func receiverNoTray(pos token.Position, width int, method, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.NoObject, "%s has an inbox, but %s is no tray: give it //pinned:tray", method, name)
}

func exportedInbox(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, len(name), diag.BadInbox, "%s must be unexported: callers use the method that is generated for the inbox", name)
}

func inboxContext(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadInbox, "an inbox takes no context: it is one atomic segment, and can't wait")
}

func inboxResult(pos token.Position, width int) diag.Diagnostic {
	return diag.At(pos, width, diag.BadInbox, "an inbox returns nothing: the generated method returns a pinned.Receipt")
}

func inboxHides(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.MethodTaken, "inbox %s would hide a method of pinned.Tray: call it otherwise", name)
}

func methodTaken(pos token.Position, width int, name, what string) diag.Diagnostic {
	return diag.At(pos, width, diag.MethodTaken, "the generated method %s has the name of %s: call one otherwise", name, what)
}

func methodGeneratedTwice(pos token.Position, width int, name, had string) diag.Diagnostic {
	return diag.At(pos, width, diag.NameTwice, "the method %s would be generated twice, for %s too: call one otherwise", name, had)
}

// Alarms.

func wrongAlarm(pos token.Position, width int, name string) diag.Diagnostic {
	return diag.At(pos, width, diag.BadAlarm,
		"%s must be %[1]s(context.Context, pinned.Alarm) error, or with a payload behind the pinned.Alarm or in its place", name)
}

func alarmTwice(pos token.Position, width int, name, had string) diag.Diagnostic {
	return diag.At(pos, width, diag.AlarmTwice, "alarm %s is that of %s already", name, had)
}

func ungatedNothing(pos token.Position, object string) diag.Diagnostic {
	return diag.At(pos, len("ungated"), diag.UngatedNothing, "ungated has no effect: %s keeps nothing durable that an answer could wait for", object)
}
