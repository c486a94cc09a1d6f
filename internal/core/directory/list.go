package directory

// list is a chain of records in the order in which they were added.
type list[V any] struct{ head, tail *Record[V] }

func (l *list[V]) add(r *Record[V]) {
	r.prev, r.next = l.tail, nil
	if l.tail == nil {
		l.head = r
	} else {
		l.tail.next = r
	}
	l.tail = r
}

func (l *list[V]) remove(r *Record[V]) {
	if r.prev == nil {
		l.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}
