// Package pinned is what the author of an object imports: each id of an
// annotated struct has one live value, which runs one turn at a time, so that
// its fields need no locks.
//
// A struct becomes an object by embedding [Object] and by the directives that
// pinnedgen reads. What a program serves it with is package runtime, which only
// main and generated code import.
package pinned
