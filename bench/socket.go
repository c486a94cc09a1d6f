package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// sockets drives WebSocket echoes: each connection says something, waits for
// the answer, and says it again.
type sockets struct {
	address string
	path    string
	conns   int
	say     any // the message, as JSON
	// heard checks the answers; that to the first message, and every other must
	// equal it.
	heard func(answer []byte) error
}

// run opens all connections, has one echo on each, then lets them go at once for
// a window.
func (s sockets) run(ctx context.Context, window time.Duration) (tally, error) {
	message, err := json.Marshal(s.say)
	if err != nil {
		return tally{}, fmt.Errorf("encode the message: %w", err)
	}
	frame, err := maskedFrame(opText, message)
	if err != nil {
		return tally{}, err
	}

	ctx, cancel := context.WithTimeoutCause(ctx, window+patience, fmt.Errorf("no end after %v", window+patience))
	defer cancel()
	var (
		ready, done sync.WaitGroup
		start       = make(chan struct{})
		stop        atomic.Bool
		counts      = make([]int, s.conns)
		faults      = make([]error, s.conns)
	)
	for i := range s.conns {
		ready.Add(1)
		done.Go(func() {
			isReady := sync.OnceFunc(ready.Done)
			defer isReady()
			faults[i] = func() error {
				c, err := dialSocket(ctx, s.address, s.path)
				if err != nil {
					return err
				}
				defer c.close()
				defer context.AfterFunc(ctx, c.close)()
				first, err := c.echo(frame)
				if err != nil {
					return err
				}
				if err := s.heard(first); err != nil {
					return err
				}
				want := string(first)

				isReady()
				<-start
				for !stop.Load() {
					answer, err := c.echo(frame)
					if err != nil {
						return err
					}
					if string(answer) != want {
						return fmt.Errorf("an answer is %q, the first was %q", answer, want)
					}
					counts[i]++
				}
				return nil
			}()
			if faults[i] != nil {
				cancel()
			}
		})
	}

	ready.Wait()
	timer := time.AfterFunc(window, func() { stop.Store(true) })
	defer timer.Stop()
	began := time.Now()
	close(start)
	done.Wait()

	total := tally{elapsed: time.Since(began)}
	for _, n := range counts {
		total.ok += n
	}
	if err := firstFault(ctx, faults); err != nil {
		return tally{}, fmt.Errorf("echo on %d connections: %w", s.conns, err)
	}
	return total, nil
}

// socket is a WebSocket connection that sends ready-made frames, to leave the
// machine's time to both sides.
type socket struct {
	client

	reader *bufio.Reader
	body   []byte
}

// The opcodes and bits of RFC 6455, section 5.2.
const (
	opText, opClose, opPing, opPong = 0x1, 0x8, 0x9, 0xA

	finBit, maskBit = 0x80, 0x80
	smallFrame      = 125
)

// maskedFrame makes a client's whole message. The mask is of zeros: what it
// guards against is no concern of a benchmark.
func maskedFrame(opcode byte, payload []byte) ([]byte, error) {
	if len(payload) > smallFrame {
		return nil, fmt.Errorf("a message of %d bytes, with frames of %d at most", len(payload), smallFrame)
	}
	frame := []byte{finBit | opcode, maskBit | byte(len(payload)), 0, 0, 0, 0} //nolint:gosec // bounded above
	return append(frame, payload...), nil
}

func dialSocket(ctx context.Context, address, path string) (*socket, error) {
	var dial net.Dialer
	conn, err := dial.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &socket{client: client{conn: conn}, reader: bufio.NewReader(conn)}
	stopped := context.AfterFunc(ctx, s.close)
	defer stopped()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", path, address); err != nil {
		s.close()
		return nil, err
	}
	res, err := http.ReadResponse(s.reader, nil)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("read the handshake's answer: %w", err)
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		_ = res.Body.Close()
		s.close()
		return nil, fmt.Errorf("the handshake was answered with %s: %s", res.Status, body)
	}
	return s, nil
}

// echo sends a frame and returns the next message, which lies in a buffer of s.
func (s *socket) echo(frame []byte) ([]byte, error) {
	if _, err := s.conn.Write(frame); err != nil {
		return nil, err
	}
	for {
		opcode, err := s.read()
		switch {
		case err != nil:
			return nil, fmt.Errorf("read a message: %w", err)
		case opcode == opText:
			return s.body, nil
		case opcode == opPing:
			pong, err := maskedFrame(opPong, s.body)
			if err != nil {
				return nil, err
			}
			if _, err := s.conn.Write(pong); err != nil {
				return nil, err
			}
		case opcode == opClose:
			return nil, fmt.Errorf("the server closed the connection: %q", s.body)
		default:
			return nil, fmt.Errorf("a frame with opcode %#x", opcode)
		}
	}
}

// read takes a frame of the server's into s.body.
func (s *socket) read() (opcode byte, err error) {
	first, err := s.reader.ReadByte()
	if err != nil {
		return 0, err
	}
	length, err := s.reader.ReadByte()
	switch {
	case err != nil:
		return 0, err
	case first&finBit == 0:
		return 0, errors.New("a message in several frames")
	case length > smallFrame:
		return 0, fmt.Errorf("a frame that is masked or over %d bytes", smallFrame)
	}
	s.body = append(s.body[:0], make([]byte, length)...)
	_, err = io.ReadFull(s.reader, s.body)
	return first &^ finBit, err
}
