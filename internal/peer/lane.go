package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// Lane has a tray of every kind.
//
//pinned:object /lanes
type Lane struct {
	pinned.Object

	gate *gate // set by a setup

	work  pinned.TrayOf[Work]
	relay pinned.TrayOf[Work]
	sink  pinned.TrayOf[Work] // of what the others admit under a key
	shelf pinned.TraysOf[Work]
	boxes pinned.TraysOf[Box]
	later pinned.TrayOf[Later]
	jobs  pinned.Jobs[Item]
	note  pinned.Value[string] // in a row that no Python class has
}

// Item is work: what its handler does, and then it is done.
type Item struct {
	N  int      `json:"n"`
	Do []string `json:"do,omitempty"`
}

// line is what all trays of lanes have.
type line struct {
	pinned.Tray

	queue pinned.Queue[Item]
	steer pinned.Queue[Item]
	out   pinned.Outbox[Item]
	count pinned.Value[int]
	label pinned.Value[string] `default:"new"`
	seen  pinned.Value[[]int]
	data  pinned.Value[json.RawMessage]
}

// Items is the queue.
func (l *line) Items() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for {
			head, ok := l.queue.Peek()
			if !ok || !yield(head) {
				return
			}
			l.queue.Pop()
		}
	}
}

// Work is open from the start.
//
//pinned:tray open attempts=2
type Work struct{ line }

//pinned:inbox Add
func (w *Work) add(item Item) { w.queue.Append(item) }

// Box is open while it has work.
//
//pinned:tray attempts=2
type Box struct{ line }

// Later has rows of a later version.
//
//pinned:tray open version=2
type Later struct{ line }

// gate holds the handlers that ask for it, until it is opened.
type gate struct {
	opened chan struct{}
	once   sync.Once
}

func newGate() *gate { return &gate{opened: make(chan struct{})} }

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

func (g *gate) holds() bool {
	select {
	case <-g.opened:
		return false
	default:
		return true
	}
}

// Step is one operation on a tray.
type Step struct {
	Tray  string          `json:"tray"` // "work", or "boxes/key"
	Op    string          `json:"op"`
	Items []Item          `json:"items,omitempty"`
	N     int             `json:"n,omitempty"`
	Text  string          `json:"text,omitempty"`
	Seen  []int           `json:"seen"` // null is another value than an empty list
	Data  json.RawMessage `json:"data,omitempty"`
}

// View is what the fields of a tray hold.
type View struct {
	Queue   []int           `json:"queue"`
	Steer   []int           `json:"steer"`
	Out     int             `json:"out"` // the item in flight
	Attempt int             `json:"attempt"`
	Count   int             `json:"count"`
	Label   string          `json:"label"`
	Seen    []int           `json:"seen"`
	Data    json.RawMessage `json:"data"`
	Parked  bool            `json:"parked"`
}

// Do carries out a step. Without a tray it only activates the lane.
//
//pinned:route POST /do
func (l *Lane) Do(ctx context.Context, s Step) (View, error) {
	switch s.Tray {
	case "":
		if s.Op == "release" {
			l.gate.open()
		}
		return View{}, nil
	case "jobs":
		l.jobs.Append(s.Items...)
		return View{}, nil
	}
	t, err := l.line(ctx, s.Tray)
	if err != nil {
		return View{}, err
	}
	return l.step(ctx, t, s)
}

func (l *Lane) step(ctx context.Context, t *line, s Step) (v View, err error) {
	switch s.Op {
	case "open":
	case "kick":
		t.Kick()
	case "add":
		t.queue.Append(s.Items...)
	case "insert":
		t.queue.Insert(s.Items[0])
	case "steer":
		t.steer.Append(s.Items...)
	case "send":
		t.out.Dispatch(s.Items[0])
	case "ack":
		t.out.Ack()
	case "count":
		t.count.Set(s.N)
	case "label":
		t.label.Set(s.Text)
	case "seen":
		t.seen.Set(s.Seen)
	case "data":
		t.data.Set(s.Data)
	case "delete": // it waits for the running dispatch
		l.Go(ctx, func(ctx context.Context) { _ = t.Delete(ctx) })
	case "unpark":
		t.Unpark()
	case "cancel":
		t.CancelDispatch()
	case "view":
		v = t.view()
	default:
		err = fmt.Errorf("no such step: %q", s.Op)
	}
	return v, err
}

