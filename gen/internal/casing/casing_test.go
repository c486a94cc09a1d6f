package casing

import "testing"

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"Room": "room", "RoomSet": "roomSet", "ID": "id", "URLShort": "urlShort", "HTTP2Server": "http2Server",
		"A": "a", "AB": "ab", "Ab": "ab", "Älter": "älter", "Type": "type", "X1": "x1", "ÜBER": "über", "topic": "topic",
		"IDs": "ids", "URLsOf": "urlsOf", "URLset": "urLset",
	} {
		if got := Lower(name); got != want {
			t.Errorf("Lower(%s): %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"digest": "Digest", "daily-digest": "DailyDigest", "a_b-2": "AB2", "x--": "X", "nightlyRun": "NightlyRun",
	} {
		if got := Upper(name); got != want {
			t.Errorf("Upper(%s): %s, want %s", name, got, want)
		}
	}
}
