package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/pinned-go/pinned"
)

// show writes a value as JSON, or as close as it comes.
func show(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case *http.Response:
		return showResponse(value)
	case *http.Request:
		return fmt.Sprintf("request %s X-Sample: %s", value.URL, value.Header.Get("X-Sample"))
	case io.ReadCloser:
		text, err := io.ReadAll(value)
		if err := errors.Join(err, value.Close()); err != nil {
			return showError(err)
		}
		return fmt.Sprintf("reader of %q", text)
	case io.Reader:
		return fmt.Sprintf("a %s", v.Elem().Type())
	case []byte:
		return fmt.Sprintf("bytes %q", value)
	}
	if body := responseBody(v); body.IsValid() {
		header := v.Elem().FieldByName("Header").Interface().(http.Header)
		return fmt.Sprintf("%d%s %s", v.Elem().FieldByName("Status").Int(), showHeader(header), show(body))
	}
	return showJSON(v.Interface())
}

func showJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("%T %+v", v, v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// responseBody is the Body of a *pinned.Response[T].
func responseBody(v reflect.Value) reflect.Value {
	t := v.Type()
	if t.Kind() != reflect.Pointer || v.IsNil() || t.Elem().PkgPath() != reflect.TypeFor[pinned.Error]().PkgPath() ||
		!strings.HasPrefix(t.Elem().Name(), "Response[") {
		return reflect.Value{}
	}
	return v.Elem().FieldByName("Body")
}

func showResponse(r *http.Response) string {
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return showError(err)
	}
	return fmt.Sprintf("%d %s%s %q", r.StatusCode, r.Header.Get("Content-Type"), showHeader(r.Header), body)
}

// showHeader shows the headers that authors made up.
func showHeader(h http.Header) string {
	var lines []string
	for name, values := range h {
		if strings.HasPrefix(name, "X-") {
			lines = append(lines, fmt.Sprintf(" %s: %s", name, strings.Join(values, ", ")))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// showError shows all that an author's code can ask of an error.
func showError(err error) string {
	var e *pinned.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("error %v", err)
	}
	text := fmt.Sprintf("error %d %s", e.Status, e.Title)
	if e.Code != "" {
		text += " code=" + e.Code
	}
	if e.Detail != "" {
		text += fmt.Sprintf(" detail=%q", e.Detail)
	}
	for _, f := range e.Errors {
		text += " " + showJSON(f)
	}
	if author := errors.Unwrap(e); author != nil {
		text += fmt.Sprintf(" author's=%T %s", author, showJSON(author))
	}
	return fmt.Sprintf("%s outcome=%v", text, e.Outcome())
}
