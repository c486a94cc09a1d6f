package pinned_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned"
)

// TestFieldsWithoutAHostAreInMemory uses an object as a plain struct, as a unit test of its
// author does.
func TestFieldsWithoutAHostAreInMemory(t *testing.T) {
	var value pinned.Value[[]int]
	if value.Get() != nil {
		t.Error(value.Get())
	}
	if err := value.Set([]int{1}).Wait(t.Context()); err != nil || !cmp.Equal(value.Get(), []int{1}) {
		t.Error(value.Get(), err)
	}

	var queue pinned.Queue[string]
	queue.Append("b", "c")
	queue.Insert("a")
	if head, ok := queue.Peek(); head != "a" || !ok || queue.Len() != 3 {
		t.Error(head, ok, queue.Len())
	}
	if head, ok := queue.Pop(); head != "a" || !ok || !cmp.Equal(queue.All(), []string{"b", "c"}) {
		t.Error(head, ok, queue.All())
	}
	// Takes work as in a dispatch, so that a handler can be tested by itself.
	if item, err := queue.Take(t.Context()); item != "b" || err != nil {
		t.Error(item, err)
	}
	if took := queue.TakeNow(-1); !cmp.Equal(took, []string{"c"}) {
		t.Error(took)
	}
	if err := queue.Untake(1).Wait(t.Context()); err != nil || queue.Len() != 1 {
		t.Error(queue.Len(), err)
	}
	for _, n := range []int{2, -1} {
		if err := queue.Untake(n).Wait(t.Context()); err == nil {
			t.Errorf("untake of %d", n)
		}
	}

	var outbox pinned.Outbox[int]
	if err := outbox.Ack().Wait(t.Context()); err == nil {
		t.Error("an empty outbox was acknowledged")
	}
	if a, b, c := outbox.Dispatch(7), outbox.Dispatch(7), outbox.Dispatch(8); a != 1 || b != 2 || c == 3 {
		t.Error(a, b, c)
	}
	if item, ok := outbox.Item(); !ok || item == 0 {
		t.Error(item, ok)
	}

	var members pinned.Map[int]
	for i, key := range []string{"b", "a", "ab"} {
		if err := members.Put(t.Context(), key, i).Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	members.Delete(t.Context(), "b")
	if v, ok, err := members.Get(t.Context(), "a"); v != 1 || !ok || err != nil {
		t.Error(v, ok, err)
	}
	var keys []string
	for e, err := range members.Scan(t.Context(), pinned.Range{Prefix: "a", After: "a"}) {
		if err != nil {
			t.Error(err)
		}
		keys = append(keys, e.Key)
	}
	if !cmp.Equal(keys, []string{"ab"}) {
		t.Error(keys)
	}

	var jobs pinned.Jobs[int]
	jobs.Append(1, 2)
	if jobs.Len() != 2 || !cmp.Equal(jobs.All(), []int{1, 2}) {
		t.Error(jobs.All())
	}
}

func TestWhatDoesNotEncodeIsTheReceiptsError(t *testing.T) {
	var value pinned.Value[float64]
	value.Set(1)
	if err := value.Set(math.NaN()).Wait(t.Context()); err == nil || value.Get() != 1 {
		t.Error(value.Get(), err)
	}
	var queue pinned.Queue[any]
	if err := queue.Append(1, func() {}).Wait(t.Context()); err == nil || queue.Len() != 0 {
		t.Error(queue.Len(), err)
	}
	if err := queue.Insert(make(chan int)).Wait(t.Context()); err == nil || queue.Len() != 0 {
		t.Error(queue.Len(), err)
	}
	var outbox pinned.Outbox[any]
	if n := outbox.Dispatch(func() {}); n != 0 || outbox.Attempt() != 0 {
		t.Error(n, outbox.Attempt())
	}
	var members pinned.Map[any]
	if err := members.Put(t.Context(), "a", func() {}).Wait(t.Context()); err == nil {
		t.Error("a function was put")
	}
	for _, key := range []string{"", strings.Repeat("x", 1025), "a\x00", "\xff"} {
		if err := members.Put(t.Context(), key, 1).Wait(t.Context()); err == nil {
			t.Errorf("put of the key %q", key)
		}
		if _, _, err := members.Get(context.Background(), key); err == nil {
			t.Errorf("get of the key %q", key)
		}
		if err := members.Delete(t.Context(), key).Wait(t.Context()); err == nil {
			t.Errorf("delete of the key %q", key)
		}
	}
}
