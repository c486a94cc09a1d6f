// Mail is a service that programs hand their mail to, and that doesn't lose it: it answers when a message is durable, and
// sends it afterwards, in its time.
//
//	go run ./examples/mail                          # prints the mail
//	go run ./examples/mail -smtp 127.0.0.1:25       # hands it to a mail server
//
// Whoever reaches its address may send mail: it is for programs on the same machine, or behind something that asks who
// calls.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/mail"
	"os"
	"time"

	"github.com/pinned-go/pinned/durability/sqlite"
	"github.com/pinned-go/pinned/examples/mail/mailbox"
	"github.com/pinned-go/pinned/runtime"
)

// settings are what the flags say.
type settings struct {
	addr, db, smtp, from string
	retry                time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "127.0.0.1:8080", "where to listen")
	flag.StringVar(&s.db, "db", "mail.db", "the file that keeps the mail")
	flag.StringVar(&s.smtp, "smtp", "", "the mail server, as HOST:PORT; without it mail is printed")
	flag.StringVar(&s.from, "from", "mail@localhost", "the address that mail comes from")
	flag.DurationVar(&s.retry, "retry", 0, "how long to wait between two attempts; 0 is 1s, doubling to 5m")
	flag.Parse()

	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "mail:", err)
		os.Exit(1)
	}
}

// run serves until SIGTERM or SIGINT has drained the worker.
func run(s settings) (err error) {
	if parsed, err := mail.ParseAddress(s.from); err != nil || parsed.Address != s.from {
		return fmt.Errorf("-from %q: expected an address such as mail@example.com", s.from)
	}
	var sender mailbox.Sender = &printer{w: os.Stdout}
	if s.smtp != "" {
		if _, _, err := net.SplitHostPort(s.smtp); err != nil {
			return fmt.Errorf("-smtp: %w", err)
		}
		sender = relay(s.smtp)
	}

	store, err := sqlite.Open(s.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	worker, err := runtime.NewWorker(runtime.WithStore(store))
	if err != nil {
		return err
	}
	mailbox.Register(worker, mailbox.SetupMailbox(func(m *mailbox.Mailbox) {
		m.Out = mailbox.Out{Sender: sender, From: s.from, Retry: s.retry}
	}))
	tell(os.Stdout, s)
	// What waits from last time is sent from here on, whether anybody calls or not.
	return worker.ListenAndServe(context.Background(), s.addr)
}

// tell prints what to try.
func tell(w io.Writer, s settings) {
	fmt.Fprintf(w, `Mail on http://%[1]s. In another terminal:

    curl http://%[1]s/mail/shop/messages -H 'Content-Type: application/json' \
        -d '{"to":"ada@example.com","subject":"Your order","body":"It is on its way."}'
    curl http://%[1]s/mail/shop/messages/1      # what has become of it
    curl http://%[1]s/mail/shop/recipients      # for whom mail waits, and why
    curl -X POST http://%[1]s/mail/shop/recipients/ada@example.com/unpark
    curl -X DELETE http://%[1]s/mail/shop/messages/1
    curl -X PUT http://%[1]s/mail/shop/digest -H 'Content-Type: application/json' \
        -d '{"to":"owner@example.com","cron":"0 8 * * *","zone":"Europe/Berlin"}'
    curl -X POST http://%[1]s/mail/shop/digest  # now

Ctrl-C ends it, and so may kill -9: what waits is in %[2]s, and is sent the next time.

`, s.addr, s.db)
}
