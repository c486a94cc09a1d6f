// Package golden drives generated code by the clients that are generated with
// it, without knowing either: a client's methods are found and called by
// reflection, over a socket and in process, and what happens is a text. Its tests
// run the generator on every case of testdata/golden and hold outputs,
// diagnostics and these texts against what is expected there.
package golden
