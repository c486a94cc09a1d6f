package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// load drives HTTP/1.1 requests at a server over connections that are kept
// alive, one request at a time on each. Both sides of a contest get the same
// load; it writes and reads bare bytes, to leave the machine's time to them.
type load struct {
	address string
	conns   int
	warmup  []byte // the first request of each connection, before the clock runs
	// request returns the n-th request of a connection, n from 0; nil: no more.
	request func(conn, n int) []byte
	// tolerant counts answers that aren't 200 instead of failing on them.
	tolerant bool
	// timed measures each answer's time, for p99.
	timed bool
}

// tally is what a load came to.
type tally struct {
	ok, other int
	elapsed   time.Duration // from the start of all to the end of the last
	p99       time.Duration // of the answers' times, where they are measured
}

func (t tally) rate() float64 { return float64(t.ok) / t.elapsed.Seconds() }

// dialling bounds how many connections are being opened at once: a listener's
// backlog is finite.
const dialling = 256

// patience bounds what a load takes beyond its window. One limit for all costs
// no timer a request.
const patience = 2 * time.Minute

// run opens all connections, warms each up, then lets them go at once. A window
// ends the work after so long (each finishes its request, and that time counts);
// 0: request says when.
func (l load) run(ctx context.Context, window time.Duration) (tally, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, window+patience, fmt.Errorf("no end after %v", window+patience))
	defer cancel()
	var (
		ready, done sync.WaitGroup
		start       = make(chan struct{})
		stop        atomic.Bool
		slots       = make(chan struct{}, dialling)
		tallies     = make([]tally, l.conns)
		faults      = make([]error, l.conns)
		times       = make([][]time.Duration, l.conns)
		dial        net.Dialer
	)
	for i := range l.conns {
		ready.Add(1)
		done.Go(func() {
			isReady := sync.OnceFunc(ready.Done)
			defer isReady()
			fault := func(err error) {
				faults[i] = err
				cancel() // the others needn't go on
			}

			slots <- struct{}{}
			conn, err := dial.DialContext(ctx, "tcp", l.address)
			<-slots
			if err != nil {
				fault(err)
				return
			}
			c := &client{conn: conn}
			defer c.close()
			defer context.AfterFunc(ctx, c.close)()
			if err := c.warm(l.warmup); err != nil {
				fault(err)
				return
			}

			isReady()
			<-start
			for n := 0; !stop.Load(); n++ {
				request := l.request(i, n)
				if request == nil {
					break
				}
				var at time.Time
				if l.timed {
					at = time.Now()
				}
				status, err := c.exchange(request)
				if l.timed {
					times[i] = append(times[i], time.Since(at))
				}
				switch {
				case err != nil:
					fault(err)
					return
				case status == statusOK:
					tallies[i].ok++
				case l.tolerant:
					tallies[i].other++
				default:
					fault(fmt.Errorf("an answer with status %d: %s", status, c.body))
					return
				}
			}
		})
	}

	ready.Wait()
	if window > 0 {
		timer := time.AfterFunc(window, func() { stop.Store(true) })
		defer timer.Stop()
	}
	began := time.Now()
	close(start)
	done.Wait()

	total := tally{elapsed: time.Since(began)}
	for _, t := range tallies {
		total.ok += t.ok
		total.other += t.other
	}
	if l.timed {
		total.p99 = percentile(slices.Concat(times...), 0.99)
	}
	if err := firstFault(ctx, faults); err != nil {
		return tally{}, fmt.Errorf("load of %d connections: %w", l.conns, err)
	}
	return total, nil
}

// firstFault prefers an error that isn't the consequence of another's, or of the
// context's end.
func firstFault(ctx context.Context, faults []error) error {
	var consequence error
	for _, err := range faults {
		switch {
		case err == nil:
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, net.ErrClosed):
			consequence = err
		default:
			return err
		}
	}
	if consequence != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return consequence
}

const statusOK = 200

// client is one connection.
type client struct {
	conn net.Conn
	buf  []byte // what was read of the answer
	body []byte // of the last answer; lies in buf
	want []byte // the body of a warm-up: every 200 has it
}

// close doesn't linger: thousands of connections a round would use up the
// ports.
func (c *client) close() {
	if tcp, ok := c.conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.conn.Close()
}

// warm sends the first request and keeps its body.
func (c *client) warm(request []byte) error {
	status, err := c.exchange(request)
	if err != nil {
		return err
	}
	if status != statusOK {
		return fmt.Errorf("the first request was answered with status %d: %s", status, c.body)
	}
	c.want = bytes.Clone(c.body)
	return nil
}

// exchange sends a request and reads the whole answer.
func (c *client) exchange(request []byte) (status int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	c.buf = c.buf[:0]
	for {
		if cap(c.buf)-len(c.buf) < readSize {
			c.buf = append(make([]byte, 0, 2*cap(c.buf)+readSize), c.buf...)
		}
		n, err := c.conn.Read(c.buf[len(c.buf):cap(c.buf)])
		if err != nil {
			return 0, fmt.Errorf("read an answer: %w", err)
		}
		c.buf = c.buf[:len(c.buf)+n]
		a, whole, err := parseAnswer(c.buf)
		if err != nil {
			return 0, err
		}
		if !whole {
			continue
		}
		c.body = a.body
		if a.status == statusOK && c.want != nil && !bytes.Equal(c.body, c.want) {
			return 0, fmt.Errorf("an answer holds %q, the first held %q", c.body, c.want)
		}
		return a.status, nil
	}
}

const readSize = 4 << 10

// answer is an HTTP/1.1 answer with a Content-Length, which those of every
// contest have.
type answer struct {
	status int
	body   []byte
}

var (
	endOfHead     = []byte("\r\n\r\n")
	endOfLine     = []byte("\r\n")
	protocol      = []byte("HTTP/1.1 ")
	contentLength = []byte("content-length")
)

// parseAnswer reads an answer from the beginning of data; whole is false while
// there is too little of it.
func parseAnswer(data []byte) (a answer, whole bool, err error) {
	head, body, found := bytes.Cut(data, endOfHead)
	if !found {
		return answer{}, false, nil
	}
	line, fields, _ := bytes.Cut(head, endOfLine)
	if !bytes.HasPrefix(line, protocol) || len(line) < len(protocol)+3 {
		return answer{}, false, fmt.Errorf("an answer begins with %q", line)
	}
	a.status, err = strconv.Atoi(string(line[len(protocol) : len(protocol)+3]))
	if err != nil {
		return answer{}, false, fmt.Errorf("an answer begins with %q", line)
	}
	length := -1
	for len(fields) > 0 {
		var field []byte
		field, fields, _ = bytes.Cut(fields, endOfLine)
		if len(field) > len(contentLength) && field[len(contentLength)] == ':' && bytes.EqualFold(field[:len(contentLength)], contentLength) {
			length, err = strconv.Atoi(string(bytes.TrimSpace(field[len(contentLength)+1:])))
			if err != nil {
				return answer{}, false, fmt.Errorf("an answer's %q", field)
			}
		}
	}
	switch {
	case length < 0:
		return answer{}, false, fmt.Errorf("an answer has no Content-Length: %q", head)
	case len(body) < length:
		return answer{}, false, nil
	case len(body) > length:
		return answer{}, false, fmt.Errorf("%d bytes too many came with an answer", len(body)-length)
	}
	a.body = body
	return a, true, nil
}
