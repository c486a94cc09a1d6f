package runtime

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Parser makes a value of a path segment, a query parameter or a header. The
// text of its error says what was expected and goes to the client.
type Parser[T any] func(string) (T, error)

// What a parser that isn't the author's expects.
var (
	errInteger  = errors.New("expected an integer")
	errUnsigned = errors.New("expected a non-negative integer")
	errNumber   = errors.New("expected a number")
	errBool     = errors.New("expected true or false")
)

// String takes every text.
func String[T ~string](s string) (T, error) { return T(s), nil }

// Int takes a decimal integer that fits T.
func Int[T ~int | ~int8 | ~int16 | ~int32 | ~int64](s string) (T, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, errInteger
	case err != nil || int64(T(n)) != n:
		return 0, fmt.Errorf("expected an integer of %d bits", bits[T]())
	}
	return T(n), nil
}

// bits is the size of a signed integer.
func bits[T ~int | ~int8 | ~int16 | ~int32 | ~int64]() int {
	n := 64
	for ; n > 8; n /= 2 {
		if most := int64(1)<<(n-2) + (int64(1)<<(n-2) - 1); int64(T(most)) == most {
			break
		}
	}
	return n
}

// Uint takes a decimal integer that isn't negative and fits T.
func Uint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](s string) (T, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, errUnsigned
	case err != nil || uint64(T(n)) != n:
		return 0, fmt.Errorf("expected an integer from 0 to %d", ^T(0))
	}
	return T(n), nil
}

// Float takes a number that is finite in T.
func Float[T ~float32 | ~float64](s string) (T, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(float64(T(f)), 0) || math.IsNaN(f) {
		return 0, errNumber
	}
	return T(f), nil
}

// Bool takes true and false, and 1 and 0.
func Bool[T ~bool](s string) (T, error) {
	switch s {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, errBool
}

// Text takes what the author's UnmarshalText takes.
func Text[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](s string) (T, error) {
	var v T
	if err := P(&v).UnmarshalText([]byte(s)); err != nil {
		return *new(T), err
	}
	return v, nil
}
