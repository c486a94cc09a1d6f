package pinned

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/internal/bind"
)

var errLocked = errors.New("locked")

type pointerError struct {
	Left int `json:"left"`
}

func (e *pointerError) Error() string { return fmt.Sprintf("%d left", e.Left) }

type valueError struct{ Why string }

func (e valueError) Error() string { return e.Why }

var table = Errors{ErrorValue("locked", 423, errLocked), ErrorType[*pointerError]("quota", 429), ErrorType[valueError]("why", 409)}

func TestDeclaredErrorsTravelByCode(t *testing.T) {
	for _, tt := range []struct {
		err    error
		code   string
		status int
		detail string
		data   string
	}{
		{fmt.Errorf("wrapped: %w", errLocked), "locked", 423, "locked", ""},
		{fmt.Errorf("wrapped: %w", &pointerError{3}), "quota", 429, "3 left", `{"left":3}`},
		{errors.Join(errors.New("x"), valueError{"because"}), "why", 409, "because", `{"Why":"because"}`},
		{errors.Join(valueError{"because"}, errLocked), "locked", 423, "locked", ""}, // the first row that matches
	} {
		p, err := table.Problem(tt.err)
		if err != nil || p == nil || p.Code != tt.code || p.Status != tt.status || p.Detail != tt.detail || string(p.Data) != tt.data {
			t.Errorf("Problem(%v) = %+v, %v", tt.err, p, err)
			continue
		}
		if p.Unwrap() == nil {
			t.Errorf("%s unwraps to nothing", tt.code)
		}
		v := table.Value(p.Code, p.Data)
		if v == nil || v.Error() != tt.detail {
			t.Errorf("the value of %s is %v", tt.code, v)
		}
	}
	if p, err := table.Problem(errors.New("other")); p != nil || err != nil {
		t.Errorf("an error that nobody declared: %+v, %v", p, err)
	}
	if p, err := (Errors)(nil).Problem(errLocked); p != nil || err != nil {
		t.Errorf("an empty table: %+v, %v", p, err)
	}
	if v := table.Value("other", nil); v != nil {
		t.Errorf("a code that nobody declared: %v", v)
	}
	if v := table.Value("locked", nil); v != errLocked {
		t.Errorf("a variable is %v", v)
	}
	for _, data := range []string{"", "null", "7", `{"left":"x"}`, `{"left":1,"newer":2}`} {
		v, ok := table.Value("quota", json.RawMessage(data)).(*pointerError)
		if !ok || v == nil {
			t.Errorf("data %q became %v", data, v)
			continue
		}
		_ = v.Error() // which a nil pointer couldn't answer
	}
}

func TestMergedErrorsKeepTheFirstOfACode(t *testing.T) {
	other := errors.New("other")
	merged := MergeErrors(table, nil, Errors{ErrorValue("locked", 400, other), ErrorValue("new", 400, other)})
	if len(merged) != 4 || merged.Value("locked", nil) != errLocked || merged.Value("new", nil) != other {
		t.Errorf("merged %+v", merged)
	}
}

func TestErrorSaysWhatHappened(t *testing.T) {
	for _, tt := range []struct {
		err  Error
		want string
	}{
		{Error{Status: 404}, "404 Not Found"},
		{Error{Status: 423, Title: "Locked up", Code: "locked", Detail: "by you"}, "423 Locked up (locked): by you"},
		{Error{inner: errors.New("connection refused")}, "call failed: connection refused"},
		{Error{Status: 400, Errors: []FieldError{{Pointer: "/a", Detail: "x"}, {Parameter: "b", Detail: "y"}}}, "400 Bad Request; /a: x; b: y"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestWhatAReceivedErrorSays(t *testing.T) {
	for _, tt := range []struct {
		status                int
		outcome               Outcome
		refusal               string
		retryable, overloaded bool
	}{
		{503, NotRun, "draining", true, false},
		{503, NotRun, "capacity", true, true},
		{503, NotRun, "busy", true, true},
		{503, Unknown, "", false, false},
		{0, NotRun, "", true, false},
		{0, Unknown, "", false, false},
		{400, NotRun, "", false, false},
		{500, Ran, "", false, false},
	} {
		e := &Error{Status: tt.status}
		err := fmt.Errorf("wrapped: %w", e)
		if bind.Received(err) {
			t.Error("an error of one's own counts as received")
		}
		bind.SetError(e, errLocked, int(tt.outcome), tt.refusal)
		if e.Retryable() != tt.retryable || e.Overloaded() != tt.overloaded || e.Outcome() != tt.outcome || !bind.Received(err) || !errors.Is(err, errLocked) {
			t.Errorf("%+v: retryable %t, overloaded %t, outcome %v", tt, e.Retryable(), e.Overloaded(), e.Outcome())
		}
	}
	if got := fmt.Sprint(Unknown, NotRun, Ran); !strings.Contains(got, "unknown not run ran") {
		t.Errorf("outcomes are called %s", got)
	}
}
