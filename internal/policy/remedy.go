package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Remedy is the narrowest change of the configuration that would have let a recorded call through: JSON to merge into
// the configuration file, and its meaning. If no change would have, JSON is empty and Meaning says why.
type Remedy struct {
	JSON    string
	Meaning string
}

// RemedyFor returns how to allow a call like the recorded one.
func RemedyFor(r *mcpproxy.Record) Remedy {
	tool := mcpproxy.ToolName(r.ServerName, r.ToolName)
	switch {
	case r.Rule == RuleBundle, ruledByBundle(r):
		return companyRule(r)
	case r.Rule == "":
		return Remedy{Meaning: "No rule stopped this; there is nothing to allow."}
	case r.Rule == RuleSuspicious:
		return Remedy{
			Meaning: "Suspicious endpoints cannot be overridden for one tool. Remove the host from " + RuleSuspicious + " if you trust it.",
		}
	case strings.HasPrefix(r.Rule, mcpproxy.GroupRule):
		return opened(strings.TrimPrefix(r.Rule, mcpproxy.GroupRule))
	case r.Rule == mcpproxy.NetworkRule:
		return listedHost(r)
	case r.Rule == RuleKill:
		return Remedy{
			Meaning: "The kill switch was on. `mcpproxy kill off` turns it off for all calls. If the configuration turns it on (" + RuleKill + "), set that to false.",
		}
	case r.Rule == RuleLog:
		return Remedy{
			Meaning: "The activity log could not be written, and " + RuleLog + " denies every call while that is so. Calls pass again as soon as it can be " +
				"written; `mcpproxy doctor` says what is wrong. With " + RuleLog + " set to allow, calls go on without a record.",
		}
	case r.Rule == RuleQuarantine:
		return Remedy{
			Meaning: "Configuration cannot approve what a server declares: a person reviews the definition and approves it in its current form. " +
				"The reason above names the commands. Nothing else changes, and the approval ends when the definition changes.",
		}
	case r.Rule == RuleScope && strings.Contains(r.Principal, "/"): // a principal of single sign-on or with a certificate
		return Remedy{
			Meaning: "No group of the caller, and no name in its certificate, allows this. If the caller should be able to do this, add " +
				tool + " to one of them in auth.oidc.groups or auth.certificates, or have the identity provider put the person into another group.",
		}
	case r.Rule == RuleScope:
		return Remedy{
			Meaning: "The agent's token does not allow this, and configuration cannot extend a token. If the agent should be able to do this, " +
				"revoke its token with `mcpproxy token revoke " + named(
				r.Principal,
			) + "` and create one that also allows " + tool + " with `mcpproxy token create`.",
		}
	case r.Rule == RuleSpeaker:
		return Remedy{
			JSON: written(
				map[string]any{"security": map[string]any{"hooks": map[string]any{"nested_agents": "allow"}}},
			),
			Meaning: "The event did not come from a hook that the agent itself started, so any program could have sent it. " +
				"If an agent of yours starts other agents in its shell, this accepts events of their hooks. What they report as a prompt never counts as your own words.",
		}
	case r.Rule == RuleFailOpen:
		return readable(r)
	case r.ServerName == "" && r.ToolName == "":
		return Remedy{
			Meaning: "The record names neither a server nor a tool for which a rule could be disabled. The reason above says what was found.",
		}
	case r.Rule == RuleSelf:
		return Remedy{
			Meaning: "What agents may do is decided by a person. If you want what the agent wanted, run the command in a terminal of your own.",
		}
	case r.Rule == RuleUnreadable:
		return Remedy{
			Meaning: "The call could not be inspected, and a call that cannot be inspected is denied. Send it as well-formed JSON, and in smaller parts if its inspection took too long.",
		}
	}
	return narrowest(r, tool)
}

