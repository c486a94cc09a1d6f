package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinned-go/pinned/examples/mail/mailbox"
)

// patience is how long a test waits for anything: more than the slowest machine needs.
const patience = time.Minute

// asProgram, in the environment, has the test's own binary run as the program.
const asProgram = "MAIL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is a process of the example.
type program struct {
	*exec.Cmd

	box  mailbox.MailboxCalls
	dead sync.Once
}

// start runs the program with a file, until it is killed or the test ends.
func start(t *testing.T, db, smtp string, args ...string) *program {
	t.Helper()
	args = append([]string{"-addr", "127.0.0.1:0", "-db", db, "-smtp", smtp}, args...)
	p := &program{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	out, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); said.WriteString(lines.Text() + "\n") {
		if _, address, ok := strings.Cut(lines.Text(), "serving address="); ok {
			go func() {
				for lines.Scan() { // or the pipe would be full at some time
				}
			}()
			p.box = mailbox.NewClient("http://" + address).Mailbox("shop")
			return p
		}
	}
	t.Fatalf("the program ended: %s", said.String())
	return nil
}

// kill ends the process as kill -9 does.
func (p *program) kill() {
	p.dead.Do(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
}

// send hands messages over, all of which must be accepted.
func (p *program) send(t *testing.T, to string, subjects ...string) {
	t.Helper()
	for _, subject := range subjects {
		if _, err := p.box.Send(t.Context(), mailbox.Send{To: to, Subject: subject, Body: "Hello."}); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits until what is known of the account is as it should be.
func until(t *testing.T, holds func(ctx context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		ok, err := holds(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			tick.Stop()
			return
		}
		<-tick.C
	}
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "mail.db") }

// letter is a mail that the server was given.
type letter struct{ to, subject, id, text string }

// server is a mail server on a socket.
type server struct {
	addr string
	// rcpt answers RCPT, and taken what comes after the text of a mail; nil: 250.
	rcpt  func(to string) string
	taken func(l letter) string

	mu    sync.Mutex
	mails []letter
	asked map[string]int // how often for each recipient
	news  chan struct{}
}

// serve runs the server at an address until the test ends.
func (s *server) serve(t *testing.T) *server {
	t.Helper()
	s.asked, s.news = map[string]int{}, make(chan struct{}, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	var conns sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	conns.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
				defer conn.Close()
				s.talk(textproto.NewConn(conn))
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		conns.Wait()
	})
	return s
}

// talk is one connection.
func (s *server) talk(c *textproto.Conn) {
	to := ""
	for reply := "220 ready"; c.PrintfLine("%s", reply) == nil; {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, ":")
		reply = "250 done"
		switch verb {
		case "RCPT TO":
			to = strings.Trim(rest, "<>")
			s.mu.Lock()
			s.asked[to]++
			s.mu.Unlock()
			if s.rcpt != nil {
				reply = s.rcpt(to)
			}
		case "DATA":
			_ = c.PrintfLine("354 go on")
			text, err := c.ReadDotBytes()
			if err != nil {
				return
			}
			reply = s.take(to, string(text))
		}
	}
}

func (s *server) take(to, text string) string {
	parsed, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil || parsed.Header.Get("To") != to {
		return fmt.Sprint("554 not a mail: ", err)
	}
	l := letter{to, parsed.Header.Get("Subject"), parsed.Header.Get("Message-Id"), text}
	s.mu.Lock()
	s.mails = append(s.mails, l)
	s.mu.Unlock()
	reply := "250 taken"
	if s.taken != nil {
		reply = s.taken(l)
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
	return reply
}

// get waits until as many mails were given to the server, repetitions left out, and returns those.
func (s *server) get(t *testing.T, n int) []letter {
	t.Helper()
	for late := time.After(patience); ; {
		s.mu.Lock()
		once := slices.Clone(s.mails)
		s.mu.Unlock()
		for i := 0; i < len(once); i++ {
			same := func(l letter) bool { return l.id == once[i].id }
			once = append(once[:i+1], slices.DeleteFunc(once[i+1:], same)...)
		}
		if len(once) >= n {
			return once
		}
		select {
		case <-s.news:
		case <-late:
			t.Fatalf("%d mails came, not %d: %v", len(once), n, once)
		}
	}
}

// subjects are those of the mails to a recipient, in order.
func subjects(mails []letter, to string) (all []string) {
	for _, l := range mails {
		if l.to == to {
			all = append(all, l.subject)
		}
	}
	return all
}
