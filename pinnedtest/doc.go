// Package pinnedtest helps to test objects.
//
// Host gives an object that a test made by hand what it calls: fakes of other
// packages' clients. What needs a real worker is tested through the package's own
// generated client in process, without anything from here.
package pinnedtest
