package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/durability/sqlite"
)

// startServer serves the example on addr until stop is called or the test ends, and returns where.
func startServer(t *testing.T, addr string) (base string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "rooms.db"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(serve(ctx, listener, store), store.Close()) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	}
	t.Cleanup(stop)
	return "http://" + listener.Addr().String(), stop
}

func TestTwoWindowsTalk(t *testing.T) {
	base, _ := startServer(t, "127.0.0.1:0")
	chromium := startBrowser(t)
	ada, grace := chromium.open(t, base), chromium.open(t, base)
	ada.picture("door")

	ada.join("lobby", "Ada")
	ada.text("#status", "1 online")
	grace.join("lobby", "Grace")
	for _, window := range []*tab{ada, grace} {
		window.text("#status", "2 online")
	}

	ada.say("#say-text", "Hello, <b>Grace</b> & all")
	grace.text("#log li:last-child .what", "Hello, <b>Grace</b> & all")
	grace.text("#log li:last-child .who", "Ada")
	grace.say("#say-text", "Hello yourself")
	ada.text("#log li:last-child .what", "Hello yourself")

	grace.say("#topic-text", "Turns and tides")
	ada.until(`document.querySelector("#topic-text").value === "Turns and tides"`)
	ada.click("#lock")
	grace.until(`document.querySelector("#topic-text").readOnly`)
	grace.until(`document.querySelector("#lock").textContent === "Unlock"`)
	ada.picture("room")

	// Who reloads is still in the room, and sees what was said.
	grace.load(base)
	grace.text("#log li:first-child .what", "Hello, <b>Grace</b> & all")
	grace.until(`document.querySelector("#topic-text").readOnly`)

	// Another room is another object.
	grace.click("#leave")
	ada.text("#status", "1 online")
	grace.join("Tea & cake ☕", "Grace")
	grace.text("#status", "1 online")
	grace.until(`document.querySelector("#log").children.length === 0`)
}

func TestWindowsComeBackAfterARestart(t *testing.T) {
	base, stop := startServer(t, "127.0.0.1:0")
	chromium := startBrowser(t)
	ada, grace := chromium.open(t, base), chromium.open(t, base)
	ada.join("lobby", "Ada")
	grace.join("lobby", "Grace")
	ada.text("#status", "2 online")

	stop()
	ada.text("#status", "reconnecting")
	startServer(t, strings.TrimPrefix(base, "http://"))
	for _, window := range []*tab{ada, grace} {
		window.text("#status", "2 online")
	}
	ada.say("#say-text", "Still here")
	grace.text("#log", "Still here")
}

func TestThePageFitsAPhone(t *testing.T) {
	base, _ := startServer(t, "127.0.0.1:0")
	window := startBrowser(t).open(t, base)
	window.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 640, "deviceScaleFactor": 2, "mobile": true})
	window.join("a-room-with-a-long-name", "Somebody with a name as long as it gets!")
	window.text("#status", "1 online")
	window.say("#topic-text", strings.Repeat("A topic that doesn't fit on one line. ", 5))
	window.say("#say-text", strings.Repeat("long", 100))
	window.text("#log", "longlong")

	for _, scheme := range []string{"light", "dark"} {
		window.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}})
		if wide := window.eval(`document.documentElement.scrollWidth > 360`); wide != "false" {
			t.Errorf("%s: the page is wider than the phone", scheme)
		}
		if shown := window.eval(`document.querySelector("#say button").getBoundingClientRect().bottom <= innerHeight`); shown != "true" {
			t.Errorf("%s: the button to send is below the screen", scheme)
		}
		window.picture("phone-" + scheme)
	}
}

func TestThePageIsOnlyRead(t *testing.T) {
	base, _ := startServer(t, "127.0.0.1:0")
	for path, want := range map[string]struct {
		status int
		kind   string
	}{
		"/":          {http.StatusOK, "text/html; charset=utf-8"},
		"/style.css": {http.StatusOK, "text/css; charset=utf-8"},
		"/rooms.js":  {http.StatusOK, "text/javascript; charset=utf-8"},
		"/main.go":   {http.StatusNotFound, "text/plain; charset=utf-8"},
	} {
		response := request(t, http.MethodGet, base+path)
		if response.StatusCode != want.status || response.Header.Get("Content-Type") != want.kind {
			t.Errorf("GET %s: %s, %s", path, response.Status, response.Header.Get("Content-Type"))
		}
		if !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'self'") {
			t.Errorf("GET %s: no content security policy", path)
		}
	}
	if response := request(t, http.MethodPost, base+"/"); response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /: %s", response.Status)
	}
}

func request(t *testing.T, method, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response
}
