// Package tray decides what happens in a tray, a durable queue of work with its
// own state (durability contract, sections 4 and 5): when its head is delivered,
// counted, parked, tried again and acknowledged, what of that its row holds, and
// which keyed admissions land. A Machine's shell asks it for the next action,
// carries that out, and tells it how that ended; it has no goroutine, no clock
// and no I/O of its own.
//
// Queue and Outbox are the durable fields of a tray as its row holds them, with
// the values that they decode to beside.
package tray
