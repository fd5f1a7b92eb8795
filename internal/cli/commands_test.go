package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
)

// commands returns all visible commands.
func commands() []*cobra.Command {
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		all = append(all, c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	return all
}

func TestEveryCommandExplainsItself(t *testing.T) {
	all := commands()
	if len(all) < 20 {
		t.Fatalf("only %d commands are found", len(all))
	}
	for _, c := range all {
		t.Run(c.CommandPath(), func(t *testing.T) {
			if c.Short == "" || strings.HasSuffix(c.Short, ".") || strings.ToUpper(c.Short[:1]) != c.Short[:1] {
				t.Errorf("its one line is %q", c.Short)
			}
			own := c.LocalNonPersistentFlags()
			own.VisitAll(func(f *pflag.Flag) {
				if f.Usage == "" {
					t.Errorf("the flag --%s says nothing", f.Name)
				}
			})
			for line := range strings.Lines(c.Example) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "mcpproxy ") {
					exists(t, line)
				}
			}
		})
	}
}

// A command whose own or subcommands' usage has flags or several words must have an example. A command that takes a
// name must have a long description.
func TestEveryVerbHasAnExample(t *testing.T) {
	takes, shows := map[string]bool{}, map[string]bool{}
	for _, c := range commands() {
		verb := strings.Fields(c.CommandPath() + " -")[1]
		takes[verb] = takes[verb] ||
			c.Runnable() && (c.LocalNonPersistentFlags().HasFlags() || strings.Contains(c.Use, "…"))
		shows[verb] = shows[verb] || c.Example != ""
	}
	for verb := range takes {
		if takes[verb] && !shows[verb] {
			t.Errorf("mcpproxy %s has no example", verb)
		}
	}
}

// exists checks that a command line names a command and flags that exist.
func exists(t *testing.T, line string) {
	t.Helper()
	fields := strings.Fields(line)[1:]
	if i := slices.IndexFunc(fields, func(f string) bool { return f == ">" || f == "|" || f == "--" }); i >= 0 {
		fields = fields[:i]
	}
	c, rest, err := rootCommand().Find(fields)
	if err != nil || c.Parent() == nil || !c.Runnable() {
		t.Errorf("%q is no command that can be run: %v", line, err)
		return
	}
	for _, f := range rest {
		if name, long := strings.CutPrefix(f, "--"); long {
			name, _, _ = strings.Cut(name, "=")
			if c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%q: there is no flag --%s", line, name)
			}
		}
	}
}

// blocked returns records of every rule that stops or warns.
func blocked() []*mcpproxy.Record {
	var out []*mcpproxy.Record
	for _, rule := range []string{"", policy.RuleSuspicious, policy.RuleOverride + ".chat:post_message", policy.RuleOverride + ".chat", policy.RuleSensitive,
		policy.RuleExternal, policy.RuleOperation + "destructive", policy.RuleOperation + "write", policy.RuleOperation + "read", policy.RuleKill, policy.RuleLog, policy.RuleUnreadable, policy.RuleSelf, policy.RuleScope, policy.RuleFailOpen,
		policy.RuleQuarantine, policy.RuleContradiction, policy.RuleDeclared, policy.RuleUntrusted, policy.RuleInjected,
		policy.RuleTaint, policy.RuleOpaque, policy.RuleBudget, policy.RuleApprove, policy.RuleBlock, policy.RuleUser + "mine", mcpproxy.GroupRule + "chat"} {
		for _, server := range []string{"chat", ""} {
			out = append(out, &mcpproxy.Record{
				ID:         "01JD3ZK4V2M5Q8XW7R6T0B9YHE",
				Rule:       rule,
				ServerName: server,
				ToolName:   "post_message",
				Decision:   mcpproxy.Deny,
			})
		}
	}
	return out
}

var (
	commandNames = regexp.MustCompile("mcpproxy [a-z][a-z ]*(?:01[0-9A-Z]{24})?")
	keyNames     = regexp.MustCompile(`\b[a-z_]+(?:\.[a-z_]+)+\b`)
)

