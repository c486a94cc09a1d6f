package rooms

import pinnedruntime "github.com/pinned-go/pinned/runtime"

// Match finds the route of a request as the worker does, with the generated
// router, and returns its number, or -1. The path is what follows the id.
func Match(method, path string) int {
	var args pinnedruntime.Args
	return matchRoom(method, path, &args)
}

// Patterns are the routes of Room in net/http.ServeMux's notation, but for the
// WebSocket.
func Patterns() []string {
	var patterns []string
	for _, route := range roomClass().Routes {
		if route.Method != "WEBSOCKET" {
			patterns = append(patterns, route.Method+" "+route.Pattern)
		}
	}
	return patterns
}
