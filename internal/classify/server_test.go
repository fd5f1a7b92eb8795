package classify_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

func ExampleClassifier_Server() {
	var c classify.Classifier
	for _, name := range []string{"postgres-db", "slack-notifications", "my-thing"} {
		class := c.Server(name)
		fmt.Println(name, class.Side, class.Method)
	}
	// Output:
	// postgres-db internal heuristic
	// slack-notifications external heuristic
	// my-thing unknown heuristic
}

// The scenarios of spec-027, user story 2.
// Shows: FR-001, story 2.
func TestStoryClassifyServersAndTools(t *testing.T) {
	c := classify.Classifier{ServerOverrides: map[string]mcpproxy.Side{"my-private-slack": mcpproxy.Internal}}
	t.Run("1: postgres-db is internal with confidence of 0.8 or more", func(t *testing.T) {
		if k := c.Server("postgres-db"); k.Side != mcpproxy.Internal || k.Confidence < 0.8 {
			t.Errorf("%+v", k)
		}
	})
	t.Run("2: slack-notifications is external with confidence of 0.8 or more", func(t *testing.T) {
		if k := c.Server("slack-notifications"); k.Side != mcpproxy.External || k.Confidence < 0.8 {
			t.Errorf("%+v", k)
		}
	})
	t.Run("3: Read is internal and can read data", func(t *testing.T) {
		if k := c.AgentTool("Read"); k.Side != mcpproxy.Internal || !k.CanReadData {
			t.Errorf("%+v", k)
		}
	})
	t.Run("4: WebFetch is external and can exfiltrate", func(t *testing.T) {
		if k := c.AgentTool("WebFetch"); k.Side != mcpproxy.External || !k.CanExfiltrate {
			t.Errorf("%+v", k)
		}
	})
	t.Run("5: Bash is hybrid", func(t *testing.T) {
		if k := c.AgentTool("Bash"); k.Side != mcpproxy.Hybrid || !k.CanReadData || !k.CanExfiltrate {
			t.Errorf("%+v", k)
		}
	})
	t.Run("6: an override decides before the name", func(t *testing.T) {
		k := c.Server("my-private-slack")
		if k.Side != mcpproxy.Internal || k.Method != mcpproxy.ByConfig || k.Confidence != 1 {
			t.Errorf("%+v", k)
		}
	})
}

// Shows: FR-001, RFC-20.
func TestServer(t *testing.T) {
	cases := []struct {
		name, server string
		side         mcpproxy.Side
		sure         bool // confidence of 0.8 or more
	}{
		{"a code host is internal", "github", mcpproxy.Internal, true},
		{"camelCase is split", "myPostgresServer", mcpproxy.Internal, true},
		{"dots and spaces are split", "com.slack bot", mcpproxy.External, true},
		{"case does not matter", "SLACK", mcpproxy.External, true},
		{"a webhook is external", "webhook-relay", mcpproxy.External, true},
		{"ses is a mail service", "aws-ses", mcpproxy.External, true},
		{"a Slack server with a database is external", "slack-db", mcpproxy.External, true},
		{"a strong word decides before a weak one", "api-postgres", mcpproxy.Internal, true},
		{"an internal API is internal", "internal-api", mcpproxy.Internal, true},
		{"a private chat is internal", "private-chat", mcpproxy.Internal, true},
		{"a public database is external", "public-postgres", mcpproxy.External, true},
		{"the word api alone is external with low confidence", "api", mcpproxy.External, false},
		{"classes-api does not contain the word ses", "classes-api", mcpproxy.External, false},
		{"the word classes indicates nothing", "classes", mcpproxy.Unknown, false},
		{"the word assess indicates nothing", "assess", mcpproxy.Unknown, false},
		{"digitalis does not contain the word git", "digitalis", mcpproxy.Unknown, false},
		{"profiles does not contain the word files", "profiles", mcpproxy.Unknown, false},
		{"a name without letters indicates nothing", "--__--", mcpproxy.Unknown, false},
		{"an empty name indicates nothing", "", mcpproxy.Unknown, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := (&classify.Classifier{}).Server(c.server)
			if k.Side != c.side || (k.Confidence >= 0.8) != c.sure || k.Method != mcpproxy.ByHeuristic {
				t.Errorf("%s is %+v", c.server, k)
			}
		})
	}
}

