// Package peer holds the durable rows of trays against those of the Python package
// of the same system (durability contract, section 4): Lane is here once in Go and
// once in Python, lane.py, with the same routes, so that the same steps bring both to
// the same rows, and either goes on where the other was killed.
package peer
