package check

import "testing"

func TestObjectsAreRefused(t *testing.T) {
	refused(t, map[string]refusal{
		"no base": {"//pinned:object NS\ntype Room struct{ n int }", []string{
			`2:6-10 Room must embed pinned.Object [PIN045]`,
		}},
		"a named base": {"//pinned:object NS\ntype Room struct{ o pinned.Object }", []string{
			`2:6-10 Room must embed pinned.Object: its field o has a name, so it isn't embedded [PIN045]`,
		}},
		"a pointer base": {"//pinned:object NS\ntype Room struct{ *pinned.Object }", []string{
			`2:6-10 Room must embed pinned.Object: it embeds a pointer: embed pinned.Object itself [PIN045]`,
		}},
		"a pointer to a base": {"type base struct{ pinned.Object }\n\n//pinned:object NS\ntype Room struct{ *base }", []string{
			`4:6-10 Room must embed pinned.Object: it embeds a pointer to base, which has one: embed that by value [PIN045]`,
		}},
		"no struct": {"//pinned:object NS\ntype Room int", []string{
			`2:6-10 an object is a struct, and Room isn't [PIN040]`,
		}},
		"type parameters": {"//pinned:object NS\ntype Room[T any] struct{ pinned.Object }", []string{
			`2:6-10 Room has type parameters: an object can't have any [PIN041]`,
		}},
		"unexported": {"//pinned:object NS\ntype room struct{ pinned.Object }", []string{
			`2:6-10 an object's type must be exported, since its client is named after it: room [PIN042] FIX Room`,
		}},
		"two directives": {"//pinned:object NS\n//pinned:object /other\ntype Room struct{ pinned.Object }", []string{
			`2:1-23 Room has two //pinned:object directives [PIN044] | 1:1 the first`,
		}},
		"called Target": {"//pinned:object NS\ntype Target struct{ pinned.Object }", []string{
			`2:6-12 an object can't be called Target: the generated Client has a field of that name [PIN043]`,
		}},
		"a field Log": {"//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\tLog int\n}", []string{
			`4:2-5 field Log hides a method of pinned.Object: call it otherwise [PIN046]`,
		}},
		"a field of later": {"//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\tAlarms int\n}", []string{
			`4:2-8 field Alarms hides a method of pinned.Object: call it otherwise [PIN046]`,
		}},
		"a promoted field": {"type base struct{ ID string }\n\n//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\tbase\n}", []string{
			`6:2-2 a field ID, promoted from here, hides a method of pinned.Object [PIN046]`,
		}},
		"a field of a method's name": {"//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\tLease\n}\n\ntype Lease struct{}", []string{
			`4:2-7 field Lease hides a method of pinned.Object: call it otherwise [PIN046]`,
		}},
		"Open without context": {room + "func (r *Room) Open() error { return nil }", []string{
			`3:16-20 Open is the name of a hook, whose signature is Open(context.Context) error: call the method otherwise if it is none [PIN047]`,
		}},
		"Close without error": {room + "func (r *Room) Close(ctx context.Context) {}", []string{
			`3:16-21 Close is the name of a hook, whose signature is Close(context.Context) error: call the method otherwise if it is none [PIN047]`,
		}},
		"Idle with an error": {room + "func (r *Room) Idle(ctx context.Context) error { return nil }", []string{
			`3:16-20 Idle is the name of a hook, whose signature is Idle(context.Context) bool: call the method otherwise if it is none [PIN047]`,
		}},
		"Stats of strings": {room + "func (r *Room) Stats() map[string]string { return nil }", []string{
			`3:16-21 Stats is the name of a hook, whose signature is Stats() map[string]any: call the method otherwise if it is none [PIN047]`,
		}},
		"Authorize short": {room + "func (r *Room) Authorize(ctx context.Context, req *http.Request) error { return nil }", []string{
			`3:16-25 Authorize is the name of a hook, whose signature is Authorize(context.Context, *http.Request, pinned.Caller) error: call the method otherwise if it is none [PIN047]`,
		}},
		"a promoted hook": {"type base struct{}\n\nfunc (b *base) Open() {}\n\n//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\tbase\n}", []string{
			`3:16-20 Open is the name of a hook, whose signature is Open(context.Context) error: call the method otherwise if it is none [PIN047]`,
		}},
		"a hook of the value": {room + "func (r Room) Open(ctx context.Context) error { return nil }", []string{
			`3:15-19 Open has a value receiver: a hook is a method of the pointer, as the object is [PIN061]`,
		}},
		"a field promoted through a pointer": {"type base struct{ ID string }\n\n//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\t*base\n}", []string{
			`6:3-3 a field ID, promoted from here, hides a method of pinned.Object [PIN046]`,
		}},
		"a namespace twice": {"//pinned:object NS\ntype A struct{ pinned.Object }\n\n//pinned:object NS\ntype B struct{ pinned.Object }", []string{
			`4:17-22 namespace /c014 is taken in this module, by A of example.com/m/c014 [PIN048] | 1:1 A has it`,
		}},
		"a name that is taken": {room + "type RoomRef struct{}\n\nfunc Register() {}\n\nvar Client, Fakes int", []string{
			`3:6-13 RoomRef is a name that pinnedgen generates: call this otherwise [PIN092] | 1:1 generated for Room`,
			`5:6-14 Register is a name that pinnedgen generates: call this otherwise [PIN092] | 1:1 generated for registration`,
			`7:5-11 Client is a name that pinnedgen generates: call this otherwise [PIN092] | 1:1 generated for the client`,
			`7:13-18 Fakes is a name that pinnedgen generates: call this otherwise [PIN092] | 1:1 generated for the client`,
		}},
		"a name generated twice": {"//pinned:object NS\ntype Fake struct{ pinned.Object }\n\n//pinned:object NS2\ntype Ref struct{ pinned.Object }", []string{
			`4:1-1 FakeRef would be generated for both Fake and Ref: call one otherwise [PIN093] | 1:1 Fake`,
		}},
		"a missing type": {"//pinned:object NS\ntype Room struct { pinned.Objekt }", []string{
			`2:27-27 undefined: pinned.Objekt [PIN036]`,
		}},
	})
}

