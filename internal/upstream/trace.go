package upstream

import (
	"context"
	"net/http"
)

type traceparentKey struct{}

const headerTraceparent = "Traceparent"

// WithTraceparent sets the traceparent header (W3C Trace Context) of HTTP requests under ctx; ""
// sends no header. The messages themselves are not changed.
func WithTraceparent(ctx context.Context, value string) context.Context {
	if value == "" {
		return ctx
	}
	return context.WithValue(ctx, traceparentKey{}, value)
}

// setTraceparent does not override a header from the configuration.
func setTraceparent(ctx context.Context, h http.Header) {
	if v, ok := ctx.Value(traceparentKey{}).(string); ok && h.Get(headerTraceparent) == "" {
		h.Set(headerTraceparent, v)
	}
}
