//go:build ignore

// This program isn't part of the package.
package main

func main() {}
