// Package chaos kills real processes under load, and holds what is left against what
// was acknowledged.
package chaos
