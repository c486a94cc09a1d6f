package runtime

import (
	"encoding"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// textFaultMark begins what the functions of this file return for a value that
// can't be sent: they have no error, and Request turns the mark into its own. A
// path has no NUL once it is escaped, and neither has a header.
const textFaultMark = "\x00pinned: can't be sent\x00"

func unsendable(why string) string { return textFaultMark + why + "\x00" }

// textFault returns what is wrong with a formatted value.
func textFault(s string) error {
	if why, ok := strings.CutPrefix(s, textFaultMark); ok {
		why, _, _ = strings.Cut(why, "\x00")
		return errors.New(why)
	}
	return nil
}

// pathFault returns what is wrong with a path that was put together of escaped
// segments.
func pathFault(path string) error {
	if i := strings.IndexByte(path, 0); i >= 0 {
		return textFault(path[i:])
	}
	return nil
}

// Escape makes one segment of a path. The empty segment, "." and ".." are the
// call's error: whoever cleans a path would turn them into another address. So is
// "/" alone, which no wildcard of net/http.ServeMux, and so none of ours, matches.
func Escape(s string) string {
	switch {
	case strings.HasPrefix(s, textFaultMark):
		return s
	case s == "", s == ".", s == "..", s == "/":
		return unsendable(fmt.Sprintf("a path segment can't be %q", s))
	}
	return url.PathEscape(s)
}

// EscapeRest makes the rest of a path, for {name...}: its segments are escaped
// and its slashes kept. It may be empty or end in a slash, but no segment before
// the last is empty and none is "." or "..".
func EscapeRest(s string) string {
	if strings.HasPrefix(s, textFaultMark) {
		return s
	}
	segments := strings.Split(s, "/")
	for i, segment := range segments {
		if segment == "." || segment == ".." || segment == "" && i < len(segments)-1 {
			return unsendable(fmt.Sprintf("a path segment can't be %q", segment))
		}
		segments[i] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

// escapeNamespace escapes the one segment of "/namespace".
func escapeNamespace(namespace string) string {
	name, ok := strings.CutPrefix(namespace, "/")
	if !ok {
		return namespace
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || 'z' < c) && c != '-' && c != '_' {
			return "/" + url.PathEscape(name)
		}
	}
	return namespace
}

// FormatString is the text of a string.
func FormatString[T ~string](v T) string { return string(v) }

// FormatInt is the text of a signed integer, in decimal.
func FormatInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](v T) string {
	return strconv.FormatInt(int64(v), 10)
}

// FormatUint is the text of an unsigned integer, in decimal.
func FormatUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](v T) string {
	return strconv.FormatUint(uint64(v), 10)
}

// FormatFloat is the shortest text that reads back as v.
func FormatFloat[T ~float32 | ~float64](v T) string {
	return strconv.FormatFloat(float64(v), 'g', -1, reflect.TypeFor[T]().Bits())
}

// FormatBool is "true" or "false".
func FormatBool[T ~bool](v T) string { return strconv.FormatBool(bool(v)) }

// FormatText is the text of v. An error of MarshalText is the call's.
func FormatText[T encoding.TextMarshaler](v T) string {
	text, err := v.MarshalText()
	if err != nil {
		return unsendable(err.Error())
	}
	return string(text)
}
