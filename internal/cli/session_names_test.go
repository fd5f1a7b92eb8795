package cli

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/flow"
)

func TestFoldersAreNamedByWhatDistinguishesThem(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"one":                        {"~/src/app": "app"},
		"two with the same end":      {"~/work/app": "work/app", "~/play/app": "play/app"},
		"two with the same long end": {"/a/x/app": "/a/x/app", "/b/x/app": "/b/x/app", "/b/y/app": "y/app"},
		"one within the other":       {"~/app": "~/app", "~/x/app": "x/app"},
		"the end of another":         {"/app": "/app", "/x/app": "/x/app"},
		"the home and the root":      {"~": "~", "/": "/"},
		"of Windows":                 {`C:\work\app`: `work\app`, `C:\play\app`: `play\app`, `~\web`: "web"},
		"no folder at all":           {},
	} {
		var all []string
		for folder := range want {
			all = append(all, folder, folder)
		}
		if diff := cmp.Diff(want, shortFolders(append(all, ""))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSessionsAreNamedByTheBeginningOfTheirIDs(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"of hooks":                          {"hook:5f3a9c1e-77aa": "#5f3a9c1e"},
		"that begin alike":                  {"hook:5f3a9c1e-77aa": "#5f3a9c1e-77a", "hook:5f3a9c1e-88bb": "#5f3a9c1e-88b"},
		"of MCP":                            {"mcp:local:/mcp": "/mcp", "mcp:local:KXB2QWERTYUIOP": "#KXB2QWER"},
		"that are equal but for their kind": {"hook:s1": "#hook:s1", "mcp:local:s1": "#mcp:local:s1"},
		"of which one goes on":              {"hook:12345678": "#hook:12345678", "hook:123456789": "#123456789"},
		"with a character cut":              {"hook:abcdefgé": "#abcdefg"},
		"of no known kind":                  {"code": "#code"},
	} {
		var all []string
		for id := range want {
			all = append(all, id, id)
		}
		if diff := cmp.Diff(want, shortIDs(all)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWhatAClientCallsItselfCannotPassForAnAgent(t *testing.T) {
	for name, c := range map[string]struct {
		says mcpproxy.SessionAgent
		want string
	}{
		"an agent by its hook":       {mcpproxy.SessionAgent{Name: "claude-code"}, "Claude Code"},
		"an alias":                   {mcpproxy.SessionAgent{Name: "unheard-of"}, "unheard-of"},
		"a client":                   {mcpproxy.SessionAgent{Name: "claude-code", Claimed: true}, `"claude-code"`},
		"a client that closes":       {mcpproxy.SessionAgent{Name: `x" Claude Code "`, Claimed: true}, `"x' Claude Code '"`},
		"a client with a long name":  {mcpproxy.SessionAgent{Name: strings.Repeat("x", 100), Claimed: true}, `"` + strings.Repeat("x", 23) + `…"`},
		"one that turns the line":    {mcpproxy.SessionAgent{Name: "a\u202eb\x1b[31m\n\tc", Claimed: true}, `"a·b·[31m··c"`},
		"a client that says nothing": {mcpproxy.SessionAgent{Claimed: true, Folder: "/x"}, "local"},
		"nobody":                     {mcpproxy.SessionAgent{}, "local"},
	} {
		l := listedSession{agent: c.says, otherwise: "local"}
		if got := term.Plain(l.agentName()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRecordsOfOlderVersionsAreListedByTheirIDs(t *testing.T) {
	call := func(session, tool string) *mcpproxy.Record {
		return &mcpproxy.Record{FlowSessionID: session, Principal: "local", ToolName: tool}
	}
	hook := call("hook:5f3a9c1e-77aa", "Read")
	hook.SessionID = "5f3a9c1e-77aa"
	hook.Metadata.Detail = map[string]any{"agent": "codex"}
	mcp := call("mcp:local:/mcp", "x")
	start := &mcpproxy.Record{Type: mcpproxy.RecordSystemStart}
	now := call("hook:other", "Read")
	now.Metadata.Agent = &mcpproxy.SessionAgent{Name: "codex", Folder: "~/app"}
	now.Metadata.Detail = map[string]any{"agent": "else"}
	var out strings.Builder
	page := api.Page{Records: []*mcpproxy.Record{hook, mcp, start, now}}
	table := recordTable(&out, page, false)
	var got [][]string
	for _, row := range table.Rows {
		got = append(got, row[2:4])
	}
	want := [][]string{{"Codex", "#5f3a9c1e"}, {"local", "/mcp"}, {"", ""}, {"Codex", "app"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestASessionIsFoundByWhatAPersonCallsIt(t *testing.T) {
	session := func(id, folder string, linked ...string) api.Session {
		s := api.Session{ID: id, Summary: flow.Summary{Linked: linked, Last: time.Now()}}
		s.Agent = mcpproxy.SessionAgent{Folder: folder}.Recorded()
		return s
	}
	live := []api.Session{
		session("hook:5f3a9c1e", "~/work/app", "mcp:local:ABC"),
		session("hook:5f77", "~/play/app"),
		session("mcp:local:/mcp", ""),
		session("mcp:local:/mcp:x", `C:\src\web`),
	}
	logged := []string{"5f3a9c1e", "0b1c", "0b1d"}
	for name, want := range map[string]string{
		"hook:5f3a9c1e":  "hook:5f3a9c1e",
		"5f3a9c1e":       "5f3a9c1e",
		"5f3a":           "hook:5f3a9c1e",
		"#5f7":           "hook:5f77",
		"hook:5f7":       "hook:5f77",
		"mcp:local:/mcp": "mcp:local:/mcp",
		"mcp:local:ABC":  "mcp:local:ABC",
		"mcp:local:A":    "mcp:local:ABC",
		"work/app":       "hook:5f3a9c1e",
		"~/play/app":     "hook:5f77",
		"web":            "mcp:local:/mcp:x",
		"0b1c":           "0b1c",
		"pp":             "pp",
		"nowhere":        "nowhere",
		"#":              "#",
		"":               "",
	} {
		if got, err := findSession(name, live, logged); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"app":  `"app" matches 2 sessions; type more characters of one of these ids: hook:5f3a9c1e, hook:5f77`,
		"5f":   `"5f" matches 2 sessions; type more characters of one of these ids: hook:5f3a9c1e, hook:5f77`,
		"0b":   `"0b" matches 2 sessions; type more characters of one of these ids: 0b1c, 0b1d`,
		"/mcp": `"/mcp" matches 2 sessions; type more characters of one of these ids: mcp:local:/mcp, mcp:local:/mcp:x`,
	} {
		if got, err := findSession(name, live, logged); err == nil || err.Error() != want {
			t.Errorf("%q is %q (%v), want an error: %s", name, got, err, want)
		}
	}
}

// Whatever ids and folders clients send, naming sessions terminates, and different sessions have different names.
func TestDifferentSessionsHaveDifferentNames(t *testing.T) {
	pieces := []string{"/", `\`, "a", "b", "~", ":", "mcp:", "hook:", "é", "\xff", "#", "12345678"}
	random := rand.New(rand.NewPCG(1, 2))
	made := func() string {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 50_000 {
		a, b := made(), made()
		if folders := shortFolders([]string{a, b}); a != b && a != "" && folders[a] == folders[b] {
			t.Fatalf("folders %q and %q are both called %q", a, b, folders[a])
		}
		if ids := shortIDs([]string{a, b}); a != b && ids[a] == ids[b] {
			t.Fatalf("ids %q and %q are both called %q", a, b, ids[a])
		}
	}
}
