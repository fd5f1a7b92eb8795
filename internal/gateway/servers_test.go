//lint:file-ignore SA1019 servers still use what MCP deprecates; it must pass the proxy

package gateway_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// secret has the form of an API key but is not a key. It is assembled here, so that no file contains it.
var secret = "sk-" + "proj-" + "Qw8Er5Ty2Ui9Op4As7Df1Gh6Jk3Lz0X"

type textIn struct {
	Text string `json:"text,omitempty" jsonschema:"any text"`
}

type toolFunc func(context.Context, *mcp.CallToolRequest, textIn) (*mcp.CallToolResult, any, error)

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func answer(text string) toolFunc {
	return func(context.Context, *mcp.CallToolRequest, textIn) (*mcp.CallToolResult, any, error) {
		return said("%s", text), nil, nil
	}
}

func echo(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
	return said("you said %s", in.Text), nil, nil
}

func newServer(name string, opts *mcp.ServerOptions) *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, opts)
}

func add(s *mcp.Server, name, description string, f toolFunc) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description}, mcp.ToolHandlerFor[textIn, any](f))
}

// notes returns an internal server with tools, resources and prompts of every kind.
func notes() *mcp.Server {
	s := newServer("notes", &mcp.ServerOptions{Instructions: "Notes of the house.",
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil }})
	add(s, "echo", "Says it again", echo)
	add(
		s,
		"get_report",
		"Returns the report of the quarter",
		answer("Revenue of the northern region fell by a third in the autumn."),
	)
	destructive := true
	mcp.AddTool(
		s,
		&mcp.Tool{
			Name:        "delete_note",
			Description: "Deletes a note for good",
			Annotations: &mcp.ToolAnnotations{DestructiveHint: &destructive},
		},
		mcp.ToolHandlerFor[textIn, any](echo),
	)
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who"}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{
				Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: "Greet " + req.Params.Arguments["who"]}},
				},
			}, nil
		})
	s.AddResource(
		&mcp.Resource{URI: "note://1", Name: "first"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "note://1", Text: "buy milk"}}}, nil
		},
	)
	return s
}

// vault returns an internal server with a tool that returns a secret.
func vault() *mcp.Server {
	s := newServer("vault", nil)
	add(s, "read_secret", "Reads a secret", answer("value: "+secret))
	return s
}

// chat returns an external server.
func chat() *mcp.Server {
	s := newServer("chat", nil)
	add(s, "post_message", "Posts a message", echo)
	s.AddPrompt(&mcp.Prompt{Name: "announce", Arguments: []*mcp.PromptArgument{{Name: "what"}}},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
	return s
}

// asker asks its client a question before it answers: it sends a request of its own, as stateful servers do.
func asker() *mcp.Server {
	s := newServer("asker", nil)
	add(
		s,
		"confirm",
		"Asks first",
		func(ctx context.Context, req *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
				Message: "Really " + in.Text + "?",
				RequestedSchema: map[string]any{
					"type":       "object",
					"properties": map[string]any{"colour": map[string]any{"type": "string"}},
				},
			})
			if err != nil {
				return said("could not ask: %v", err), nil, nil
			}
			return said("%s %v", res.Action, res.Content["colour"]), nil, nil
		},
	)
	add(
		s,
		"think",
		"Has the client's model think",
		func(ctx context.Context, req *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			res, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10,
				Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Text}}}})
			if err != nil {
				return said("could not think: %v", err), nil, nil
			}
			return said("thought of %s", res.Content.(*mcp.TextContent).Text), nil, nil
		},
	)
	return s
}

// modernAsker asks its client a question before it answers: its first answer contains the question, as stateless
// servers do it.
func modernAsker() *mcp.Server {
	s := newServer("modern", nil)
	add(
		s,
		"confirm",
		"Asks first",
		func(_ context.Context, req *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			if len(req.Params.InputResponses) == 0 {
				return &mcp.CallToolResult{
					InputRequests: mcp.InputRequestMap{"sure": &mcp.ElicitParams{Message: "Really " + in.Text + "?"}},
					RequestState:  "state-of-" + in.Text,
				}, nil, nil
			}
			res, _ := req.Params.InputResponses["sure"].(*mcp.ElicitResult)
			if res == nil {
				return said("no answer"), nil, nil
			}
			return said("%s %s", res.Action, req.Params.RequestState), nil, nil
		},
	)
	return s
}

// worker has a slow tool.
func worker(t *testing.T, started, cancelled chan string) *mcp.Server {
	s := newServer("worker", nil)
	add(
		s,
		"steps",
		"Reports progress and logs",
		func(ctx context.Context, req *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
			for i := range 3 {
				_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: fmt.Sprint("line ", i)})
				if token := req.Params.GetProgressToken(); token != nil {
					_ = req.Session.NotifyProgress(
						ctx,
						&mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 3},
					)
				}
			}
			return said("done"), nil, nil
		},
	)
	add(
		s,
		"sleep",
		"Sleeps until it is cancelled",
		func(ctx context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			started <- in.Text
			select {
			case <-ctx.Done():
				cancelled <- in.Text
			case <-t.Context().Done():
			}
			return said("woke"), nil, nil
		},
	)
	return s
}

// many has more tools than one page of a list contains.
func many(n int) *mcp.Server {
	s := newServer("many", nil)
	for i := range n {
		add(s, fmt.Sprintf("tool_%04d", i), "Does thing number "+fmt.Sprint(i), echo)
	}
	return s
}
