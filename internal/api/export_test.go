package api

import "net/http"

// Patterns returns the routes that an API's handler serves.
func Patterns(h http.Handler) []string {
	var out []string
	for _, r := range h.(*handler).all {
		out = append(out, r.patterns...)
	}
	return out
}

// Stream serves /events and nothing else, to everybody.
func Stream(e *Events) http.Handler {
	return http.HandlerFunc((&server{Sources: Sources{Events: e}}).stream)
}
