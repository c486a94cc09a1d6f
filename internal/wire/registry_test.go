package wire

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// decoders read the bodies of the registry, by the path that takes them.
var decoders = map[string]func(body []byte) (any, error){
	"register":   func(body []byte) (any, error) { return DecodeRegister(body) },
	"heartbeat":  func(body []byte) (any, error) { return DecodeHeartbeat(body) },
	"release":    func(body []byte) (any, error) { return DecodeReleases(body) },
	"deregister": func(body []byte) (any, error) { return DecodeDeregister(body) },
}

// bodies are the least that is well-formed, as both generations send it.
var bodies = map[string]string{
	"register": `{"clientId":"c","secret":"sesame","namespaces":["/rooms"],"advertiseUrl":"http://10.0.0.1:8000",` +
		`"headroom":512,"draining":false,"challenge":"x","challengeValue":"y"}`,
	"heartbeat":  `{"sessionId":"s","headroom":512,"draining":false}`,
	"release":    `[{"sessionId":"s","namespace":"/rooms","id":"a"}]`,
	"deregister": `{"sessionId":"s"}`,
}

// with sets a member to a text, which needn't be JSON; "" leaves it out.
func with(body, name, text string) string {
	open, rest, _ := strings.Cut(body, "{")
	var members []string
	for member := range strings.SplitSeq(rest[:strings.LastIndexByte(rest, '}')], `,"`) {
		if member = strings.TrimPrefix(member, `"`); member != "" && !strings.HasPrefix(member, name+`"`) {
			members = append(members, `"`+member)
		}
	}
	if text != "" {
		members = append(members, fmt.Sprintf(`%q:%s`, name, text))
	}
	return open + "{" + strings.Join(members, ",") + rest[strings.LastIndexByte(rest, '}'):]
}