// ruledByBundle reports whether a rule of the managed machine's bundle decided about a call.
func ruledByBundle(r *mcpproxy.Record) bool {
	ruled := r.Metadata.Ruled
	return ruled != nil && ruled.Bundle != "" && ruled.Rule == r.Rule
}

// companyRule returns the remedy if the managed machine's bundle decided.
func companyRule(r *mcpproxy.Record) Remedy {
	if r.Rule == RuleBundle {
		return Remedy{Meaning: "No configuration of yours changes this. Calls pass again when mcpproxy has a valid bundle of your company; ask the administrator who maintains it."}
	}
	label := r.Metadata.Ruled.Bundle
	does := does[r.Metadata.Ruled.Decision]
	meaning := fmt.Sprintf("Your company's bundle %s %s: rule %s. No configuration of yours changes that; ask the administrator who maintains the bundle.",
		label, does, shortRule(r.Rule))
	if r.Decision == mcpproxy.Ask && r.Metadata.Boundary != nil && r.Metadata.Boundary.Once == "" {
		meaning += " A person may answer the question: `mcpproxy explain " + r.ID + " --apply` approves it permanently."
	}
	return Remedy{Meaning: meaning}
}

// RuleFailOpen is the key that decides about hook events that cannot be read.
const RuleFailOpen = "security.hooks.fail_open"

// readable returns the remedy for a hook event that could not be read.
func readable(r *mcpproxy.Record) Remedy {
	const why = "No rule about a tool decided this: the agent's hook sent an event that could not be read or evaluated, and the reason above says why. "
	if r.Decision != mcpproxy.Deny {
		return Remedy{Meaning: why + "The agent went on."}
	}
	return Remedy{written(map[string]any{"security": map[string]any{"hooks": map[string]any{"fail_open": true}}}),
		why + "With this setting, agents continue after every such event, without an inspection."}
}

// stopped reports whether a call did not pass.
func stopped(r *mcpproxy.Record) bool {
	return r.Decision == mcpproxy.Deny || r.Decision == mcpproxy.Ask
}

