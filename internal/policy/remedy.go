package policy

import (
	"encoding/json"
	"strings"

	"mcpproxy"
)

// Remedy is the narrowest configuration change that would have let a recorded
// call through: JSON to merge into the configuration file, and what it means.
// Without a change that could, JSON is empty and Meaning says why.
type Remedy struct {
	JSON    string
	Meaning string
}

// RemedyFor explains how to allow a call like the one recorded.
func RemedyFor(r *mcpproxy.Record) Remedy {
	tool := r.ToolName
	if r.ServerName != "" {
		tool = r.ServerName + ":" + r.ToolName
	}
	switch {
	case r.Rule == "":
		return Remedy{Meaning: "No rule stopped this; there is nothing to allow."}
	case r.Rule == RuleSuspicious:
		return Remedy{Meaning: "Suspicious endpoints cannot be overridden for one tool. Remove the host from " + RuleSuspicious + " if you trust it."}
	case strings.HasPrefix(r.Rule, mcpproxy.GroupRule):
		return opened(strings.TrimPrefix(r.Rule, mcpproxy.GroupRule))
	case r.Rule == RuleKill:
		return Remedy{Meaning: "The kill switch was on. `mcpproxy kill off` ends it, for every call; where the configuration says it (" + RuleKill + "), set that to false."}
	case r.Rule == RuleQuarantine:
		return Remedy{Meaning: "What a server declares is not allowed by configuration: a human looks at it and approves it in the form that it has. " +
			"The reason above names the commands; nothing else changes, and the approval ends when the definition does."}
	case r.Rule == RuleSelf:
		return Remedy{Meaning: "What agents may do is decided by a person. If you want what the agent wanted, run the command in a terminal of your own."}
	case r.Rule == RuleUnreadable:
		return Remedy{Meaning: "The call could not be inspected, and what cannot be read is not let through. Send it as well-formed JSON."}
	case strings.HasPrefix(r.Rule, RuleOverride):
		return Remedy{nested(tool, mcpproxy.Allow), "Changes the override that decided, for " + tool + "."}
	}
	return Remedy{nested(tool, mcpproxy.Allow), advice(r.Rule) +
		"Allows every call of " + tool + ", whatever data it carries, except to suspicious endpoints and between strict groups. Other tools stay as they are."}
}

// advice is what may help without a change of the configuration, and what to look
// at before making one.
func advice(rule string) string {
	switch rule {
	case RuleExternal, RuleUntrusted:
		return "Where the agent's hooks report your prompts, it is enough to name the destination in your own words. "
	case RuleContradiction:
		return "Often no change is needed: the agent can call the tool as what it is, with call_tool_read, call_tool_write or call_tool_destructive, " +
			"and say truthfully how sensitive the data is and where it goes. Otherwise ask why it did not before you allow anything. "
	case RuleInjected:
		return "Somebody else's text told the agent to do this: read it before you allow anything. "
	}
	return ""
}

func nested(tool string, d mcpproxy.Decision) string {
	return written(map[string]any{"security": map[string]any{"flow_policy": map[string]any{"tool_overrides": map[string]any{tool: d}}}})
}

// opened takes down the wall around a group.
func opened(group string) Remedy {
	return Remedy{written(map[string]any{"groups": map[string]any{group: map[string]any{"isolation": "open"}}}),
		"Opens the group " + group + ": its data may then move to every other group, as far as the other rules let it. " +
			"Taking a single server out of the group's servers is narrower. An override for a tool does not open a wall."}
}

// written is v as it stands in the configuration file.
func written(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}
