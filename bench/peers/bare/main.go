// Command bare is what an object's routes are measured against: the same
// answers from a plain net/http handler and a plain gorilla/websocket loop, with
// one mutex where an object has its turn. It prints the address it serves and
// ends when its standard input does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/gorilla/websocket"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func run() error {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = listener.Close()
	}()
	fmt.Println("http://" + listener.Addr().String())

	room := &room{topic: "Durable objects for Go"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /halls/{id}/topic", room.getTopic)
	mux.HandleFunc("GET /halls/{id}/live", room.live)
	if err := http.Serve(listener, mux); !errors.Is(err, net.ErrClosed) { //nolint:gosec // bare: the guards of a public server are left out on purpose
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// room is the state that all ids share, under a mutex.
type room struct {
	mu    sync.Mutex
	topic string
}

type (
	topic struct {
		Text string `json:"text"`
	}
	said struct {
		Say string `json:"say"`
	}
	heard struct {
		Heard string `json:"heard"`
	}
)

func (r *room) getTopic(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	body, err := json.Marshal(topic{Text: r.topic})
	r.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

var upgrader = websocket.Upgrader{}

func (r *room) live(w http.ResponseWriter, req *http.Request) {
	conn, err := upgrader.Upgrade(w, req, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		kind, message, err := conn.ReadMessage()
		if err != nil {
			return
		}
		answer, err := r.echo(message)
		if err != nil {
			return
		}
		if err := conn.WriteMessage(kind, answer); err != nil {
			return
		}
	}
}

func (r *room) echo(message []byte) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var in said
	if err := json.Unmarshal(message, &in); err != nil {
		return nil, err
	}
	return json.Marshal(heard{Heard: in.Say})
}