func TestOneFaultOfADirectiveIsReportedOnce(t *testing.T) {
	const route = "\n\n//pinned:route GET /x\nfunc (r *Room) X() int { return 0 }"
	refused(t, map[string]refusal{
		"a bad namespace": {"//pinned:object rooms\ntype Room struct{ pinned.Object }" + route, []string{
			`1:17-22 namespace "rooms" must begin with / [PIN010] FIX /rooms`,
		}},
		"a bad client": {"//pinned:object NS client=../x\ntype Room struct{ pinned.Object }" + route, []string{
			`1:30-34 client "../x" must be a folder below this one, such as ./api [PIN010]`,
		}},
		"a misspelt verb": {"//pinned:objekt NS\ntype Room struct{ pinned.Object }" + route, []string{
			`1:10-16 unknown directive //pinned:objekt, did you mean //pinned:object? [PIN007] FIX object`,
		}},
		"a space": {"// pinned:object NS\ntype Room struct{ pinned.Object }" + route, []string{
			`1:1-17 a directive has no space after // [PIN001] FIX //pinned:object`,
		}},
		"a bad route": {room + "//pinned:route GET x\nfunc (r *Room) X(n chan int) int { return 0 }", []string{
			`3:20-21 pattern "x" must begin with / [PIN010] FIX /x`,
		}},
		"a bad error": {"//pinned:error Gone 410\nvar A error", []string{
			`1:16-20 error code "Gone" must be [a-z][a-z0-9_-]* [PIN010] FIX gone`,
		}},
	})
}
