package tray

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// canon is a text that two spellings of one JSON value share, and no other value
// has: no space, the members of objects sorted, numbers by their value. Stores
// keep neither the order of keys nor the spelling of numbers.
func canon(raw []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	return string(appendCanon(nil, v)), nil
}

func appendCanon(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return strconv.AppendQuote(dst, v)
	case json.Number:
		return append(dst, number(v.String())...)
	case []any:
		dst = append(dst, '[')
		for _, element := range v {
			dst = append(appendCanon(dst, element), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = append(strconv.AppendQuote(dst, name), ':')
			dst = append(appendCanon(dst, v[name]), ',')
		}
		return append(dst, '}')
	}
	panic("tray: not a JSON value")
}

// longestExponent bounds what a number is written out to. One with a longer
// exponent is only equal to what is spelt like it.
const longestExponent = 400

// number is the value of a number, as a decimal or a fraction.
func number(s string) string {
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok {
		if e, err := strconv.Atoi(exponent); err != nil || e > longestExponent || e < -longestExponent {
			return s
		}
	}
	if r, ok := new(big.Rat).SetString(s); ok {
		return r.RatString()
	}
	return s
}
