package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// patience is how long a page may take for anything: more than the slowest machine needs.
const patience = time.Minute

var screenshots = flag.String("screenshots", "", "write pictures of the page into this folder")

// browser is a headless Chromium, driven over its DevTools protocol by one goroutine: a command is written, and what
// comes before its answer is an event that nobody here needs.
type browser struct {
	conn *websocket.Conn
	last int // the id of the newest command
}

// startBrowser runs Chromium until the test ends.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("no chromium on the PATH: it is a Debian package, which ./test installs")
	}
	cmd := exec.CommandContext(t.Context(), path,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-breakpad",
		"--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	b := &browser{}
	drained := make(chan struct{})
	t.Cleanup(func() {
		if b.conn != nil {
			// The answer may be lost with the connection; what counts is that the process ends.
			_, _ = b.call("", "Browser.close", nil)
			_ = b.conn.Close()
		}
		<-drained
		_ = cmd.Wait()
	})

	said := bufio.NewScanner(stderr)
	address := ""
	for address == "" && said.Scan() {
		_, address, _ = strings.Cut(said.Text(), "DevTools listening on ")
	}
	go func() {
		defer close(drained)
		// A full pipe would stop the browser.
		_, _ = io.Copy(io.Discard, stderr)
	}()
	if address == "" {
		t.Fatal("chromium ended without naming its DevTools address")
	}
	b.conn, _, err = websocket.DefaultDialer.DialContext(t.Context(), address, nil)
	if err != nil {
		t.Fatalf("dial %s: %v", address, err)
	}
	return b
}

// call sends one command, to the browser itself or to a tab's session, and returns its result.
func (b *browser) call(session, method string, params any) (json.RawMessage, error) {
	b.last++
	command := map[string]any{"id": b.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	if err := b.conn.SetReadDeadline(time.Now().Add(2 * patience)); err != nil {
		return nil, err
	}
	if err := b.conn.WriteJSON(command); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	for {
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := b.conn.ReadJSON(&answer); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.ID != b.last:
		case answer.Error != nil:
			return nil, errors.New(method + ": " + answer.Error.Message)
		default:
			return answer.Result, nil
		}
	}
}

// tab is one window of the browser.
type tab struct {
	t       *testing.T
	browser *browser
	session string
}

// open opens a window on url and waits until the page has loaded.
func (b *browser) open(t *testing.T, url string) *tab {
	t.Helper()
	target := result[struct {
		TargetID string `json:"targetId"`
	}](t, b, "", "Target.createTarget", map[string]any{"url": "about:blank", "newWindow": true, "width": 1000, "height": 760})
	attached := result[struct {
		SessionID string `json:"sessionId"`
	}](t, b, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	window := &tab{t: t, browser: b, session: attached.SessionID}
	window.load(url)
	return window
}

// load goes to url as if by its link from elsewhere: the window keeps its session storage, and nothing else.
func (w *tab) load(url string) {
	w.t.Helper()
	w.do("Page.navigate", map[string]any{"url": "about:blank"})
	w.do("Page.navigate", map[string]any{"url": url})
	w.until(`document.readyState === "complete" && location.href !== "about:blank"`)
}

// until waits until a JavaScript expression holds. It asks again and again, as no event tells of every change: a field's
// value changes in silence.
func (w *tab) until(expression string) {
	w.t.Helper()
	w.eval(fmt.Sprintf(`new Promise((resolve, reject) => {
		const asking = setInterval(ask, 20);
		const late = setTimeout(() => {
			clearInterval(asking);
			reject(new Error("never held; the page shows: " + document.body.innerText));
		}, %d);
		function ask() {
			if (!(%s)) return;
			clearInterval(asking);
			clearTimeout(late);
			resolve();
		}
	})`, patience.Milliseconds(), expression))
}

// text waits until the element shows a text.
func (w *tab) text(selector, want string) {
	w.t.Helper()
	w.until(fmt.Sprintf(`document.querySelector(%q).textContent.includes(%q)`, selector, want))
}

// say types into a field, in place of what is there, and presses Enter.
func (w *tab) say(selector, text string) {
	w.t.Helper()
	w.do("Page.bringToFront", nil)
	w.eval(fmt.Sprintf(`document.querySelector(%q).focus(), document.querySelector(%[1]q).select()`, selector))
	w.do("Input.insertText", map[string]any{"text": text})
	for _, kind := range []string{"keyDown", "keyUp"} {
		w.do("Input.dispatchKeyEvent", map[string]any{
			"type": kind, "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13,
		})
	}
}

// click presses a button.
func (w *tab) click(selector string) {
	w.t.Helper()
	w.eval(fmt.Sprintf(`document.querySelector(%q).click()`, selector))
}

// join enters a room through the page's door.
func (w *tab) join(room, name string) {
	w.t.Helper()
	w.eval(fmt.Sprintf(`document.querySelector("#join-room").value = %q`, room))
	w.say("#join-name", name)
}

// picture writes a screenshot, if the test was asked for pictures.
func (w *tab) picture(name string) {
	w.t.Helper()
	if *screenshots == "" {
		return
	}
	shot := result[struct {
		Data string `json:"data"`
	}](w.t, w.browser, w.session, "Page.captureScreenshot", nil)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// eval runs JavaScript in the page, waits for the promise that it may give, and returns its value as JSON.
func (w *tab) eval(expression string) string {
	w.t.Helper()
	answer := result[struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}](w.t, w.browser, w.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true,
	})
	if answer.Exception != nil {
		w.t.Fatalf("%s\n%s %s", expression, answer.Exception.Text, answer.Exception.Exception.Description)
	}
	return string(answer.Result.Value)
}

func (w *tab) do(method string, params any) {
	w.t.Helper()
	if _, err := w.browser.call(w.session, method, params); err != nil {
		w.t.Fatal(err)
	}
}

func result[T any](t *testing.T, b *browser, session, method string, params any) T {
	t.Helper()
	var decoded T
	raw, err := b.call(session, method, params)
	if err == nil {
		err = json.Unmarshal(raw, &decoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}
