package catalog_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/catalog"
)

// office contains tools as real servers have them.
func office() *catalog.Catalog {
	c := catalog.New()
	for server, tools := range map[string][][2]string{
		"github": {
			{"create_issue", "Create a new issue in a GitHub repository"},
			{"list_pull_requests", "List and filter repository pull requests"},
			{"get_file_contents", "Get the contents of a file or directory from a GitHub repository"},
			{"merge_pull_request", "Merge a pull request"},
			{"search_code", "Search for code across GitHub repositories"}},
		"slack": {
			{"slack_post_message", "Post a new message to a Slack channel"},
			{"slack_get_channel_history", "Get recent messages from a channel"},
			{"slack_list_channels", "List public channels in the workspace with pagination"}},
		"filesystem": {
			{"read_text_file", "Read the complete contents of a file from the file system as text."},
			{"write_file", "Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite existing files without warning."},
			{"list_directory", "Get a detailed listing of all files and directories in a specified path."},
			{"move_file", "Move or rename files and directories."}},
		"sqlite": {
			{"query", "Execute a SELECT query on the database"},
			{"createTable", "Creates a new table"},
			{"delete_records", "Delete records from a table based on conditions"}},
		"calendar": {
			{"create_event", "Creates an event in the calendar and invites the attendees by mail."}},
	} {
		var raws []json.RawMessage
		for _, t := range tools {
			raws = append(raws, tool(t[0], t[1]))
		}
		c.Set(server, raws)
	}
	return c
}

func TestSearchRanksTheObviousFirst(t *testing.T) {
	c := office()
	for query, want := range map[string]string{
		"open a new issue on github":                "github:create_issue",
		"send a message to a slack channel":         "slack:slack_post_message",
		"read a file":                               "filesystem:read_text_file",
		"rename a file":                             "filesystem:move_file",
		"merge the pull request":                    "github:merge_pull_request",
		"run a select query against the database":   "sqlite:query",
		"delete records from a table":               "sqlite:delete_records",
		"create table":                              "sqlite:createTable",
		"invite people to an event":                 "calendar:create_event",
		"what was said in the channel, its history": "slack:slack_get_channel_history",
		"search code":                               "github:search_code",
		"SLACK LIST CHANNELS":                       "slack:slack_list_channels",
	} {
		hits := c.Search(query, 3)
		var got []string
		for _, h := range hits {
			got = append(got, fmt.Sprintf("%s:%s %.2f", h.Tool.Server, h.Tool.Name, h.Score))
		}
		if len(hits) == 0 || hits[0].Tool.Server+":"+hits[0].Tool.Name != want {
			t.Errorf("%q finds %v, want %s first", query, got, want)
		}
	}
}

func TestSearchIsStableAndBounded(t *testing.T) {
	c := office()
	first := c.Search("file message table issue event list", 100)
	for i := 1; i < len(first); i++ {
		if first[i-1].Score < first[i].Score {
			t.Fatalf("hit %d is better than hit %d", i, i-1)
		}
	}
	if len(first) < 10 {
		t.Fatalf("only %d hits", len(first))
	}
	for range 20 {
		again := office().Search("file message table issue event list", 100)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatal(diff)
		}
	}
	if n := len(c.Search("file", 2)); n != 2 {
		t.Errorf("a limit of 2 gives %d", n)
	}
	for _, nothing := range []string{"", "   ", "!?", "xylophone", "の"} {
		if hits := c.Search(nothing, 5); len(hits) != 0 {
			t.Errorf("%q finds %d tools", nothing, len(hits))
		}
	}
	if hits := catalog.New().Search("file", 5); len(hits) != 0 {
		t.Errorf("an empty catalogue finds %d tools", len(hits))
	}
}

func TestSearchSeesAChangeAtOnce(t *testing.T) {
	c := office()
	if hits := c.Search("weather forecast", 5); len(hits) != 0 {
		t.Fatalf("found %v", hits[0].Tool)
	}
	c.Set("weather", []json.RawMessage{tool("forecast", "Weather for the days to come")})
	if hits := c.Search("weather forecast", 5); len(hits) != 1 {
		t.Errorf("%d hits after the tool came", len(hits))
	}
}

func TestSearchReadsWordsAsPeopleDo(t *testing.T) {
	c := catalog.New()
	c.Set(
		"s",
		[]json.RawMessage{
			tool("getUserAddress", "Straße, Größe and プロセス"),
			tool("HTTPRequest", "calls"),
			tool("list_classes", "classes of a school"),
		},
	)
	for query, want := range map[string]string{
		"user address": "getUserAddress",
		"straße":       "getUserAddress",
		"GRÖSSE":       "",
		"プロセス":         "getUserAddress",
		"http request": "HTTPRequest",
		"call":         "HTTPRequest",
		"classes":      "list_classes",
	} {
		got := ""
		if hits := c.Search(query, 1); len(hits) > 0 {
			got = hits[0].Tool.Name
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
