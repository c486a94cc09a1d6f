// Package frontier decides what of an instance's durable writes is flushed, in
// which batches, and who waits for it (durability contract, section 3). A Log is
// the ordered log of one instance; Lanes decide which instances share a statement.
// Neither has a goroutine, a clock or I/O of its own.
package frontier
