// Command package_main has an object beside its main.
package main

import "github.com/pinned-go/pinned"

//pinned:object /package_main
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get() string { return "on" }

func main() {}
