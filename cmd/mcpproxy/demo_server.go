package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

// demoServerCommand is one of the demo's MCP servers, over stdio.
func demoServerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo-server NAME", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := mcp.NewServer(&mcp.Implementation{Name: args[0], Version: buildVersion()}, nil)
			switch args[0] {
			case "vault":
				addVault(s)
			case "database":
				addDatabase(s)
			case "chat":
				addChat(s)
			default:
				return fmt.Errorf("the demo has no server %q", args[0])
			}
			return s.Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
}

func says(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// demoKey is the vault's treasure. It has the form of an API key and opens
// nothing; it is put together here so that no file holds one.
var demoKey = "sk-" + "proj-" + "Zq7Rk2Wm9Xt4Vb8Nc3Hd6Jf5Lp1Ys0G"

type secretName struct {
	Name string `json:"name" jsonschema:"name of the secret"`
}

func addVault(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "read_secret", Description: "Reads a secret from the company's vault."},
		func(_ context.Context, _ *mcp.CallToolRequest, in secretName) (*mcp.CallToolResult, any, error) {
			return says(fmt.Sprintf("name: %s\nvalue: %s\nowner: platform team", in.Name, demoKey)), nil, nil
		})
}

type query struct {
	Table string `json:"table" jsonschema:"name of the table"`
}

type row struct {
	Table string `json:"table" jsonschema:"name of the table"`
	Note  string `json:"note" jsonschema:"text to store"`
}

func addDatabase(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "query_table", Description: "Returns the rows of a table of the customer database."},
		func(_ context.Context, _ *mcp.CallToolRequest, in query) (*mcp.CallToolResult, any, error) {
			return says(`[{"customer":"Aurora Shipping","note":"renewal at risk, asked for a 14 percent discount in March"},` +
				`{"customer":"Birch & Sons","note":"wants the west coast rollout moved to the second quarter"}]`), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "insert_note", Description: "Stores a note in a table of the customer database."},
		func(_ context.Context, _ *mcp.CallToolRequest, in row) (*mcp.CallToolResult, any, error) {
			return says("stored in " + in.Table), nil, nil
		})
}

type post struct {
	Channel string `json:"channel" jsonschema:"channel to post to"`
	Text    string `json:"text" jsonschema:"the message"`
}

func addChat(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "post_message", Description: "Posts a message to a public channel."},
		func(_ context.Context, _ *mcp.CallToolRequest, in post) (*mcp.CallToolResult, any, error) {
			return says("posted to " + in.Channel), nil, nil
		})
}
