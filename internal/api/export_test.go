package api

import "net/http"

// Patterns are the routes that an API's handler serves.
func Patterns(h http.Handler) []string {
	var out []string
	for _, r := range h.(*handler).all {
		out = append(out, r.patterns...)
	}
	return out
}
