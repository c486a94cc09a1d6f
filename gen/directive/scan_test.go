package directive

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/diag"
)

// scan parses a file and writes what Scan makes of it, a line each.
func scan(t *testing.T, name, src string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found, diags := Scan(fset, file)
	var out []string
	for _, d := range found {
		if d.Bad {
			continue
		}
		line := fmt.Sprintf("%d: %s", fset.Position(d.Pos).Line, d.Verb)
		for _, a := range d.Args {
			line += " " + a.Name + "=" + a.Text
		}
		for _, o := range d.Options {
			line += " [" + o.Key + " " + o.Value + "]"
		}
		switch {
		case d.Func != nil:
			line += " on " + d.Func.Name.Name
		case d.Type != nil:
			line += " on " + d.Type.Name.Name
		case d.Value != nil:
			line += " on " + d.Value.Names[0].Name
		}
		out = append(out, line)
	}
	for _, d := range diag.Sort(diags) {
		line := fmt.Sprintf("%d:%d-%d %s %s", d.Line, d.Col, d.EndCol, d.Code, d.Message)
		if d.Fix != nil {
			line += " FIX " + *d.Fix
		}
		out = append(out, line)
	}
	return out
}

const method = "\nfunc (r *Room) Get() {}\n"

func TestScanTakesDirectives(t *testing.T) {
	for name, tc := range map[string]struct {
		src  string
		want []string
	}{
		"an object": {
			"//pinned:object /rooms env=blue client=./api\ntype Room struct{}",
			[]string{"3: object namespace=/rooms [env blue] [client ./api] on Room"},
		},
		"a route below prose": {
			"// Get gets.\n//\n//pinned:route GET /x/{n}" + method,
			[]string{"5: route method=GET pattern=/x/{n} on Get"},
		},
		"a route above prose": {
			"//pinned:route GET /x\n// Get gets." + method,
			[]string{"3: route method=GET pattern=/x on Get"},
		},
		"two routes": {
			"//pinned:route GET /x\n//pinned:route PUT /x concurrent limit=4KiB auth=none" + method,
			[]string{
				"3: route method=GET pattern=/x on Get",
				"4: route method=PUT pattern=/x [concurrent ] [limit 4KiB] [auth none] on Get",
			},
		},
		"a tab behind the verb, blanks at the end": {
			"//pinned:route\tGET  /x \t " + method,
			[]string{"3: route method=GET pattern=/x on Get"},
		},
		"lines that end in CRLF": {
			"//pinned:route GET /x concurrent\r" + method,
			[]string{"3: route method=GET pattern=/x [concurrent ] on Get"},
		},
		"an error variable": {
			"//pinned:error locked 423\nvar ErrLocked error",
			[]string{"3: error code=locked status=423 on ErrLocked"},
		},
		"an error variable in a group": {
			"var (\n\t//pinned:error locked 423\n\tErrLocked error\n)",
			[]string{"4: error code=locked status=423 on ErrLocked"},
		},
		"an error type in a group": {
			"type (\n\t//pinned:error locked 423\n\tLocked struct{}\n)",
			[]string{"4: error code=locked status=423 on Locked"},
		},
		"tabs for spaces": {
			"//pinned:route\tGET\t/x\tconcurrent" + method,
			[]string{"3: route method=GET pattern=/x [concurrent ] on Get"},
		},
		"an option in quotes": {
			"//pinned:route GET /x \"limit=4KiB\"" + method,
			[]string{"3: route method=GET pattern=/x [limit 4KiB] on Get"},
		},
		"a quoted argument": {
			"//pinned:route GET \"/x\"" + method,
			[]string{"3: route method=GET pattern=/x on Get"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, scan(t, "room.go", "package rooms\n\n"+tc.src)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestScanPassesOverProse(t *testing.T) {
	for name, src := range map[string]string{
		"a mention in a sentence":      "// Get is bound by a pinned:route directive, see pinned:route." + method,
		"a sentence about the package": "// pinned: a toolkit for objects" + method,
		"a capital at the start":       "// Pinned: yes" + method,
		"another tool":                 "//go:generate go tool pinnedgen" + method,
		"a word that is near":          "// pinner: look" + method,
		"an example in a comment":      "//\t//pinned:route GET /x" + method,
		"prose in a block":             "/* pinned: a toolkit */" + method,
		"prose about trays":            "// Pinned tray types are kept in rows.\n// pinned: tray by tray" + method,
		"prose that handles":           "// Pinned handle the rest.\n// pinned: alarm clocks ring" + method,
		"a mention in a block":         "/* see pinned:route */" + method,
		"a string":                     "const s = `\n//pinned:route GET /x\n`",
		"a URL":                        "// pined://x" + method,

		"a sentence that has a verb":           "// pinned route tables are static" + method,
		"a sentence of one verb":               "// pinned object" + method,
		"a sentence with objects":              "// pinned objects live as long as their id is used" + method,
		"a sentence with errors":               "// Pinned error values cross the wire" + method,
		"a colon before a sentence":            "// pinned: see below" + method,
		"a colon before a verb's sentence":     "// pinned: route tables are static" + method,
		"a colon and a capital":                "// Pinned: error handling is below" + method,
		"a colon before a path":                "// pinned: /rooms" + method,
		"a hyphen in a sentence":               "// pinned-object code is generated" + method,
		"a sentence with a near word":          "// pinner route tables are static" + method,
		"a word that is near, and a colon":     "// joined: object and route" + method,
		"a list":                               "//   - pinned:route adds a route" + method,
		"a quotation":                          "// `pinned:route GET /x` adds a route" + method,
		"a directive that was commented out":   "// //pinned:route GET /x" + method,
		"one that was, without a space":        "////pinned:route GET /x" + method,
		"a type that was commented out":        "//pinned.Object" + method,
		"a value that was":                     "//pinned.Error{Status: 401}" + method,
		"a variable that was":                  "//pinnedError := f()" + method,
		"another variable that was":            "//pinned_error = f()" + method,
		"a statement that was":                 "//pinned := object" + method,
		"a dash":                               "//pinned - error handling" + method,
		"a path of imports":                    "//pinned/object" + method,
		"a fullwidth colon before a sentence":  "// pinned：see below" + method,
		"a sentence with a verb in a block":    "/*\npinned route tables are static\npinned: object and route\n*/" + method,
		"another tool's directive of the verb": "//other:route GET /x" + method,
		"another word before the verb":         "// e.g.: route GET /x" + method,
		"a word alone":                         "//pinned" + method,
	} {
		t.Run(name, func(t *testing.T) {
			if got := scan(t, "room.go", "package rooms\n\n"+src); got != nil {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestScanRefusesNearMisses(t *testing.T) {
	for name, tc := range map[string]struct{ comment, want string }{
		"a space":                     {"// pinned:route GET /x", "3:1-16 PIN001 a directive has no space after // FIX //pinned:route"},
		"a tab":                       {"//\tpinned:route GET /x", "3:1-16 PIN001 a directive has no space after // FIX //pinned:route"},
		"a space, and misspelt":       {"// pinned:rout GET /x", "3:1-15 PIN001 a directive has no space after // FIX //pinned:route"},
		"a space, and a capital":      {"// Pinned:Route GET /x", "3:1-16 PIN001 a directive has no space after // FIX //pinned:route"},
		"a space, and no such verb":   {"// pinned:something", "3:1-20 PIN001 a directive has no space after //"},
		"spaces everywhere":           {"// pinned : route GET /x", "3:1-18 PIN001 a directive has no space after // FIX //pinned:route"},
		"a capital tool":              {"//Pinned:route GET /x", "3:1-15 PIN002 a directive is in lower case: //pinned:route FIX //pinned:route"},
		"a capital verb":              {"//pinned:Route GET /x", "3:1-15 PIN002 a directive is in lower case: //pinned:route FIX //pinned:route"},
		"capitals":                    {"//PINNED:ROUTE GET /x", "3:1-15 PIN002 a directive is in lower case: //pinned:route FIX //pinned:route"},
		"a space behind the colon":    {"//pinned: route GET /x", "3:1-16 PIN003 a directive has no space around its colon FIX //pinned:route"},
		"a space before the colon":    {"//pinned :route GET /x", "3:1-16 PIN003 a directive has no space around its colon FIX //pinned:route"},
		"no verb":                     {"//pinned:", "3:1-10 PIN004 a directive needs a verb after the colon: object, route, tray, inbox, handle, alarm or error"},
		"no verb, and a space":        {"//pinned: ", "3:1-10 PIN004 a directive needs a verb after the colon: object, route, tray, inbox, handle, alarm or error"},
		"a hyphen in the tool":        {"//pinned-gen:route GET /x", "3:1-19 PIN005 unknown directive //pinned-gen:route, did you mean //pinned:route? FIX //pinned:route"},
		"the command's name":          {"//pinnedgen:route GET /x", "3:1-18 PIN005 unknown directive //pinnedgen:route, did you mean //pinned:route? FIX //pinned:route"},
		"a misspelt tool":             {"//pined:route GET /x", "3:1-14 PIN005 unknown directive //pined:route, did you mean //pinned:route? FIX //pinned:route"},
		"a block":                     {"/*pinned:route GET /x*/", "3:3-15 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"a block with a space":        {"/* pinned:route GET /x */", "3:4-16 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"a line of a block":           {"/*\n * Get gets.\n *pinned:route GET /x\n */", "5:3-15 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"a directive in a block":      {"/*\n//pinned:route GET /x\n*/", "4:3-15 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"a misspelt verb":             {"//pinned:rout GET /x", "3:10-14 PIN007 unknown directive //pinned:rout, did you mean //pinned:route? FIX route"},
		"a letter too many":           {"//pinned:routeX GET /x", "3:10-16 PIN007 unknown directive //pinned:routeX, did you mean //pinned:route? FIX route"},
		"a hyphen in the verb":        {"//pinned:route-x GET /x", "3:10-17 PIN007 unknown directive //pinned:route-x, did you mean //pinned:route? FIX route"},
		"another verb":                {"//pinned:run Field", "3:10-13 PIN007 unknown directive //pinned:run: the verbs are object, route, tray, inbox, handle, alarm and error"},
		"a tray":                      {"//pinned:tray version=2", "3:1-24 PIN024 //pinned:tray stands on a method: it belongs to a struct type"},
		"nothing behind the verb":     {"//pinned:route", "3:1-15 PIN009 //pinned:route needs a method: //pinned:route <METHOD> <pattern> [concurrent] [ungated] [limit=n] [auth=Method or none]"},
		"no pattern":                  {"//pinned:route GET", "3:1-19 PIN009 //pinned:route needs a pattern: //pinned:route <METHOD> <pattern> [concurrent] [ungated] [limit=n] [auth=Method or none]"},
		"an option for the pattern":   {"//pinned:route GET limit=3", "3:1-27 PIN009 //pinned:route needs a pattern: //pinned:route <METHOD> <pattern> [concurrent] [ungated] [limit=n] [auth=Method or none]"},
		"a method in lower case":      {"//pinned:route get /x", `3:16-19 PIN010 method "get" must be written GET FIX GET`},
		"a misspelt method":           {"//pinned:route DELET /x", `3:16-21 PIN010 unknown method "DELET", did you mean DELETE? FIX DELETE`},
		"another method":              {"//pinned:route OPTIONS /x", `3:16-23 PIN010 unknown method "OPTIONS": a route has one of GET, HEAD, POST, PUT, PATCH, DELETE or WEBSOCKET`},
		"a short websocket":           {"//pinned:route WS /x", `3:16-18 PIN010 unknown method "WS", did you mean WEBSOCKET? FIX WEBSOCKET`},
		"a query in the pattern":      {"//pinned:route GET /q?x=1", `3:20-26 PIN010 pattern "/q?x=1" must not have a query: tag a field of the request struct query:"…" FIX /q`},
		"a host in the pattern":       {"//pinned:route GET example.com/x", `3:20-33 PIN010 pattern "example.com/x" must not have a host FIX /x`},
		"no slash in the pattern":     {"//pinned:route GET x", `3:20-21 PIN010 pattern "x" must begin with / FIX /x`},
		"a reserved pattern":          {"//pinned:route GET /_wake", `3:20-26 PIN010 pattern "/_wake" is reserved: no route begins with /_`},
		"an escaped reserved pattern": {"//pinned:route GET /%5Fwake", `3:20-28 PIN010 pattern "/%5Fwake" is reserved: no route begins with /_`},
		"a fragment":                  {"//pinned:route GET /x#y", `3:20-24 PIN010 pattern "/x#y" must not have a fragment FIX /x`},
		"an unknown option":           {"//pinned:route GET /x cached", `3:23-29 PIN011 unknown option "cached": the options of route are concurrent, ungated, limit=n and auth=Method or none`},
		"a misspelt option":           {"//pinned:route GET /x concurent", `3:23-32 PIN011 unknown option "concurent", did you mean concurrent? the options of route are concurrent, ungated, limit=n and auth=Method or none FIX concurrent`},
		"a comment behind":            {"//pinned:route GET /x // gets", `3:23-25 PIN011 unknown option "//": the options of route are concurrent, ungated, limit=n and auth=Method or none`},
		"an option twice":             {"//pinned:route GET /x auth=none auth=A", `3:33-39 PIN012 option auth is given twice`},
		"a flag with a value":         {"//pinned:route GET /x concurrent=yes", `3:23-37 PIN013 option concurrent takes no value FIX concurrent`},
		"an option without a value":   {"//pinned:route GET /x limit", `3:23-28 PIN013 option limit needs a value: limit=n`},
		"a limit with a decimal unit": {"//pinned:route PUT /x limit=4kb", `3:29-32 PIN010 limit "4kb" must be a whole number of bytes, or with KiB, MiB or GiB, such as 64KiB`},
		"a limit of nothing":          {"//pinned:route PUT /x limit=0", `3:29-30 PIN010 limit "0" must be at least 1`},
		"a limit that overflows":      {"//pinned:route PUT /x limit=9999999999GiB", `3:29-42 PIN010 limit "9999999999GiB" is too large`},
		"a space in a quoted value":   {"//pinned:route GET /x auth=\"a b\"", `3:28-33 PIN010 auth "a b" can't contain a space, not even in quotes`},
		"a quote that doesn't end":    {"//pinned:route GET \"/x", "3:20-23 PIN008 a quoted argument doesn't end, or its escapes aren't Go's"},

		"a no-break space":              {"//\u00a0pinned:route GET /x", "3:1-17 PIN001 a directive has no space after //: this one is U+00A0 FIX //pinned:route"},
		"an em space":                   {"//\u2003pinned:route GET /x", "3:1-18 PIN001 a directive has no space after //: this one is U+2003 FIX //pinned:route"},
		"a space of no width":           {"//\u200bpinned:route GET /x", "3:1-18 PIN001 a directive has no space after //: this one is U+200B FIX //pinned:route"},
		"a space and a no-break space":  {"// \u00a0pinned:route GET /x", "3:1-18 PIN001 a directive has no space after //: this one is U+00A0 FIX //pinned:route"},
		"a no-break space at the colon": {"//pinned:\u00a0route GET /x", "3:1-17 PIN003 a directive has no space around its colon: this one is U+00A0 FIX //pinned:route"},
		"spaces, and its arguments":     {"// pinned: route GET /x", "3:1-17 PIN001 a directive has no space after // FIX //pinned:route"},
		"spaces, and misspelt":          {"// pinned: rout GET /x", "3:1-16 PIN001 a directive has no space after // FIX //pinned:route"},
		"spaces, and nothing else":      {"// pinned: route", "3:1-17 PIN001 a directive has no space after // FIX //pinned:route"},
		"a third slash":                 {"///pinned:route GET /x", `3:1-16 PIN014 a directive has no "/" between // and pinned FIX //pinned:route`},
		"a third slash and a space":     {"/// pinned:route GET /x", `3:1-17 PIN014 a directive has no "/" between // and pinned FIX //pinned:route`},
		"a plus":                        {"// +pinned:route GET /x", `3:1-17 PIN014 a directive has no "+" between // and pinned FIX //pinned:route`},
		"an at sign":                    {"//@pinned:route GET /x", `3:1-16 PIN014 a directive has no "@" between // and pinned FIX //pinned:route`},
		"a space for the colon":         {"//pinned route GET /x", `3:1-15 PIN015 a directive has a colon after pinned, not " ": //pinned:route FIX //pinned:route`},
		"a space for the colon, alone":  {"//pinned route", `3:1-15 PIN015 a directive has a colon after pinned, not " ": //pinned:route FIX //pinned:route`},
		"a tab for the colon":           {"//pinned\troute GET /x", `3:1-15 PIN015 a directive has a colon after pinned, not "\t": //pinned:route FIX //pinned:route`},
		"a hyphen for the colon":        {"//pinned-route GET /x", `3:1-15 PIN015 a directive has a colon after pinned, not "-": //pinned:route FIX //pinned:route`},
		"a dot for the colon":           {"//pinned.object /rooms", `3:1-16 PIN015 a directive has a colon after pinned, not ".": //pinned:object FIX //pinned:object`},
		"a low line for the colon":      {"//pinned_error locked 423", `3:1-15 PIN015 a directive has a colon after pinned, not "_": //pinned:error FIX //pinned:error`},
		"a semicolon":                   {"//pinned;route GET /x", `3:1-15 PIN015 a directive has a colon after pinned, not ";": //pinned:route FIX //pinned:route`},
		"a fullwidth colon":             {"//pinned：route GET /x", `3:1-17 PIN015 a directive has a colon after pinned, not "\uff1a": //pinned:route FIX //pinned:route`},
		"a ratio for the colon":         {"//pinned∶route GET /x", `3:1-17 PIN015 a directive has a colon after pinned, not "\u2236": //pinned:route FIX //pinned:route`},
		"two colons":                    {"//pinned::route GET /x", `3:1-16 PIN015 a directive has a colon after pinned, not "::": //pinned:route FIX //pinned:route`},
		"no colon at all":               {"//pinnedroute GET /x", "3:1-14 PIN015 a directive has a colon after pinned: //pinned:route FIX //pinned:route"},
		"no colon, and a capital":       {"//Pinned Route GET /x", `3:1-15 PIN015 a directive has a colon after pinned, not " ": //pinned:route FIX //pinned:route`},
		"no colon, and misspelt":        {"//pinned rout GET /x", `3:1-14 PIN015 a directive has a colon after pinned, not " ": //pinned:route FIX //pinned:route`},
		"no colon, a method in lower":   {"//pinned-rout get /x", `3:1-14 PIN015 a directive has a colon after pinned, not "-": //pinned:route FIX //pinned:route`},
		"no colon, and spaced":          {"// pinned route GET /x", "3:1-16 PIN001 a directive has no space after // FIX //pinned:route"},
		"no colon, a misspelt tool":     {"//pined-route GET /x", "3:1-14 PIN005 unknown directive //pined-route, did you mean //pinned:route? FIX //pinned:route"},
		"a letter of another script":    {"//рinned:route GET /x", "3:1-16 PIN005 unknown directive //рinned:route, did you mean //pinned:route? FIX //pinned:route"},
		"a misspelt tool, spaced":       {"// pined: route GET /x", "3:1-16 PIN005 unknown directive // pined: route, did you mean //pinned:route? FIX //pinned:route"},
		"a misspelt tool in a block":    {"/*pined:route GET /x*/", "3:3-14 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"no colon in a block":           {"/* pinned-route GET /x */", "3:4-16 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"a no-break space in a block":   {"/*\u00a0pinned:route GET /x */", "3:5-17 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"a block in CRLF":               {"/*\r\n Get.\r\n pinned:route GET /x\r\n*/", "5:2-14 PIN006 a directive is a // comment on a line of its own, not in /* */: //pinned:route"},
		"signs behind the colon":        {"//pinned:/route", "3:1-16 PIN004 a directive needs a verb after the colon: object, route, tray, inbox, handle, alarm or error"},

		"a space in a limit":               {`//pinned:route PUT /x limit="1 KiB" concurrent`, `3:29-36 PIN010 limit "1 KiB" can't contain a space, not even in quotes FIX 1KiB`},
		"a space in a limit, in backticks": {"//pinned:route PUT /x limit=`1 KiB` concurrent", `3:29-36 PIN010 limit "1 KiB" can't contain a space, not even in quotes FIX 1KiB`},
		"a space in a limit, unquoted":     {"//pinned:route PUT /x limit=1 KiB concurrent", `3:29-34 PIN010 limit "1 KiB" can't contain a space, not even in quotes FIX 1KiB`},
		"a space in a quoted option":       {`//pinned:route PUT /x "limit=1 KiB"`, `3:30-35 PIN010 limit "1 KiB" can't contain a space, not even in quotes FIX 1KiB`},
		"a space in a quoted pattern":      {`//pinned:route PUT "/a b"`, `3:20-26 PIN010 pattern "/a b" can't contain a space, not even in quotes`},
		"a quoted value":                   {`//pinned:route PUT /x auth="none"`, "3:28-34 PIN010 a value takes no quotes: auth=none FIX none"},
		"a quoted value that is wrong":     {`//pinned:route PUT /x limit="4kb"`, "3:29-34 PIN010 a value takes no quotes: limit=4kb"},
		"a quoted value that doesn't end":  {`//pinned:route PUT /x limit="1 KiB`, "3:29-35 PIN008 a quoted value doesn't end, and a value takes no quotes"},
		"a word behind a quoted one":       {`//pinned:route PUT "/x" cached`, `3:25-31 PIN011 unknown option "cached": the options of route are concurrent, ungated, limit=n and auth=Method or none`},
		"an option behind a quoted one":    {`//pinned:route "PUT" "/x" limit=0`, `3:33-34 PIN010 limit "0" must be at least 1`},
		"an option in quotes":              {`//pinned:route PUT "/x" "limit=0" concurrent`, `3:32-33 PIN010 limit "0" must be at least 1`},
		"text behind a quote":              {`//pinned:route PUT "/x"y concurrent`, "3:20-25 PIN008 a quoted argument goes on after its quote"},
	} {
		t.Run(name, func(t *testing.T) {
			if !Mentions([]byte(tc.comment)) {
				t.Error("its file wouldn't be looked at")
			}
			got := scan(t, "room.go", "package rooms\n\n"+tc.comment+method)
			if len(got) == 0 || got[0] != tc.want {
				t.Errorf("got  %q\nwant %q", strings.Join(got, "\n"), tc.want)
			}
		})
	}
}

func TestScanRefusesWrongPlaces(t *testing.T) {
	const route = "//pinned:route GET /x\n"
	for name, tc := range map[string]struct{ src, want string }{
		"detached":               {route + "\nfunc (r *Room) Get() {}", "3:1-22 PIN021 //pinned:route stands on nothing: it must be in the comment right above a method of a struct, without a blank line; the next declaration is Get"},
		"at the end":             {"type Room struct{}\n\n" + route, "5:1-22 PIN021 //pinned:route stands on nothing: put it into the comment of a method of a struct"},
		"behind a declaration":   {"type Room struct{} //pinned:object /rooms", "3:20-42 PIN022 //pinned:object stands behind the declaration of Room: put it on a line above"},
		"behind a function":      {"func (r *Room) Get() {} //pinned:route GET /x", "3:25-46 PIN022 //pinned:route stands behind the declaration of Get: put it on a line above"},
		"in a body":              {"func (r *Room) Get() {\n\t//pinned:route GET /x\n}", "4:2-23 PIN023 //pinned:route stands inside the body of Get: put it above a method of a struct"},
		"in parameters":          {"func (r *Room) Get(\n\t//pinned:route GET /x\n) {\n}", "4:2-23 PIN024 //pinned:route stands on a part of a declaration: it belongs to a method of a struct"},
		"on a function":          {route + "func Get() {}", "3:1-22 PIN024 //pinned:route stands on a function: it belongs to a method of a struct"},
		"on a type":              {route + "type Room struct{}", "3:1-22 PIN024 //pinned:route stands on a type: it belongs to a method of a struct"},
		"on an interface":        {"//pinned:object /rooms\ntype Room interface{}", "3:1-23 PIN024 //pinned:object stands on an interface type: it belongs to a struct type"},
		"on an alias":            {"//pinned:object /rooms\ntype Room = int", "3:1-23 PIN024 //pinned:object stands on an alias: it belongs to a struct type"},
		"on an interface method": {"type I interface {\n\t//pinned:route GET /x\n\tGet()\n}", "4:2-23 PIN024 //pinned:route stands on a method of an interface: it belongs to a method of a struct"},
		"on a field":             {"type Room struct {\n\t//pinned:route GET /x\n\tf int\n}", "4:2-23 PIN024 //pinned:route stands on a field: it belongs to a method of a struct"},
		"on a constant":          {"//pinned:error locked 423\nconst c = 1", "3:1-26 PIN024 //pinned:error stands on a constant: it belongs to a package-level variable or a type"},
		"on a method":            {"//pinned:error locked 423\nfunc (r *Room) Get() {}", "3:1-26 PIN024 //pinned:error stands on a method: it belongs to a package-level variable or a type"},
		"on a group":             {"//pinned:object /rooms\ntype (\n\tRoom struct{}\n)", "3:1-23 PIN024 //pinned:object stands on a group of declarations: it belongs to a struct type"},
		"on an import":           {"//pinned:object /rooms\nimport \"fmt\"", "3:1-23 PIN024 //pinned:object stands on an import: it belongs to a struct type"},
		"on several variables":   {"//pinned:error locked 423\nvar a, b error", "3:1-26 PIN025 //pinned:error stands on several variables: declare each on its own"},
	} {
		t.Run(name, func(t *testing.T) {
			got := scan(t, "room.go", "package rooms\n\n"+tc.src+"\n")
			if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("on the package clause", func(t *testing.T) {
		got := scan(t, "room.go", route+"package rooms\n")
		want := []string{"1:1-22 PIN024 //pinned:route stands on the package clause: it belongs to a method of a struct"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("in a test", func(t *testing.T) {
		got := scan(t, "room_test.go", "package rooms\n\n"+route+"func (r *Room) Get() {}\n")
		want := []string{"3:1-22 PIN020 a directive in a _test.go file has no effect: the output isn't a test"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestScanReportsAllAtOnce(t *testing.T) {
	got := scan(t, "room.go", "package rooms\n\n//pinned:object rooms evn=x env=\ntype Room struct{}\n\n//pinned:route get x\n\n// pinned:error a b\n")
	if len(got) != 7 {
		t.Errorf("got %d:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestMentionsPassesOverOtherFiles(t *testing.T) {
	for src, want := range map[string]bool{
		"//pinned:route":                              true,
		"// a: b\n//pinned:x":                         true,
		"type A struct{} //pinned:x":                  true,
		"/*\n a\n pinned:route x */":                  true,
		"/* a */ /* pinned:route */":                  true,
		"// a /*\n/* b */ /*pinned:route*/":           true,
		"const s = \"/*\"\n\n/*\n * PINNED:x\n */":    true,
		"//pinned-gen:x":                              false,
		"package p\n":                                 false,
		"import \"a/pinned\"":                         false,
		"x := map[string]int{}":                       false,
		"a:b pinned":                                  false,
		"// Package pinned has objects.\n\npinned:\n": false,
		"// See https://pinned/route":                 false,
	} {
		if got := Mentions([]byte(src)); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
