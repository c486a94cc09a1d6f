// Package crash runs a workload of durable state in one goroutine, and crashes it
// before every operation on its store, once after the last, and again inside every
// recovery. What it drives are the step functions that the worker drives: the log, the
// tray machine with its queues, the alarms and the store; handlers are scripts. After
// each operation the rows are checked for the invariants of durable state, and at the
// end for what was acknowledged.
//
// One seed, one trace: all that is random comes from the seed.
package crash
