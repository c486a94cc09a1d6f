//go:build golden

package build_tag

const platform = "golden"
