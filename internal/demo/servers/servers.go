// Package servers contains the demo's MCP servers: a vault and a database inside the company, and a chat that
// outsiders can read.
package servers

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Says returns a tool result that contains a text.
func Says(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// DemoKey is the key in the vault. It has the form of an API key but is not valid. It is assembled here, so that
// scanners for secrets do not find it in a file.
var DemoKey = "sk-" + "proj-" + "Zq7Rk2Wm9Xt4Vb8Nc3Hd6Jf5Lp1Ys0G"

type secretName struct {
	Name string `json:"name" jsonschema:"name of the secret"`
}

// AddVault adds the tool of the vault.
func AddVault(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "read_secret", Description: "Reads a secret from the company's vault."},
		func(_ context.Context, _ *mcp.CallToolRequest, in secretName) (*mcp.CallToolResult, any, error) {
			return Says(fmt.Sprintf("name: %s\nvalue: %s\nowner: platform team", in.Name, DemoKey)), nil, nil
		})
}

type query struct {
	Table string `json:"table" jsonschema:"name of the table"`
}

type row struct {
	Table string `json:"table" jsonschema:"name of the table"`
	Note  string `json:"note" jsonschema:"text to store"`
}

// AddDatabase adds the tools of the customer database.
func AddDatabase(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "query_table", Description: "Returns the rows of a table of the customer database."},
		func(_ context.Context, _ *mcp.CallToolRequest, in query) (*mcp.CallToolResult, any, error) {
			return Says(
				`[{"customer":"Aurora Shipping","note":"renewal at risk, asked for a 14 percent discount in March"},` +
					`{"customer":"Birch & Sons","note":"wants the west coast rollout moved to the second quarter"}]`,
			), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "insert_note", Description: "Stores a note in a table of the customer database."},
		func(_ context.Context, _ *mcp.CallToolRequest, in row) (*mcp.CallToolResult, any, error) {
			return Says("stored in " + in.Table), nil, nil
		})
}

// Post holds the arguments of a message to the chat.
type Post struct {
	Channel string `json:"channel" jsonschema:"channel to post to"`
	Text    string `json:"text" jsonschema:"the message"`
}

// AddChat adds the tool of the chat.
func AddChat(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "post_message", Description: "Posts a message to a public channel."},
		func(_ context.Context, _ *mcp.CallToolRequest, in Post) (*mcp.CallToolResult, any, error) {
			return Says("posted to " + in.Channel), nil, nil
		})
}
