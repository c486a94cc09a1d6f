// Package crlf was written on Windows.
package crlf

import "github.com/pinned-go/pinned"

// Room comes from Windows.
//
//pinned:object /crlf
type Room struct{ pinned.Object }

// X has a comment.
//
//pinned:route GET /x	
func (r *Room) X() string { return "x" }

//pinned:route	GET	/tabs
func (r *Room) Tabs() string { return "tabs" }
