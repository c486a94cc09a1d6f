// Package wire has the names, bodies and ids of the wire contract: what both
// sides of a connection must agree on lives here and nowhere else. It holds no
// state and does no I/O.
package wire
