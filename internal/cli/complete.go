package cli

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/connect"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/settings"
)

// completion returns the possible values of a word, given the words before it.
type completion func(cmd *cobra.Command, before []string) []string

// completionPatience is how long completion waits for the daemon.
const completionPatience = 2 * time.Second

// completions adds completions of arguments and flags to all commands, from the daemon and the
// configuration. A command's own completions are kept.
func completions(root *cobra.Command, g *globals) {
	servers := func(*cobra.Command, []string) []string { return serverNames(g) }
	arguments := map[string][]completion{ // by command: its first, second and further arguments
		"upstream logs":      {servers},
		"upstream remove":    {servers},
		"upstream enable":    {servers},
		"upstream disable":   {servers},
		"upstream restart":   {servers},
		"upstream login":     {servers},
		"upstream logout":    {servers},
		"trust list":         {servers},
		"trust baseline":     {servers},
		"trust quarantine":   {servers},
		"trust unquarantine": {servers},
		"trust show":         {servers, toolsOf(g)},
		"trust diff":         {servers, toolsOf(g)},
		"trust approve":      {servers, toolsOf(g)},
		"trust block":        {servers, toolsOf(g)},
		"approvals approve":  {func(*cobra.Command, []string) []string { return openRequests(g) }},
		"approvals deny":     {func(*cobra.Command, []string) []string { return openRequests(g) }},
		"token revoke":       {func(*cobra.Command, []string) []string { return tokenNames(g) }},
		"scan":               {servers},
		"probe":              {servers},
		"call":               {func(*cobra.Command, []string) []string { return callable(g) }},
		"sessions show":      {func(*cobra.Command, []string) []string { return sessionIDs(g) }},
		"activity show":      {recordIDs(g, url.Values{})},
		"explain":            {recordIDs(g, url.Values{"status": {string(mcpproxy.StatusBlocked)}})},
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		if all := arguments[path]; len(all) > 0 && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = argumentCompletion(all, strings.Contains(c.Use, "FILE"))
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { completeFlag(c, g, f.Name) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(
		[]string{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
}

// argumentCompletion returns the function that completes arguments for cobra. It also offers files if
// the argument can be one.
func argumentCompletion(all []completion, files bool) cobra.CompletionFunc {
	directive := cobra.ShellCompDirectiveNoFileComp
	if files {
		directive = cobra.ShellCompDirectiveDefault
	}
	return func(cmd *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		repeats := strings.Contains(cmd.Use, "…")
		if len(before) >= len(all) && !(repeats && len(all) > 1) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		offered := all[min(len(before), len(all)-1)](cmd, before)
		return slices.DeleteFunc(offered, func(word string) bool {
			return len(before) > 1 && slices.Contains(before[1:], word)
		}), directive
	}
}

// completeFlag adds the completion of a flag's value.
func completeFlag(c *cobra.Command, g *globals, name string) {
	values := valuesOf(c, name)
	switch name {
	case "tool":
		values = func() []string { return seen(g, "tool") }
		if c.Parent().Name() == "token" {
			values = func() []string { return callable(g) }
		}
	case "server":
		values = func() []string { return serverNames(g) }
	case "session-id":
		values = func() []string { return sessionIDs(g) }
	case "rule", "principal", "detection-type":
		values = func() []string { return seen(g, strings.ReplaceAll(name, "-", "_")) }
	case "type":
		values = fixed(mcpproxy.RecordTypes)
	case "status":
		values = fixed(mcpproxy.Statuses)
	case "risk-level":
		values = fixed(mcpproxy.RiskLevels)
	case "severity":
		values = fixed(mcpproxy.Severities)
	case "decision":
		values = fixed(ledger.Decisions)
	case "order":
		values = fixed([]string{"asc", "desc"})
	case "sensitive-data":
		values = fixed([]string{"true", "false"})
	case "log-level":
		values = fixed([]string{"debug", "info", "warn", "error"})
	case "since":
		values = fixed([]string{"10m", "1h", "24h", "7d"})
	}
	if values == nil {
		return
	}
	if _, set := c.GetFlagCompletionFunc(name); set {
		return
	}
	_ = c.RegisterFlagCompletionFunc(
		name,
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		},
	)
}

// claimable are the operations that a call can claim to be and a token can be limited to.
var claimable = []mcpproxy.Operation{mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive}

// valuesOf returns the possible values of a flag that has a few of them. It returns nil for other flags.
func valuesOf(c *cobra.Command, name string) func() []string {
	path := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	switch path + " --" + name {
	case "call --as":
		return fixed(claimable)
	case "call --data-sensitivity":
		return fixed([]string{"public", "internal", "private", "unknown"})
	case "call --flow-destination-type":
		return fixed([]string{"internal", "external"})
	case "activity export --format":
		return fixed([]string{"json", "jsonl", "csv"})
	case "connect --scope", "disconnect --scope", "hook install --scope", "hook uninstall --scope":
		return fixed(settings.Scopes)
	case "hook install --agent", "hook uninstall --agent", "hook status --agent":
		return fixed(install.Agents())
	case "import --from":
		return fixed(connect.Agents())
	case "token create --role":
		return fixed([]string{"agent", "auditor"})
	case "token create --operation":
		return fixed(claimable)
	case "token create --expires":
		return fixed([]string{"12h", "30d", "90d", "never"})
	case "trust approve --kind", "trust block --kind", "trust diff --kind", "trust show --kind":
		return fixed([]string{"tool", "prompt", "instructions", "program"})
	case "trust list --state":
		return fixed([]string{"quarantined", "approved", "rug_pull", "blocked", "unknown"})
	case "upstream add --isolation":
		return fixed([]string{"standard", "none"})
	case "upstream add --package":
		return fixed([]string{"npm", "pypi", "oci", "remote"})
	case "upstream add --protocol":
		return fixed([]string{"stdio", "http", "sse"})
	case "probe --suite":
		return fixed([]string{"mcp_security", "mcp_robustness", "all"})
	case "probe --transport":
		return fixed([]string{"http", "sse"})
	}
	return nil
}

// fixed returns constant values.
func fixed[S ~string](all []S) func() []string {
	return func() []string {
		out := make([]string, len(all))
		for i, v := range all {
			out[i] = string(v)
		}
		return out
	}
}

// known fetches data for a completion. It ignores errors.
func known(g *globals, path string, query url.Values, out any) bool {
	c, err := newClient(g)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionPatience)
	defer cancel()
	return c.Get(ctx, path, query, out) == nil
}

// offerable returns a name that comes from another program, or "" if the name is not safe as a shell word: the shell
// may insert a completion into the command line without quotes.
func offerable(name string) string {
	if name == "" || name != term.Plain(name) || strings.ContainsAny(name, " \t\n\"'`$\\;&|<>()*?[]{}!#~") {
		return ""
	}
	return name
}

// words returns the distinct names that are safe to offer, in order.
func words(names []string) []string {
	var out []string
	for _, n := range names {
		if w := offerable(n); w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// serverNames returns the servers of the daemon or, if no daemon runs, of the configuration.
func serverNames(g *globals) []string {
	var names []string
	var servers []api.Server
	if known(g, "/api/v1/servers", nil, &servers) {
		for _, s := range servers {
			names = append(names, s.Name)
		}
	} else if c, err := remote.Config(g.config); err == nil {
		for _, s := range c.Servers {
			names = append(names, s.Name)
		}
	}
	return words(names)
}

// toolsOf returns the tools of the server that is the first argument.
func toolsOf(g *globals) completion {
	return func(_ *cobra.Command, before []string) []string {
		var tools []api.Tool
		known(g, "/api/v1/servers/"+url.PathEscape(before[0])+"/tools", nil, &tools)
		var names []string
		for _, t := range tools {
			names = append(names, t.Name)
		}
		return words(names)
	}
}

// callable returns all tools that can be called, as SERVER:TOOL.
func callable(g *globals) []string {
	var tools []api.Tool
	known(g, "/api/v1/tools", url.Values{"limit": {"1000"}}, &tools)
	var names []string
	for _, t := range tools {
		names = append(names, t.Server+":"+t.Name)
	}
	return words(names)
}

// openRequests returns the questions that wait for an answer, each with its call.
func openRequests(g *globals) []string {
	var all []approval.Request
	known(g, "/api/v1/approvals", nil, &all)
	var out []string
	for _, r := range all {
		call := strings.TrimPrefix(r.Server+":"+r.ToolName, ":")
		if r.Ran != "" {
			call += ": " + r.Ran
		}
		out = append(out, r.ID+"\t"+term.Plain(term.Cut(call, mostLine)))
	}
	return out
}

// tokenNames returns the names of the tokens.
func tokenNames(g *globals) []string {
	var all []api.Token
	known(g, "/api/v1/tokens", nil, &all)
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	return words(names)
}

// sessionIDs returns the live sessions, the last used first.
func sessionIDs(g *globals) []string {
	var sessions []api.Session
	known(g, "/api/v1/sessions", nil, &sessions)
	var ids []string
	for _, s := range sessions {
		ids = append(ids, s.ID)
	}
	return words(ids)
}

// recordIDs returns the ids of the last records that match a query, each with a description.
func recordIDs(g *globals, query url.Values) completion {
	return func(*cobra.Command, []string) []string {
		var page api.Page
		query.Set("limit", "20")
		known(g, activityPath, query, &page)
		var out []string
		for _, r := range page.Records {
			out = append(out, r.ID+"\t"+term.Plain(term.Cut(ranCell(r, page.Ran), mostLine)))
		}
		return out
	}
}

// seen returns the values of a field that occur in the log, the most frequent first.
func seen(g *globals, field string) []string {
	var values []ledger.Value
	known(g, "/api/v1/activity/filter-options/"+field, nil, &values)
	var out []string
	for _, v := range values {
		out = append(out, v.Value)
	}
	return words(out)
}
