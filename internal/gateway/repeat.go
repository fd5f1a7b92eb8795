package gateway

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// repeating marks ctx if a call may be sent again after its connection broke. This holds for
// requests that only read, and for tools that declare readOnlyHint or idempotentHint. readOnlyHint
// is ignored if the tool is known to write. idempotentHint is believed for any operation, because
// the proxy cannot verify it. A tool without annotations is not repeated.
func (g *Gateway) repeating(ctx context.Context, call *mcpproxy.Call) context.Context {
	switch call.Kind {
	case mcpproxy.KindResource, mcpproxy.KindPrompt, mcpproxy.KindCompletion:
		return upstream.Repeatable(ctx)
	case mcpproxy.KindTool:
		def := call.Definition
		if def == nil {
			return ctx
		}
		if string(wire.Member(def.Raw, "annotations", "idempotentHint")) == "true" {
			return upstream.Repeatable(ctx)
		}
		if def.ReadOnly == nil || !*def.ReadOnly {
			return ctx
		}
		_, op := g.gate.Classify(call.Server, call.Tool, def)
		if op == mcpproxy.Read || op == mcpproxy.UnknownOperation {
			return upstream.Repeatable(ctx)
		}
	}
	return ctx
}
