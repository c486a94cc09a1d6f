//go:build !linux

package build_tags_beside

func system() string { return "a system" }