// Stopped users read these texts, so everything that the texts name must exist.
func TestBlockMessagesNameWhatExists(t *testing.T) {
	schema := properties(t)
	for _, r := range blocked() {
		remedy := policy.RemedyFor(r)
		text := journal.Explain(mcpproxy.Verdict{
			Decision: r.Decision,
			Rule:     r.Rule,
			ID:       r.ID,
			Reason:   "Because.",
		}) + "\n" + remedy.Meaning
		for _, line := range commandNames.FindAllString(text, -1) {
			exists(t, line)
		}
		for _, key := range keyNames.FindAllString(text, -1) {
			key = strings.TrimSuffix(strings.TrimSuffix(key, ".chat"), ".")
			if key != policy.RuleUnreadable && key != policy.RuleSelf && key != policy.RuleScope &&
				!strings.HasPrefix(key, policy.RuleUser) &&
				!schema[key] {
				t.Errorf("rule %q: the text names the key %q, which does not exist:\n%s", r.Rule, key, text)
			}
		}
		if remedy.Meaning == "" {
			t.Errorf("rule %q is not explained", r.Rule)
		}
		if remedy.JSON == "" {
			continue
		}
		if _, err := config.Parse("remedy", []byte(remedy.JSON), nil); err != nil {
			t.Errorf("rule %q: the remedy is no configuration: %v\n%s", r.Rule, err, remedy.JSON)
		}
	}
}

// exposed returns facts about a call that many rules of the default configuration stop.
func exposed(server string) policy.Facts {
	return policy.Facts{
		Facts: mcpproxy.Facts{
			Classification: &mcpproxy.Class{Side: mcpproxy.External},
			Operation:      mcpproxy.Destructive,
			Edges:          []mcpproxy.Edge{{Type: mcpproxy.InternalToExternal, Sensitive: []string{"api_token"}, To: "chat"}},
		},
		Call:      &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: server, Tool: "post_message"},
		RiskScore: 99,
		RiskLevel: mcpproxy.RiskCritical,
	}
}

// remedied returns the policy tables with the remedy for a record.
func remedied(t *testing.T, r *mcpproxy.Record) policy.Tables {
	t.Helper()
	c, err := config.Parse("remedy", []byte(policy.RemedyFor(r).JSON), nil)
	if err != nil {
		t.Fatal(err)
	}
	return daemon.GateSettings(c, nil).Tables
}

// The remedy for a stopped call, added to the configuration, disables the rule that stopped the call, for its tool
// only.
func TestARemedyTakesItsRuleOut(t *testing.T) {
	for _, r := range blocked() {
		remedy := policy.RemedyFor(r)
		if remedy.JSON == "" || r.Rule == policy.RuleKill ||
			strings.HasPrefix(r.Rule, mcpproxy.GroupRule) { // if a group rule stops the call, other rules still apply
			continue
		}
		tables := remedied(t, r)
		f := exposed(r.ServerName)
		if got := tables.Decide(f); got.Rule == r.Rule && got.Decision.Stops() {
			t.Errorf("rule %q, server %q: with the remedy it still decides: %+v", r.Rule, r.ServerName, got)
		}
		f.Call.Tool = "other"
		if got := tables.Decide(f); !got.Decision.Stops() {
			t.Errorf("rule %q, server %q: with the remedy another tool is let through: %+v", r.Rule, r.ServerName, got)
		}
	}
}

// A record names all rules that would stop its call, and its remedy lets that call pass.
func TestARemedyHelps(t *testing.T) {
	for _, server := range []string{"chat", ""} {
		f := exposed(server)
		tables := daemon.GateSettings(config.Default(), nil).Tables
		ruling := tables.Decide(f)
		r := &mcpproxy.Record{
			Rule:       ruling.Rule,
			ServerName: server,
			ToolName:   f.Call.Tool,
			Metadata: mcpproxy.Metadata{
				Ruled: &mcpproxy.Ruled{Decision: ruling.Decision, Rule: ruling.Rule, Also: tables.Also(f, ruling)},
			},
		}
		after := remedied(t, r)
		if got := after.Decide(f); len(r.Metadata.Ruled.Also) < 2 || got.Decision.Stops() {
			t.Errorf("server %q: with the remedy the call is %s by %s", server, got.Decision, got.Rule)
		}
	}
}

var hint = regexp.MustCompile("`(mcpproxy [a-z][^`\n]*)`")

// Every command that a message of this program contains in backquotes exists.
func TestHintsNameCommandsThatExist(t *testing.T) {
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") ||
			!strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".jsonc") {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, m := range hint.FindAllStringSubmatch(string(raw), -1) {
			found++
			exists(t, m[1])
		}
		return err
	})
	if err != nil || found < 3 {
		t.Errorf("%d hints found, %v", found, err)
	}
}

// properties returns the paths of all keys of the schema.
func properties(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Properties map[string]json.RawMessage
	}
	out := map[string]bool{}
	var walk func(raw json.RawMessage, path string)
	walk = func(raw json.RawMessage, path string) {
		var n node
		if err := json.Unmarshal(raw, &n); err != nil {
			return
		}
		for name, sub := range n.Properties {
			out[strings.TrimPrefix(path+"."+name, ".")] = true
			walk(sub, path+"."+name)
		}
	}
	walk(raw, "")
	if !out["security.flow_policy.tool_overrides"] {
		t.Fatalf("the schema is not read: %v", out)
	}
	return out
}
