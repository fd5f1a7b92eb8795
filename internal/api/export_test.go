package api

import "net/http"

// Patterns returns the routes of an API's handler.
func Patterns(h http.Handler) []string {
	var out []string
	for _, r := range h.(*handler).all {
		out = append(out, r.patterns...)
	}
	return out
}

// Stream serves only /events, without authentication.
func Stream(e *Events) http.Handler {
	return http.HandlerFunc((&server{Sources: Sources{Events: e}}).stream)
}
