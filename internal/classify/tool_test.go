package classify_test

import (
	"encoding/json"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

// tool is a definition whose input schema has the given parameters.
func tool(params ...string) *mcpproxy.Tool {
	properties := map[string]any{}
	for _, p := range params {
		properties[p] = map[string]string{"type": "string"}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	return &mcpproxy.Tool{InputSchema: schema}
}

func TestToolRefinesItsServersClass(t *testing.T) {
	yes := true
	cases := []struct {
		name, server, tool string
		def                *mcpproxy.Tool
		side               mcpproxy.Side
		exfiltrates        bool
	}{
		{"a mail server is internal when it reads", "gmail", "read_message", nil, mcpproxy.Internal, false},
		{
			"a mail server is internal when it searches",
			"email-server",
			"searchMessages",
			tool("query"),
			mcpproxy.Internal,
			false,
		},
		{"a mail server is external when it sends", "gmail", "send_email", nil, mcpproxy.External, true},
		{"a mail server is external when it replies", "outlook-mail", "reply", tool("body"), mcpproxy.External, true},
		{"a chat server is external even when it reads", "slack", "list_channels", nil, mcpproxy.External, true},
		{"a database stays internal", "postgres", "query", tool("sql"), mcpproxy.Internal, false},
		{
			"an internal server's sending tool can exfiltrate",
			"github",
			"share_file",
			tool("recipient"),
			mcpproxy.Internal,
			true,
		},
		{"an unknown server's sending tool is external", "acme", "send_report", tool("to"), mcpproxy.External, true},
		{"a sending tool without a description is external", "acme", "send_report", nil, mcpproxy.External, true},
		{
			"a sending verb without a recipient is not enough",
			"acme",
			"push_down",
			tool("amount"),
			mcpproxy.Internal,
			false,
		},
		{"a compound recipient counts", "acme", "notify", tool("webhookUrl"), mcpproxy.External, true},
		{
			"an open world tool that writes is external",
			"acme",
			"create_item",
			&mcpproxy.Tool{OpenWorld: &yes},
			mcpproxy.External,
			true,
		},
		{
			"an open world tool that reads takes the default",
			"acme",
			"get_item",
			&mcpproxy.Tool{OpenWorld: &yes},
			mcpproxy.Internal,
			false,
		},
		{"an unknown tool of an unknown server takes the default", "acme", "frobnicate", nil, mcpproxy.Internal, false},
		{
			"a schema that cannot be read counts as sending",
			"acme",
			"send",
			&mcpproxy.Tool{InputSchema: []byte(`[`)},
			mcpproxy.External,
			true,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := (&classify.Classifier{}).Tool(c.server, c.tool, c.def)
			if k.Side != c.side || k.CanExfiltrate != c.exfiltrates {
				t.Errorf("%s:%s is %+v", c.server, c.tool, k)
			}
		})
	}
}

func TestAReadMailboxHoldsWhatStrangersWrote(t *testing.T) {
	k := (&classify.Classifier{}).Tool("gmail", "read_message", nil)
	if !k.ReturnsUntrusted || !k.CanReadData {
		t.Errorf("%+v", k)
	}
}

// Shows: FR-004.
func TestToolOverrides(t *testing.T) {
	c := classify.Classifier{
		DefaultUnknown:  mcpproxy.External,
		ServerOverrides: map[string]mcpproxy.Side{"slack": mcpproxy.Internal, "gmail": mcpproxy.External},
		ToolOverrides:   map[string]mcpproxy.Side{"slack:post": mcpproxy.External, "WebSearch": mcpproxy.Internal},
	}
	cases := []struct {
		name   string
		got    mcpproxy.Class
		side   mcpproxy.Side
		method mcpproxy.Method
	}{
		{"a tool override decides before a server override", c.Tool("slack", "post", nil), mcpproxy.External, mcpproxy.ByConfig},
		{
			"another tool takes the server's override",
			c.Tool("slack", "send_message", nil),
			mcpproxy.Internal,
			mcpproxy.ByConfig,
		},
		{
			"an overridden mail server is not refined",
			c.Tool("gmail", "read_message", nil),
			mcpproxy.External,
			mcpproxy.ByConfig,
		},
		{
			"a tool override does not apply to another server",
			c.Tool("github", "post", nil),
			mcpproxy.Internal,
			mcpproxy.ByHeuristic,
		},
		{
			"an unknown tool takes the configured default",
			c.Tool("acme", "frobnicate", nil),
			mcpproxy.External,
			mcpproxy.ByHeuristic,
		},
		{"an agent tool can be overridden", c.AgentTool("WebSearch"), mcpproxy.Internal, mcpproxy.ByConfig},
		{
			"an agent's MCP tool takes the server's override",
			c.AgentTool("mcp__slack__send_message"),
			mcpproxy.Internal,
			mcpproxy.ByConfig,
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if tc.got.Side != tc.side || tc.got.Method != tc.method {
				t.Errorf("%+v", tc.got)
			}
		})
	}
}

