package classify_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

// Tools of a server with an unknown name are classified by their own names and parameters.
func TestWhichWayAToolCarriesData(t *testing.T) {
	yes := true
	cases := []struct {
		name, tool            string
		def                   *mcpproxy.Tool
		side                  mcpproxy.Side
		exfiltrates, stranger bool
	}{
		{"sending a mail", "send_mail", tool("to", "body"), mcpproxy.External, true, true},
		{"deleting a mail sends nothing", "delete_email", tool("email_id"), mcpproxy.Internal, false, false},
		{"searching mail returns text by strangers", "search_emails", tool("query"), mcpproxy.Internal, false, true},
		{"a noun before the verb sends nothing", "email_search", tool("email"), mcpproxy.Internal, false, true},
		{"a noun without a verb sends", "email", tool("address"), mcpproxy.External, true, true},
		{"a second verb sends", "read_and_forward_message", tool("to"), mcpproxy.External, true, true},
		{"writing a message to a channel sends", "create_message", tool("channel"), mcpproxy.External, true, true},
		{"reading a channel's messages", "read_channel_messages", tool("channel"), mcpproxy.Internal, false, true},
		{"a list of channels is a directory", "list_channels", nil, mcpproxy.Internal, false, false},
		{"an appointment notifies its guests", "create_event", tool("title", "attendees"), mcpproxy.External, true, true},
		{
			"an appointment without guests notifies nobody",
			"create_event",
			tool("title", "start"),
			mcpproxy.Internal,
			false,
			false,
		},
		{"reading appointments notifies nobody", "get_calendar_event", tool("attendees"), mcpproxy.Internal, false, true},
		{
			"adding guests in camelCase",
			"addMeetingParticipants",
			tool("eventId", "newParticipants"),
			mcpproxy.External,
			true,
			true,
		},
		{"sharing a file", "share_document", tool("document_id", "email"), mcpproxy.External, true, true},
		{"giving a user access", "add_user_to_group", tool("user", "group"), mcpproxy.Internal, true, false},
		{"giving access", "grant_access", tool("path", "name"), mcpproxy.Internal, true, false},
		{"adding a file gives nobody access", "add_file", tool("path"), mcpproxy.Internal, false, false},
		{"listing members gives nobody access", "list_group_members", nil, mcpproxy.Internal, false, false},
		{"reading a page of the web", "get_webpage", tool("url"), mcpproxy.External, true, true},
		{"searching the web", "web_search", tool("query"), mcpproxy.External, true, true},
		{"reading from a URL", "download", tool("url"), mcpproxy.External, true, true},
		{"posting a photo after a prefix", "acme_post_photo", tool("channel"), mcpproxy.External, true, true},
		{"a URI need not be on the web", "get_dataset", tool("uri"), mcpproxy.Internal, false, false},
		{"a rule about the web is not a page", "get_web_rules", tool("id"), mcpproxy.Internal, false, false},
		{
			"a mail's settings send nothing",
			"verify_email_domain",
			tool("email_domain_id"),
			mcpproxy.Internal,
			false,
			false,
		},
		{"posting a message after a prefix", "acme_post_message", tool("channel"), mcpproxy.External, true, true},
		{"a flag that a path may be a URL", "read_file", tool("path", "isUrl"), mcpproxy.Internal, false, false},
		{"an unknown verb with a URL", "extract_facts", tool("urls"), mcpproxy.External, true, true},
		{"writing with HTTP", "http_put", tool("url", "body"), mcpproxy.External, true, true},
		{"a link in one's own records", "list_bookmarks", tool("url"), mcpproxy.Internal, true, false},
		{"an address that gets later events", "create_trigger", tool("webhook_url"), mcpproxy.Internal, true, false},
		{"working on files", "convert_to_pdf", tool("filename"), mcpproxy.Internal, false, false},
		{"reading an open world", "get_item", &mcpproxy.Tool{OpenWorld: &yes}, mcpproxy.Internal, false, true},
		{"calculating", "calculate", tool("expression"), mcpproxy.Internal, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := (&classify.Classifier{}).Tool("acme", c.tool, c.def)
			if k.Side != c.side || k.CanExfiltrate != c.exfiltrates || k.ReturnsUntrusted != c.stranger {
				t.Errorf("%s is %+v", c.tool, k)
			}
		})
	}
}

// A tool of a known server has the server's side, and its own capabilities.
func TestToolsOfAKnownServer(t *testing.T) {
	cases := []struct {
		name, server, tool    string
		def                   *mcpproxy.Tool
		side                  mcpproxy.Side
		exfiltrates, stranger bool
	}{
		{
			"issues are private and written by strangers",
			"github",
			"get_issue",
			tool("issue_number"),
			mcpproxy.Internal,
			false,
			true,
		},
		{"code is private", "github", "get_file_contents", tool("path"), mcpproxy.Internal, false, false},
		{"a database that adds users", "postgres", "grant_role", tool("user"), mcpproxy.Internal, true, false},
		{"a calendar is private", "google-calendar", "list_events", nil, mcpproxy.Internal, false, true},
		{
			"a calendar notifies guests",
			"google-calendar",
			"create_event",
			tool("summary", "attendees"),
			mcpproxy.External,
			true,
			true,
		},
		{
			"a calendar without guests notifies nobody",
			"google-calendar",
			"create_event",
			tool("summary"),
			mcpproxy.Internal,
			false,
			false,
		},
		{"an encyclopedia is external", "wikipedia", "summarize_article", tool("title"), mcpproxy.External, true, true},
		{"a name server is external", "dns-tools", "lookup", tool("domain"), mcpproxy.External, true, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := (&classify.Classifier{}).Tool(c.server, c.tool, c.def)
			if k.Side != c.side || k.CanExfiltrate != c.exfiltrates || k.ReturnsUntrusted != c.stranger {
				t.Errorf("%s:%s is %+v", c.server, c.tool, k)
			}
		})
	}
}

// Shows: FR-006.
func TestAgentToolsAreJudgedByTheirNames(t *testing.T) {
	cases := map[string]mcpproxy.Side{
		"mcp__gmail__search_emails": mcpproxy.Internal, // a reading tool of a mail server
		"mcp__gmail__send_email":    mcpproxy.External,
		"mcp__acme__send_report":    mcpproxy.External,
		"google_web_search":         mcpproxy.External,
		"web_fetch":                 mcpproxy.External,
		"read_file":                 mcpproxy.Internal,
	}
	for name, side := range cases {
		if k := (&classify.Classifier{}).AgentTool(name); k.Side != side {
			t.Errorf("%s is %+v, want %s", name, k, side)
		}
	}
}
