package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/examples/rooms/rooms"
)

// runKilled runs the program with a file, until its process is killed as by kill -9.
func runKilled(t *testing.T, binary, db string, f func(base string)) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "-addr", "127.0.0.1:0", "-db", db)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	f(strings.TrimSpace(strings.TrimPrefix(line, "Rooms on ")))
}

func TestARoomSurvivesKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and kills processes")
	}
	dir := t.TempDir()
	binary, db := filepath.Join(dir, "rooms"), filepath.Join(dir, "rooms.db")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var said []string
	for round := range 3 {
		runKilled(t, binary, db, func(base string) {
			lobby := rooms.NewClient(base).Room("lobby")
			if round > 0 {
				if topic, err := lobby.Topic(t.Context()); err != nil || topic.Text != fmt.Sprint("round ", round-1) {
					t.Errorf("%+v, %v", topic, err)
				}
			}
			if _, err := lobby.SetTopic(t.Context(), rooms.SetTopic{Text: fmt.Sprint("round ", round)}); err != nil {
				t.Fatal(err)
			}
			for n := range 20 {
				text := fmt.Sprintf("%d.%d", round, n)
				m, err := lobby.Post(t.Context(), rooms.Post{Name: "Ada", Text: text})
				if err != nil || m.N != len(said)+1 {
					t.Fatalf("%+v, %v", m, err)
				}
				said = append(said, text)
			}
			var got []string
			for m, err := range lobby.Messages(t.Context(), rooms.Page{}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m.Text)
			}
			if diff := cmp.Diff(said, got); diff != "" {
				t.Errorf("(-said +kept):\n%s", diff)
			}
		})
	}
}