func (l *line) view() View {
	out, _ := l.out.Item()
	return View{
		Queue: numbers(l.queue.All()), Steer: numbers(l.steer.All()), Out: out.N, Attempt: l.out.Attempt(),
		Count: l.count.Get(), Label: l.label.Get(), Seen: l.seen.Get(), Data: l.data.Get(), Parked: l.Parked(),
	}
}

func numbers(items []Item) []int {
	all := []int{}
	for _, item := range items {
		all = append(all, item.N)
	}
	return all
}

// line opens a tray.
func (l *Lane) line(ctx context.Context, name string) (*line, error) {
	field, key, _ := strings.Cut(name, "/")
	if field == "boxes" {
		b, err := l.boxes.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		return &b.line, nil
	}
	if field == "later" {
		t, err := l.later.Get(ctx)
		if err != nil {
			return nil, err
		}
		return &t.line, nil
	}
	w, err := l.of(ctx, field, key)
	if err != nil {
		return nil, err
	}
	return &w.line, nil
}

func (l *Lane) of(ctx context.Context, field, key string) (*Work, error) {
	switch field {
	case "work":
		return l.work.Get(ctx)
	case "relay":
		return l.relay.Get(ctx)
	case "sink":
		return l.sink.Get(ctx)
	case "shelf":
		return l.shelf.Get(ctx, key)
	}
	return nil, fmt.Errorf("no such tray: %q", field)
}

//pinned:handle work
func (l *Lane) handleWork(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "work", item, d)
}

//pinned:handle relay
func (l *Lane) handleRelay(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "relay", item, d)
}

//pinned:handle sink
func (l *Lane) handleSink(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "sink", item, d)
}

//pinned:handle shelf
func (l *Lane) handleShelf(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "", item, d)
}

//pinned:handle boxes
func (l *Lane) handleBoxes(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "", item, d)
}

//pinned:handle later
func (l *Lane) handleLater(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "later", item, d)
}

//pinned:handle jobs
func (l *Lane) handleJobs(ctx context.Context, item Item, d *pinned.Dispatch) error {
	return l.handle(ctx, "", item, d)
}

// handle does what the item says. The actions on fields are for trays that have a
// name.
func (l *Lane) handle(ctx context.Context, tray string, item Item, d *pinned.Dispatch) error {
	var t *line
	if tray != "" {
		var err error
		if t, err = l.line(ctx, tray); err != nil {
			return err
		}
	}
	for _, action := range item.Do {
		if err := l.act(ctx, t, item, d, action); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lane) act(ctx context.Context, t *line, item Item, d *pinned.Dispatch, action string) error {
	verb, arg, _ := strings.Cut(action, ":")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "state":
		return d.SetState(map[string]string{"at": arg}).Wait(ctx)
	case "null":
		return d.SetState(nil).Wait(ctx)
	case "take":
		t.steer.TakeNow(n)
	case "untake":
		t.steer.Untake(n)
	case "wait":
		_, err := t.steer.Take(ctx)
		return err
	case "send":
		t.out.Dispatch(item)
	case "count":
		t.count.Update(func(c *int) { *c += item.N })
	case "admit":
		return l.admit(ctx, item, d, arg)
	case "hold":
		return pinned.Await(ctx, func(ctx context.Context) error {
			select {
			case <-l.gate.opened:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	case "fail":
		if l.gate.holds() {
			return &pinned.Error{Status: 503, RetryAfter: time.Millisecond}
		}
	}
	return nil
}

// admit puts an item that is held into the sink.
func (l *Lane) admit(ctx context.Context, item Item, d *pinned.Dispatch, key string) error {
	sink, err := l.sink.Get(ctx)
	if err != nil {
		return err
	}
	_, err = d.Admit(ctx, sink.AddAs(key, Item{N: item.N + 100, Do: []string{"hold"}}))
	return err
}
