// Package bind is how the runtime reaches what package pinned keeps unexported,
// and how pinned reaches the runtime without importing it: interfaces that the
// runtime implements, and function variables that pinned fills in when it is
// initialised. It holds no state of its own.
package bind
