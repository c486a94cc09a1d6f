package main

import (
	"fmt"
	"sync/atomic"
)

// id names the n-th instance: 16 bytes, which the targets for memory are for.
func id(n int) string { return fmt.Sprintf("room-%011d", n) }

// getTopic is the request that every contest over HTTP sends.
func getTopic(address string, n int) []byte {
	return fmt.Appendf(nil, "GET /halls/%s/topic HTTP/1.1\r\nHost: %s\r\n\r\n", id(n), address)
}

// sameIDs asks for the first count ids again and again, each connection from
// another one on.
func sameIDs(s *server, conns, count int) load {
	requests := make([][]byte, count)
	for n := range requests {
		requests[n] = getTopic(s.address, n)
	}
	return load{
		address: s.address,
		conns:   conns,
		warmup:  requests[0],
		request: func(conn, n int) []byte {
			return requests[(conn*count/conns+n)%count]
		},
	}
}

// newIDs asks for each of count ids once, from the first on, shared out among
// the connections as they come. The id 0 is resident before.
func newIDs(s *server, conns, first, count int) load {
	var taken atomic.Int64
	requests := make([][]byte, count)
	for n := range requests {
		requests[n] = getTopic(s.address, first+n)
	}
	return load{
		address: s.address,
		conns:   conns,
		warmup:  getTopic(s.address, 0),
		request: func(int, int) []byte {
			n := int(taken.Add(1)) - 1
			if n >= count {
				return nil
			}
			return requests[n]
		},
	}
}
