package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pinned-go/pinned/bench/rooms"
)

// routingContests compare the generated router of bench/rooms with a ServeMux
// that has the same patterns. Both get the path after the id, as an object does.
func routingContests() []contest {
	return []contest{
		{
			name: "routing/time", against: "ServeMux", unit: "ns", scale: lessIsBetter, target: 5,
			open: func(_ context.Context, s *stage) (measure, measure, error) {
				return generatedRouter().nanoseconds(s.pace.window / 2), serveMux().nanoseconds(s.pace.window / 2), nil
			},
		},
		{
			name: "routing/allocations", against: againstLimit, unit: "allocs", scale: fewerIsBetter, target: 1,
			open: func(context.Context, *stage) (measure, measure, error) {
				return generatedRouter().allocations(), limit(0), nil
			},
		},
	}
}

// routed are requests for every route of rooms.Room but the WebSocket.
var routed = []struct{ method, path string }{
	{"GET", "/topic"},
	{"PUT", "/topic"},
	{"GET", "/messages"},
	{"POST", "/messages"},
	{"GET", "/messages/17"},
	{"DELETE", "/messages/17"},
}

func generatedRouter() micro {
	return micro{func(n int) {
		for i := range n {
			request := &routed[i%len(routed)]
			if rooms.Match(request.method, request.path) < 0 {
				panic("the generated router doesn't know " + request.method + " " + request.path)
			}
		}
	}}
}

func serveMux() micro {
	mux := http.NewServeMux()
	found := 0
	for _, pattern := range rooms.Patterns() {
		mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) { found++ })
	}
	requests := make([]*http.Request, len(routed))
	for i, r := range routed {
		requests[i] = &http.Request{Method: r.method, URL: &url.URL{Path: r.path}}
	}
	return micro{func(n int) {
		found = 0
		for i := range n {
			mux.ServeHTTP(nil, requests[i%len(requests)])
		}
		if found != n {
			panic("ServeMux doesn't know a route")
		}
	}}
}
