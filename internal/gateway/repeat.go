package gateway

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// repeating marks ctx where a call may be sent again after its connection broke:
// what reads by its nature, and tools that declare that they only read or that
// twice is once. One that declares to read only and is known to do otherwise is not
// believed. That twice is once nobody else can know, and it goes with any operation:
// what is deleted twice is gone. A tool that declares nothing is not guessed about.
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
