package upstream

import (
	"context"
	"net/http"
)

type traceparentKey struct{}

const headerTraceparent = "Traceparent"

// WithTraceparent lets what is sent over HTTP under ctx name its place in a
// distributed trace (W3C Trace Context); "" names none. The message stays as it is.
func WithTraceparent(ctx context.Context, value string) context.Context {
	if value == "" {
		return ctx
	}
	return context.WithValue(ctx, traceparentKey{}, value)
}

// setTraceparent leaves alone what the configuration has set.
func setTraceparent(ctx context.Context, h http.Header) {
	if v, ok := ctx.Value(traceparentKey{}).(string); ok && h.Get(headerTraceparent) == "" {
		h.Set(headerTraceparent, v)
	}
}