func TestBodiesAreReadAsTheyAreWritten(t *testing.T) {
	least := Register{
		ClientID: "c", Secret: "sesame", Namespaces: []string{"/rooms"}, AdvertiseURL: "http://10.0.0.1:8000/base", Headroom: 0.5,
		Draining: true, Challenge: "x", ChallengeValue: "y",
	}
	all := least
	all.DrainDeadline, all.Hostname, all.Env, all.Envs, all.Takeover, all.Epoch = new(0.0), "h", "e", map[string]string{"/rooms": "é"}, "wind_down", 1<<63-1
	all.PrevSessionID, all.Instances = "s0", map[string][]string{"/rooms": {"a", "b~"}, "/halls": {}}
	all.Epochs = map[string]map[string]string{"/rooms": {"a": "0", "b~": "9223372036854775807"}}
	all.Labels, all.Features = map[string]string{"gpu": "", "zone": "a \"<&>\" \u2028 \ufffd 😀"}, []string{"alarm", "refusals"}
	for _, tt := range []struct {
		path string
		body any
	}{
		{"register", least},
		{"register", all},
		{"heartbeat", Heartbeat{SessionID: "s", Headroom: 1e300}},
		{"heartbeat", Heartbeat{"s", 1, true, "x", "y", []string{"1", "2"}, new(1.7e12)}},
		{"release", []Release{}},
		{"release", []Release{
			{SessionID: "s", Namespace: "/rooms", ID: "a", Epoch: new(int64(0)), Fence: new(int64(1<<63 - 1))},
			{ClientID: "c", Namespace: "rooms/deep", ID: "b"},
		}},
		{"deregister", Deregister{"s"}},
	} {
		body, err := json.Marshal(tt.body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decoders[tt.path](body)
		if diff := cmp.Diff(tt.body, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", body, err, diff)
		}
	}
}

// pythonBodies are what a Python worker sends: testdata/bodies.py makes them.
//
//go:embed testdata/bodies.json
var pythonBodies []byte

func TestNothingOfAPythonBodyIsLost(t *testing.T) {
	var sent []struct{ Path, Body string }
	if err := json.Unmarshal(pythonBodies, &sent); err != nil || len(sent) < 10 {
		t.Fatal(err, len(sent))
	}
	for _, b := range sent {
		got, err := decoders[b.Path]([]byte(b.Body))
		if err != nil {
			t.Errorf("%s: %v", b.Body, err)
			continue
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var was, is any
		if err := errors.Join(json.Unmarshal([]byte(strings.Replace(b.Body, `/base/"`, `/base"`, 1)), &was), json.Unmarshal(written, &is)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("%s (-sent +read)\n%s", b.Path, diff)
		}
	}
}

func TestBodiesOfBothGenerations(t *testing.T) {
	for path, body := range bodies {
		if _, err := decoders[path]([]byte(body)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	one, err := DecodeReleases([]byte(`{"sessionId": "s", "namespace": "/rooms", "id": "a", "epoch": "7"}`))
	if diff := cmp.Diff([]Release{{SessionID: "s", Namespace: "/rooms", ID: "a", Epoch: new(int64(7))}}, one); diff != "" || err != nil {
		t.Errorf("one release: %v\n%s", err, diff)
	}
	first, err := DecodeReleases([]byte(`{"clientId": "c", "namespace": "rooms", "id": "a"}`))
	if err != nil || first[0].ClientID != "c" {
		t.Errorf("a release of the first generation: %+v, %v", first, err)
	}
	for given, want := range map[string]string{
		"http://h/": "http://h", "https://h:1/a/b///": "https://h:1/a/b", "http://[::1]:80": "http://[::1]:80", "HTTP://h/%2e": "HTTP://h/%2e",
	} {
		r, err := DecodeRegister([]byte(with(bodies["register"], "advertiseUrl", `"`+given+`"`)))
		if err != nil || r.AdvertiseURL != want {
			t.Errorf("%s is %s, %v", given, r.AdvertiseURL, err)
		}
	}
}

func TestWhatIsNotKnownIsIgnored(t *testing.T) {
	deep := strings.Repeat("[", mostNested-2) + strings.Repeat("]", mostNested-2)
	for path, body := range bodies {
		want, err := decoders[path]([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"1", "null", `"}]\"{["`, `{"a":{"sessionId":[{}]},"b":"\\"}`, "1e309", deep} {
			for _, name := range []string{"more", "SESSIONID", "sessionid", "HeadRoom", "ſecret"} {
				got, err := decoders[path]([]byte(with(body, name, text)))
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%s with %s %s: %v\n%s", path, name, text, err, diff)
				}
			}
		}
		spaced := bytes.NewBufferString(" \r\n\t")
		if err := json.Indent(spaced, []byte(body+"\n\t\r "), "\t\r ", "\t"); err != nil {
			t.Fatal(err)
		}
		if got, err := decoders[path](spaced.Bytes()); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %v", spaced, err)
		}
	}
}

// notA has texts that aren't what a field must be.
var notA = map[string][]string{
	"string": {"1", "true", "[]", "{}", `["a"]`, `"\ud800"`, "\"\xff\"", "\"\xed\xa0\x80\"", `"\udc00\ud800"`, "\"\ufffd\\ud800\""},
	"name":   {"null", `""`},
	"number": {`"1"`, "true", "[]", "{}", "-1", "-0.5", "1e309", "-1e309", "-1e-9"},
	"count":  {`"1"`, "true", "[]", "1.0", "1e0", "-1", "9223372036854775808", "1e309"},
	"bool":   {`"true"`, "0", "1", "[]", "null"},
	"epoch":  {"7", `""`, `"-1"`, `"+1"`, `"1.0"`, `"0x1"`, `"١٢"`, `"1, 2"`, `" 1"`, `"9223372036854775808"`, `"` + strings.Repeat("1", 400) + `"`},
	"list":   {`"a"`, "1", "{}", `{"0":"a"}`},
	"map":    {`"a"`, "1", "[]", `[["a","b"]]`},
	"url": {
		`""`, `"/a"`, `"//h/a"`, `"h:1"`, `"10.0.0.1:80"`, `"ftp://h"`, `"file:///etc"`, `"gopher://h"`, `"http://"`, `"http://:80"`, `"http:h"`,
		`"http:///a"`, `"http://h?"`, `"http://h?a"`, `"http://h#"`, `"http://h/#a"`, `"http://u@h"`, `"http://u:p@h"`, `"http://@h"`,
		`"http://h/\n"`, `"http://h\u0000"`, `"http://h/%zz"`, `"http://h:x"`, `"http://[::1"`, `" http://h"`, `"javascript:alert(1)"`,
	},
	"id": {`""`, `"."`, `".."`, `"a/b"`, `"a b"`, `"é"`, `"\u0000"`, `"%41"`, `"` + strings.Repeat("x", 257) + `"`},
}

// kinds are what each field must be.
var kinds = map[string]map[string]string{
	"register": {
		"clientId": "string name", "secret": "string name", "namespaces": "list", "advertiseUrl": "string url", "headroom": "number",
		"draining": "bool", "challenge": "string name", "challengeValue": "string name", "drainDeadline": "number", "hostname": "string",
		"env": "string", "envs": "map", "takeover": "string", "epoch": "count", "prevSessionId": "string", "instances": "map", "epochs": "map",
		"labels": "map", "features": "list",
	},
	"heartbeat": {
		"sessionId": "string name", "headroom": "number", "draining": "bool", "challenge": "string", "challengeValue": "string",
		"acks": "list", "drainDeadline": "number",
	},
	"release":    {"sessionId": "string", "clientId": "string", "namespace": "string name", "id": "string id", "epoch": "epoch", "fence": "epoch"},
	"deregister": {"sessionId": "string name"},
}

// needed are the fields without which there is no body.
var needed = map[string]string{
	"register":  "clientId secret namespaces advertiseUrl headroom draining challenge challengeValue",
	"heartbeat": "sessionId headroom draining", "release": "sessionId namespace id", "deregister": "sessionId",
}

func TestTheFieldThatIsWrongIsNamed(t *testing.T) {
	for path, fields := range kinds {
		at := ""
		if path == "release" {
			at = "[0]."
		}
		for name, of := range fields {
			for kind := range strings.FieldsSeq(of) {
				for _, text := range notA[kind] {
					refuses(t, path, with(bodies[path], name, text), at+name, "")
				}
			}
		}
		for name := range strings.FieldsSeq(needed[path]) {
			refuses(t, path, with(bodies[path], name, ""), at+name, "is missing")
			twin := with(with(bodies[path], name, ""), strings.ToUpper(name), `"x"`)
			refuses(t, path, twin, at+name, "is missing")
		}
	}
}

func TestWhatIsInsideAFieldIsNamed(t *testing.T) {
	host := with(bodies["register"], "hostname", `"h"`)
	for _, tt := range []struct{ name, text, field string }{
		{"namespaces", "[]", "namespaces"},
		{"namespaces", `["/a",1]`, "namespaces[1]"},
		{"namespaces", `["/a",""]`, "namespaces[1]"},
		{"namespaces", `[null]`, "namespaces[0]"},
		{"envs", `{"/rooms":1}`, `envs["/rooms"]`},
		{"envs", `{"/rooms":""}`, `envs["/rooms"]`},
		{"takeover", `"Deny"`, "takeover"},
		{"instances", `{"/rooms":"a"}`, `instances["/rooms"]`},
		{"instances", `{"/rooms":["a","b",".."]}`, `instances["/rooms"][2]`},
		{"instances", `{"/rooms":["a",["b"]]}`, `instances["/rooms"][1]`},
		{"instances", `{"/rooms":["a"],"/rooms":["b"]}`, `instances["/rooms"]`},
		{"instances", `{"/rooms":["a"],"/r\u006foms":["b"]}`, `instances["/rooms"]`},
		{"instances", `{"` + strings.Repeat("é", 5000) + "\":1}", `instances["` + strings.Repeat(`\u00e9`, 32) + `\u2026"]`},
		{"instances", `{"\ud800":[]}`, "instances"},
		{"epochs", `{"/rooms":{"a":7}}`, `epochs["/rooms"]["a"]`},
		{"epochs", `{"/rooms":{"a":"1","a":"2"}}`, `epochs["/rooms"].a`},
		{"epochs", `{"/rooms":{"a":"9223372036854775808"}}`, `epochs["/rooms"]["a"]`},
		{"labels", `{"gpu":true}`, `labels["gpu"]`},
		{"features", `["alarm",{}]`, "features[1]"},
	} {
		refuses(t, "register", with(host, tt.name, tt.text), tt.field, "")
	}
	for _, name := range []string{"env", "takeover"} {
		refuses(t, "register", with(bodies["register"], name, `"deny"`), name, "hostname")
	}
	refuses(t, "register", with(bodies["register"], "envs", `{"/rooms":"e"}`), "envs", "hostname")
	refuses(t, "heartbeat", with(bodies["heartbeat"], "acks", `["1",2]`), "acks[1]", "")
	refuses(t, "heartbeat", with(bodies["heartbeat"], "challenge", `"x"`), "challengeValue", "")
	refuses(t, "heartbeat", with(bodies["heartbeat"], "challengeValue", `"x"`), "challenge", "")
	refuses(t, "release", `[{"sessionId":"s","namespace":"/rooms","id":"a"},{"sessionId":"s","namespace":"/rooms"}]`, "[1].id", "missing")
	refuses(t, "release", `[{"sessionId":"s","namespace":"/rooms","id":"a"},null]`, "[1]", "object")
	refuses(t, "release", `{"sessionId":"s","namespace":"/rooms","id":"a","epoch":7}`, "epoch", "string")
}

func TestWhatIsNoBody(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for path, body := range bodies {
		for name, hostile := range map[string]string{
			"nothing":               "",
			"blanks":                " \n",
			"null":                  "null",
			"a number":              "1",
			"a string":              `"` + path + `"`,
			"half of it":            body[:len(body)/2],
			"more behind it":        body + "x",
			"another behind it":     body + body,
			"a closing brace":       body + "}",
			"a byte order mark":     "\ufeff" + body,
			"UTF-16":                "\x00{\x00}",
			"deep, left open":       deep,
			"deep":                  deep + strings.Repeat("]", 100_000),
			"deep objects":          strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
			"deep, in what we skip": with(body, "more", deep+strings.Repeat("]", 100_000)),
			"one level too many":    with(body, "more", strings.Repeat("[", mostNested)+strings.Repeat("]", mostNested)),
			"NaN":                   with(body, "headroom", "NaN"),
			"Infinity":              with(body, "headroom", "Infinity"),
			"a leading zero":        with(body, "headroom", "01"),
			"a hex number":          with(body, "headroom", "0x1"),
			"a comment":             "/**/" + body,
			"a trailing comma":      strings.Replace(body, "}", ",}", 1),
			"single quotes":         strings.ReplaceAll(body, `"`, `'`),
			"a raw line break":      with(body, "sessionId", "\"a\nb\""),
			"gzip":                  "\x1f\x8b\x08\x00\x00",
		} {
			t.Run(path+"/"+name, func(t *testing.T) { refuses(t, path, hostile, "", "") })
		}
	}
	refuses(t, "register", "[]", "", "object")
	refuses(t, "deregister", `[{"sessionId":"s"}]`, "", "object")
}

// refuses says that a body is refused for a field, that nothing of it is returned, and that
// the text has nothing of the values and fits a line.
func refuses(t *testing.T, path, body, field, reason string) {
	t.Helper()
	got, err := decoders[path]([]byte(body))
	e, ok := errors.AsType[*FieldError](err)
	if !ok || e.Field != field || !strings.Contains(e.Reason, reason) {
		t.Errorf("%s %.200q: %v, want the field %q and %q", path, body, err, field, reason)
		return
	}
	if !isZero(got) {
		t.Errorf("%s %.200q: returned %+v", path, body, got)
	}
	if text := err.Error(); len(text) > 400 || strings.Contains(text, "sesame") || strings.ContainsAny(text, "\n\x1b\x00") {
		t.Errorf("%s %.200q: the error is %.500q", path, body, text)
	}
}

func isZero(body any) bool {
	switch b := body.(type) {
	case Register:
		return cmp.Equal(b, Register{})
	case Heartbeat:
		return cmp.Equal(b, Heartbeat{})
	case Deregister:
		return b == Deregister{}
	case []Release:
		return b == nil
	}
	return false
}

func TestMembersTwice(t *testing.T) {
	for path, body := range bodies {
		at := ""
		if path == "release" {
			at = "[0]."
		}
		for name := range strings.FieldsSeq(needed[path]) {
			escaped := fmt.Sprintf(`\u%04x%s`, name[0], name[1:])
			for _, again := range []string{name, escaped} {
				refuses(t, path, strings.Replace(body, "{", `{"`+again+`":`+valueOf(body, name)+`,`, 1), at+name, "twice")
			}
		}
		refuses(t, path, strings.Replace(body, "{", `{"more":1,"more":1,`, 1), at+"more", "twice")
		refuses(t, path, strings.Replace(body, "{", `{"a\u001b":1,"a\u001b":1,`, 1), strings.TrimSuffix(at, ".")+`["a\x1b"]`, "twice")
	}
}

// valueOf is the text of a member.
func valueOf(body, name string) string {
	_, rest, _ := strings.Cut(body, `"`+name+`":`)
	d := json.NewDecoder(strings.NewReader(rest))
	var raw json.RawMessage
	_ = d.Decode(&raw)
	return string(raw)
}

// A million ids is what a register body has room for.
func TestAMillionInstances(t *testing.T) {
	const n = 1_000_000
	ids := strings.Repeat(`"0123456789",`, n-1)
	body := with(bodies["register"], "instances", `{"/rooms":[`+ids+`"a"]}`)
	r, err := DecodeRegister([]byte(body))
	if err != nil || len(r.Instances["/rooms"]) != n {
		t.Fatal(err, len(r.Instances["/rooms"]))
	}
	refuses(t, "register", with(bodies["register"], "instances", `{"/rooms":[`+ids+`"."]}`), `instances["/rooms"][999999]`, "id")
}

func FuzzRegistry(f *testing.F) {
	for path, body := range bodies {
		f.Add([]byte(body))
		for name, kind := range kinds[path] {
			for of := range strings.FieldsSeq(kind) {
				f.Add([]byte(with(body, name, notA[of][0])))
			}
		}
	}
	f.Add([]byte(`{"sessionId":"s","headroom":1,"draining":true,"acks":["1"],"more":{"a":["\"]"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for path, decode := range decoders {
			got, err := decode(body)
			if err != nil {
				if e, ok := errors.AsType[*FieldError](err); !ok || !isZero(got) {
					t.Errorf("%s: %v, %v", path, e, got)
				}
				continue
			}
			if !json.Valid(body) {
				t.Errorf("%s: %q isn't JSON", path, body)
			}
			again, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			back, err := decode(again)
			if diff := cmp.Diff(got, back, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("%s: %q, written again as %q: %v\n%s", path, body, again, err, diff)
			}
		}
	})
}