// suppression is an entry of security.suppressions in the file.
type suppression struct {
	Rule   string `json:"rule"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
}

// shells are words in the names of agents' own tools that run commands.
var shells = []string{"bash", "shell", "terminal", "console", "exec", "command", "powershell", "pwsh", "zsh"}

// isShell reports whether a record is of an agent's own tool that runs commands.
func isShell(r *mcpproxy.Record) bool {
	if r.ServerName != "" {
		return false
	}
	if b := r.Metadata.Boundary; b != nil && b.Run != "" {
		return true
	}
	name := strings.ToLower(r.ToolName)
	return slices.ContainsFunc(shells, func(word string) bool { return strings.Contains(name, word) })
}

// narrowerThan returns the advice for a shell, for which disabling a rule would be too wide.
func narrowerThan(r *mcpproxy.Record, tool string) string {
	const why = "No rule is disabled for %s as a whole, because it runs commands of any kind. "
	if b := r.Metadata.Boundary; b != nil && b.Once == "" {
		return fmt.Sprintf(why, tool) + "Approve only what was asked about with `mcpproxy explain " + r.ID + " --apply`."
	}
	return fmt.Sprintf(why, tool) + "Ask for it in your own words, or run the command in a terminal of your own."
}

// narrowest returns the suppressions of the rule that decided about a call and of those that would have stopped it
// next. If an override decided, it changes the override instead.
func narrowest(r *mcpproxy.Record, tool string) Remedy {
	rules := []string{r.Rule}
	if r.Metadata.Ruled != nil && r.Metadata.Ruled.Rule == r.Rule {
		rules = append(rules, r.Metadata.Ruled.Also...)
	}
	if isShell(r) {
		return Remedy{Meaning: advice(r.Rule) + narrowerThan(r, tool)}
	}
	var out []suppression
	security := map[string]any{}
	meaning := ""
	for _, rule := range rules {
		switch {
		case strings.HasPrefix(rule, RuleOverride):
			security["flow_policy"] = map[string]any{"tool_overrides": map[string]any{tool: mcpproxy.Allow}}
			meaning = "Changes the override that decided, for " + tool + ". "
		case meaning == "" || strings.HasPrefix(rule,
			RuleUser): // an override decides before everything except the user's own rules
			out = append(out, suppression{rule, r.ServerName, r.ToolName})
		}
	}
	if len(out) > 0 {
		security["suppressions"] = out
		meaning += "Disables " + many(
			len(out),
			stopped(r),
		) + " for " + tool + " alone. All other rules still apply to it, and nothing changes for other tools. " +
			"If the file already has suppressions, add these to them."
	}
	if !stopped(r) {
		meaning = "The call passed. With this change, calls like it are not reported any more. " + meaning
	}
	return Remedy{written(map[string]any{"security": security}), advice(r.Rule) + strings.TrimSpace(meaning)}
}

// many describes a number of rules in words.
func many(n int, stop bool) string {
	switch {
	case n == 1:
		return "this rule"
	case !stop:
		return fmt.Sprintf("the %d rules that reported the call", n)
	}
	return fmt.Sprintf("the %d rules that stop the call", n)
}

// advice returns what may help without a change of the configuration, and what to check before a change.
func advice(rule string) string {
	switch rule {
	case RuleExternal, RuleUntrusted:
		return "Where the agent's hooks report your prompts, it is enough to name the destination in your own words. "
	case RuleContradiction:
		return "Often no change is needed: the agent can use the variant that fits the tool, call_tool_read, call_tool_write or call_tool_destructive, " +
			"and declare truthfully how sensitive the data is and where it goes. If it did not, find out why before you allow anything. "
	case RuleApprove, RuleBlock, RuleFlag:
		return "The score is the sum of the signals above: suppressing one kind of signal that is harmless here is narrower still. "
	case RuleDictated, RuleUnrequested:
		return "Where the agent's hooks report your prompts, it is enough to ask for the act in your own words. "
	case RuleInjected:
		return "Somebody else's text told the agent to do this: read it before you allow anything. "
	}
	return ""
}

// named quotes a principal's name for use in a command.
func named(principal string) string {
	if principal == "" {
		return "NAME"
	}
	return principal
}

// opened returns the remedy that opens a group.
func opened(group string) Remedy {
	return Remedy{
		written(map[string]any{"groups": map[string]any{group: map[string]any{"isolation": "open"}}}),
		"Opens the group " + group + ": its data may then move to every other group, as far as the other rules let it. " +
			"Removing a single server from the group's servers is narrower. An override for a tool does not open a wall.",
	}
}

// written returns v as JSON in the form of the configuration file.
func written(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}

// listedHost returns the remedy for a connection that a server's list of hosts does not allow.
func listedHost(r *mcpproxy.Record) Remedy {
	host, _ := r.Metadata.Detail["host"].(string)
	const wider = " A longer list takes effect after mcpproxy is restarted. If you do not know why the server connects there, do not allow it."
	switch r.Metadata.Detail["refused"] {
	case "not_listed", "other_port":
		return Remedy{
			Meaning: fmt.Sprintf("The server connected to a host by itself; no agent called it for that. If it should, add %q to isolation.network of %s in mcpServers.",
				fmt.Sprintf("%s:%v", host, r.Metadata.Detail["port"]), r.ServerName) + wider,
		}
	case "local_address":
		return Remedy{
			Meaning: "The host is on the server's list, and its name resolves to this machine or a private network. If that is intended, add " +
				"the address that the reason names, or a range such as 10.0.0.0/8, to isolation.network of " + r.ServerName + "." + wider,
		}
	case "other_name", "no_tls":
		return Remedy{
			Meaning: "The server asked for a connection to a host on its list, but then named another host or did not use TLS. " +
				"No configuration allows that. Ask the author of the server, or remove it.",
		}
	}
	return Remedy{Meaning: "No configuration allows this connection."}
}