// Shows: FR-002.
func TestAgentTool(t *testing.T) {
	cases := map[string]mcpproxy.Side{
		"Read":                           mcpproxy.Internal,
		"Write":                          mcpproxy.Internal,
		"Edit":                           mcpproxy.Internal,
		"Glob":                           mcpproxy.Internal,
		"Grep":                           mcpproxy.Internal,
		"Task":                           mcpproxy.Internal,
		"Bash":                           mcpproxy.Hybrid,
		"WebFetch":                       mcpproxy.External,
		"WebSearch":                      mcpproxy.External,
		"mcp__slack__post_message":       mcpproxy.External,
		"mcp__postgres-db__query":        mcpproxy.Internal,
		"mcp__github__get_file_contents": mcpproxy.Internal,
		"mcp__acme__frobnicate":          mcpproxy.Internal, // default_unknown
		"mcp__slack":                     mcpproxy.Internal, // names no tool, so this is not the form mcp__server__tool
		"Frobnicate":                     mcpproxy.Internal, // default_unknown
	}
	for name, side := range cases {
		if k := (&classify.Classifier{}).AgentTool(name); k.Side != side {
			t.Errorf("%s is %+v, want %s", name, k, side)
		}
	}
}

// Shows: RFC-18.
func TestOperationByName(t *testing.T) {
	cases := []struct {
		name, tool string
		want       mcpproxy.Operation
	}{
		{"delete in snake case", "delete_file", mcpproxy.Destructive},
		{"delete in camelCase", "deleteFile", mcpproxy.Destructive},
		{"delete in PascalCase", "FileDelete", mcpproxy.Destructive},
		{"drop after another word", "table-drop", mcpproxy.Destructive},
		{"the more dangerous verb decides", "update_or_delete_row", mcpproxy.Destructive},
		{"listing what was deleted only reads", "list_deleted_items", mcpproxy.Read},
		{"reading deletion logs only reads", "get_delete_status", mcpproxy.Read},
		{"finding and replacing writes", "find_and_replace", mcpproxy.Write},
		{"getting and deleting destroys", "get_and_delete_message", mcpproxy.Destructive},
		{"creating writes", "create_issue", mcpproxy.Write},
		{"sending writes", "sendMessage", mcpproxy.Write},
		{"getting reads", "get_file", mcpproxy.Read},
		{"a reading verb after a noun reads", "issue_list", mcpproxy.Read},
		{"the word dropdown does not mean drop", "dropdown_open", mcpproxy.Read},
		{"the word undeleted does not mean delete", "frobnicate_undeleted", mcpproxy.UnknownOperation},
		{"other names indicate nothing", "frobnicate", mcpproxy.UnknownOperation},
		{"an empty name indicates nothing", "", mcpproxy.UnknownOperation},
		{"dotted names are words", "users.delete", mcpproxy.Destructive},
		{"delete in SCREAMING case", "DELETE_ALL_ROWS", mcpproxy.Destructive},
		{"a verb glued to its object", "deletefile", mcpproxy.Destructive},
		{"a verb glued to its object, in camelCase", "bulkRemoveusers", mcpproxy.Destructive},
		{"a reading verb glued to its object", "listfiles", mcpproxy.Read},
		{"a writing verb glued to its object", "sendemail", mcpproxy.Write},
		{"a verb glued to something else does not count", "dropout_rate", mcpproxy.UnknownOperation},
		{"a word that ends like an object does not count", "adjustable", mcpproxy.UnknownOperation},
		{"a word that is both a noun and a reading verb, before another verb", "status_reset", mcpproxy.Destructive},
		{"a reading verb and its object", "get_reset", mcpproxy.Read},
		{"of two verbs joined by or, the more dangerous counts", "read_or_delete", mcpproxy.Destructive},
		{"marking as read writes", "mark_all_notifications_read", mcpproxy.Write},
		{"the word mark later in a name is a noun", "watermark_position", mcpproxy.UnknownOperation},
		{"cancelling writes", "cancel_calendar_event", mcpproxy.Write},
		{"retrieving reads", "retrieve_balance", mcpproxy.Read},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := (&classify.Classifier{}).Operation(c.tool, nil, nil); got != c.want {
				t.Errorf("%s is %s, want %s", c.tool, got, c.want)
			}
		})
	}
}

func TestOperationByAnnotation(t *testing.T) {
	yes, no := true, false
	cases := []struct {
		name, tool            string
		readOnly, destructive *bool
		want                  mcpproxy.Operation
	}{
		{"read-only decides if the name indicates nothing", "frobnicate", &yes, nil, mcpproxy.Read},
		{"destructive decides if the name indicates nothing", "frobnicate", nil, &yes, mcpproxy.Destructive},
		{"read-only decides before destructive if the name indicates nothing", "frobnicate", &yes, &yes, mcpproxy.Read},
		{"read-only does not make a deleting tool harmless", "delete_file", &yes, &no, mcpproxy.Destructive},
		{"read-only does not make a writing tool harmless", "create_file", &yes, &no, mcpproxy.Write},
		{"not destructive does not make a deleting tool harmless", "purge", nil, &no, mcpproxy.Destructive},
		{"no annotation leaves an unknown name unknown", "frobnicate", nil, nil, mcpproxy.UnknownOperation},
		{"not read-only alone decides nothing", "frobnicate", &no, nil, mcpproxy.UnknownOperation},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			def := &mcpproxy.Tool{ReadOnly: c.readOnly, Destructive: c.destructive}
			if got := (&classify.Classifier{}).Operation(c.tool, def, nil); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
