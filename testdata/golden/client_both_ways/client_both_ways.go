// Package client_both_ways has two objects, in two packages, that call each other.
package client_both_ways
