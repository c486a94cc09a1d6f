//go:build golden

// Package build_tag is there with a tag only.
package build_tag

import "github.com/pinned-go/pinned"

//pinned:object /build_tag
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get() string { return platform }