// Shows: FR-004.
func TestOverridesReachNoOtherServer(t *testing.T) {
	c := classify.Classifier{ServerOverrides: map[string]mcpproxy.Side{"slack": mcpproxy.Hybrid}}
	if k := c.Server("slack"); k.Side != mcpproxy.Hybrid || k.Method != mcpproxy.ByConfig {
		t.Errorf("slack is %+v", k)
	}
	for _, name := range []string{"Slack", "slack-2", "slack "} {
		if k := c.Server(name); k.Side != mcpproxy.External || k.Method != mcpproxy.ByHeuristic {
			t.Errorf("%q is %+v", name, k)
		}
	}
}

// If no rule matches a server, its tools are marked as unknown and have the side that the configuration sets for
// unknown servers.
// Shows: FR-001.
func TestAnUnknownServerIsReportedAsUnknown(t *testing.T) {
	for _, assumed := range []mcpproxy.Side{mcpproxy.Internal, mcpproxy.External, mcpproxy.Hybrid} {
		c := classify.Classifier{
			DefaultUnknown:  assumed,
			ServerOverrides: map[string]mcpproxy.Side{"said": assumed},
		}
		if k := c.Server("thing42"); k.Side != mcpproxy.Unknown {
			t.Errorf("the server: %+v", k)
		}
		if k := c.Tool("thing42", "get_report", nil); !k.Unknown || k.Side != assumed {
			t.Errorf("its tool: %+v", k)
		}
		for _, known := range []string{"said", "postgres-db", "slack"} {
			if k := c.Tool(known, "get_report", nil); k.Unknown {
				t.Errorf("%s: %+v", known, k)
			}
		}
	}
}

// Each class has one of four sides, a confidence in [0,1], a method, and capabilities that agree with the side
// (FR-001).
// Shows: FR-005.
func TestEveryNameGetsACompleteClass(t *testing.T) {
	names := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`(mcp__)?[a-zA-Z_.-]{0,6}(slack|db|Mail|api|public)?(__)?[A-Za-z_]{0,8}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		unknown := rapid.SampledFrom([]mcpproxy.Side{"", mcpproxy.Internal, mcpproxy.External}).Draw(t, "default")
		c := classify.Classifier{DefaultUnknown: unknown}
		server, tool := names.Draw(t, "server"), names.Draw(t, "tool")
		for what, k := range map[string]mcpproxy.Class{"server": c.Server(server), "agent tool": c.AgentTool(tool), "tool": c.Tool(server, tool, nil)} {
			if k.Confidence < 0 || k.Confidence > 1 || k.Method != mcpproxy.ByHeuristic {
				t.Fatalf("%s %+v", what, k)
			}
			if k.Unknown && k.Side != unknown && (unknown != "" || k.Side != mcpproxy.Internal) {
				t.Fatalf("%s is unknown and has side %s, want the default %q", what, k.Side, unknown)
			}
			switch k.Side {
			case mcpproxy.Internal:
				if !k.CanReadData {
					t.Fatalf("%s %+v", what, k)
				}
			case mcpproxy.External, mcpproxy.Hybrid:
				if !k.CanExfiltrate || !k.ReturnsUntrusted {
					t.Fatalf("%s %+v", what, k)
				}
			case mcpproxy.Unknown:
				if what != "server" {
					t.Fatalf("%s stays unknown, although the default is set", what)
				}
			default:
				t.Fatalf("%s has side %q", what, k.Side)
			}
		}
	})
}

func TestTokens(t *testing.T) {
	cases := []struct {
		name string
		want []string
	}{
		{"postgres-db", []string{"postgres", "db"}},
		{"getFileContents", []string{"get", "file", "contents"}},
		{"HTTPServer", []string{"http", "server"}},
		{"list_deleted_items", []string{"list", "deleted", "items"}},
		{"a.b c/d:e", []string{"a", "b", "c", "d", "e"}},
		{"k8s", []string{"k8s"}},
		{"ÄrgerÜber", []string{"ärger", "über"}},
		{"__x__", []string{"x"}},
		{"", nil},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, classify.Tokens(c.name)); diff != "" {
			t.Errorf("%q: %s", c.name, diff)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"getFile_v2", "HTTPServer", "\xff\xfeA", "ǅungla", "a\u0301B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		letters := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					return unicode.ToLower(r)
				}
				return -1
			}, s)
		}
		tokens := classify.Tokens(name)
		if got, want := strings.Join(tokens, ""), letters(name); got != want {
			t.Errorf("%q became %q", name, tokens)
		}
		for _, token := range tokens {
			if token == "" {
				t.Errorf("%q has an empty token", name)
			}
		}
	})
}
