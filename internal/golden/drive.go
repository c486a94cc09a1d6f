package golden

import (
	"context"
	"fmt"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// Case is what the generated code of one case offers.
type Case struct {
	Register []func(*runtime.Worker, ...runtime.RegisterOption)
	Clients  []Client
}

// Client makes the clients of one generated package; each result is its Client.
type Client struct {
	New       func(base string) any
	InProcess func(*runtime.Worker) any
}

// Drive calls every method of every client of c on a worker of its own, with a store in
// memory, over a socket, and tells what happened, a paragraph a call. The same calls in process
// must tell the same.
func Drive(t *testing.T, c Case) string {
	t.Helper()
	overHTTP := c.run(t, func(w *runtime.Worker, client Client) any {
		server := httptest.NewServer(w)
		t.Cleanup(server.Close)
		return client.New(server.URL)
	})
	inProcess := c.run(t, func(w *runtime.Worker, client Client) any { return client.InProcess(w) })
	if overHTTP != inProcess {
		t.Errorf("over HTTP:\n%s\nin process:\n%s", overHTTP, inProcess)
	}
	return overHTTP
}

func (c Case) run(t *testing.T, connect func(*runtime.Worker, Client) any) string {
	t.Helper()
	worker, err := runtime.NewWorker(runtime.WithStore(durability.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	for _, register := range c.Register {
		register(worker)
	}
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before that of the server, whose handlers it ends
		if err := worker.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	// Generous: only a call that hangs for ever reaches it.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)

	var told strings.Builder
	for _, client := range c.Clients {
		for _, object := range objects(connect(worker, client)) {
			tell(ctx, &told, object)
		}
	}
	return told.String()
}

// object is what a Client's method for an object returned.
type object struct {
	name  string
	calls reflect.Value
}

// objects finds the methods of a Client that give an object by its id.
func objects(client any) []object {
	var found []object
	v := reflect.ValueOf(client)
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		in, out := m.Type.NumIn(), m.Type.NumOut()
		if in != 2 || m.Type.In(1).Kind() != reflect.String || out != 1 || m.Type.Out(0).Kind() != reflect.Interface {
			continue
		}
		id := pinned.ID("id of", m.Name)
		found = append(found, object{m.Name, v.Method(i).Call([]reflect.Value{reflect.ValueOf(id)})[0].Elem()})
	}
	return found
}

// tell calls each method of an object and writes what came of it.
func tell(ctx context.Context, told *strings.Builder, o object) {
	t := o.calls.Type()
	for i := range t.NumMethod() {
		m := t.Method(i)
		args := []reflect.Value{reflect.ValueOf(ctx)}
		var shown []string
		for j := 2; j < m.Type.NumIn(); j++ { // after receiver and ctx
			arg := sample(m.Type.In(j), fmt.Sprintf("%s-%d", m.Name, j-1))
			args, shown = append(args, arg), append(shown, show(arg))
		}
		fmt.Fprintf(told, "%s.%s(%s)\n", o.name, m.Name, strings.Join(shown, ", "))
		for _, line := range outcome(ctx, o.calls.Method(i).Call(args)) {
			fmt.Fprintf(told, "\t%s\n", line)
		}
	}
}

// outcome reads the results of a call to their ends.
func outcome(ctx context.Context, results []reflect.Value) []string {
	if len(results) == 0 {
		return nil
	}
	if err, ok := reflect.TypeAssert[error](results[len(results)-1]); ok {
		return []string{showError(err)}
	}
	first := results[0]
	switch {
	case first.Type() == reflect.TypeFor[error]():
		return []string{"done"}
	case first.Kind() == reflect.Func:
		return elements(first)
	case first.Kind() == reflect.Pointer && first.MethodByName("Receive").IsValid():
		return converse(ctx, first)
	}
	return slices.Collect(strings.Lines(show(first)))
}

// elements ranges over an iter.Seq2[T, error].
func elements(seq reflect.Value) []string {
	var lines []string
	for v, err := range seq.Seq2() {
		if err, ok := reflect.TypeAssert[error](err); ok {
			return append(lines, showError(err))
		}
		lines = append(lines, show(v))
	}
	return append(lines, "end")
}

// converse says one thing on a connection, hears one, and hangs up. Objects of
// the cases answer each message with one.
func converse(ctx context.Context, conn reflect.Value) []string {
	call := func(method string, args ...reflect.Value) []reflect.Value {
		return conn.MethodByName(method).Call(args)
	}
	var lines []string
	message := sample(conn.MethodByName("Send").Type().In(1), "said")
	if err, ok := reflect.TypeAssert[error](call("Send", reflect.ValueOf(ctx), message)[0]); ok {
		return append(lines, "send: "+showError(err))
	}
	heard := call("Receive", reflect.ValueOf(ctx))
	if err, ok := reflect.TypeAssert[error](heard[1]); ok {
		return append(lines, "receive: "+showError(err))
	}
	lines = append(lines, "said "+show(message), "heard "+show(heard[0]))
	if err, ok := reflect.TypeAssert[error](call("Close", reflect.ValueOf(1000), reflect.ValueOf("bye"))[0]); ok {
		lines = append(lines, "close: "+showError(err))
	}
	return lines
}
