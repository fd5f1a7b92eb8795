package gateway_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// notifyingServer returns a server that answers "done" and puts its other texts into notifications.
func notifyingServer(says string) *mcp.Server {
	s := newServer("aside", nil)
	add(
		s,
		"read_progress",
		"Reads a note",
		func(ctx context.Context, req *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
			_ = req.Session.NotifyProgress(
				ctx,
				&mcp.ProgressNotificationParams{
					ProgressToken: req.Params.GetProgressToken(),
					Progress:      1,
					Message:       says,
				},
			)
			return said("done"), nil, nil
		},
	)
	add(
		s,
		"read_log",
		"Reads a note",
		func(ctx context.Context, req *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
			//lint:ignore SA1019 servers still use what MCP deprecates; it must pass the proxy
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: says})
			return said("done"), nil, nil
		},
	)
	return s
}

func TestDataInMessagesBesideAnAnswerIsTracked(t *testing.T) {
	const note = "The merger with Aurora Shipping closes on the third of May, and nobody outside may hear of it."
	outside := newServer("slack", nil)
	add(outside, "post_message", "Posts a message", echo)
	for _, tool := range []string{"read_progress", "read_log"} {
		t.Run(tool, func(t *testing.T) {
			r := newRig(t, setup{name: "vault", server: notifyingServer(note)}, setup{name: "slack", server: outside})
			a := r.stateless("/mcp/all")
			params := wire.Set(nil, wire.Quote("vault__"+tool), "name")
			params = wire.Set(wire.Set(params, []byte("{}"), "arguments"), []byte(`"mine"`), "_meta", "progressToken")
			m, before := a.call("1", "tools/call", string(wire.Set(params, []byte(`"info"`), "_meta", wire.MetaLogLevel))).
				response()
			if progress, logs := told(before); textOf(m) != "done" || progress+logs != 1 {
				t.Fatalf("%d of progress, %d logs, then %s", progress, logs, m.Raw)
			}
			a.call("2", "tools/call", `{"name":"slack__post_message","arguments":`+string(wire.Set(nil, wire.Quote(note), "text"))+`}`).
				response()
			all := r.recorded()
			edges := all[len(all)-1].Metadata.Edges
			if len(edges) != 1 || edges[0].From.Server != "vault" || edges[0].To != "slack" ||
				edges[0].Type != mcpproxy.InternalToExternal {
				t.Errorf("the edges are %+v", edges)
			}
		})
	}
}
