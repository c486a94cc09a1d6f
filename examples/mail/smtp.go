package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/smtp"
	"net/textproto"
	"sync"
	"time"

	"github.com/pinned-go/pinned/examples/mail/mailbox"
)

// oneMail bounds how long a mail server may take for one mail.
const oneMail = time.Minute

// relay hands mail to the SMTP server at an address. It neither encrypts nor logs in: it is for a relay on this machine,
// or in the same network.
type relay string

// Send implements mailbox.Sender.
func (r relay) Send(ctx context.Context, from, to string, mail []byte) error {
	ctx, cancel := context.WithTimeout(ctx, oneMail)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", string(r))
	if err != nil {
		return err
	}
	// net/smtp knows no context: what it waits for ends with the connection.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	host, _, _ := net.SplitHostPort(string(r)) // it was dialled
	client, err := smtp.NewClient(conn, host)
	if err != nil {
		_ = conn.Close()
		return fmt.Errorf("greet %s: %w", r, err)
	}
	if err := hand(client, from, to, mail); err != nil {
		_ = client.Close()
		return fmt.Errorf("send through %s: %w", r, err)
	}
	// The server has taken the mail, however it says goodbye: an error now would send it twice.
	_ = client.Quit()
	_ = client.Close()
	return nil
}

// hand carries out one transaction.
func hand(client *smtp.Client, from, to string, mail []byte) error {
	if err := client.Mail(from); err != nil {
		return refusal(err)
	}
	if err := client.Rcpt(to); err != nil {
		return refusal(err)
	}
	data, err := client.Data()
	if err != nil {
		return refusal(err)
	}
	if _, err := data.Write(mail); err != nil {
		return err
	}
	return refusal(data.Close())
}

// refusal makes a reply of the class 5yz, which stays the same however often it is asked for, an ErrRefused.
func refusal(err error) error {
	if reply, ok := errors.AsType[*textproto.Error](err); ok && reply.Code >= 500 {
		return fmt.Errorf("%w: %w", mailbox.ErrRefused, err)
	}
	return err
}

// printer prints mail in place of sending it.
type printer struct {
	mu sync.Mutex
	w  io.Writer
}

// Send implements mailbox.Sender.
func (p *printer) Send(_ context.Context, _, _ string, mail []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintf(p.w, "----\n%s", mail)
	return err
}
