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
	case r.Rule == RuleKill:
		return Remedy{`{
  "security": {
    "kill_switch": false
  }
}`, "Turns the kill switch off, for every call."}
	case r.Rule == RuleUnreadable:
		return Remedy{Meaning: "The call could not be inspected, and what cannot be read is not let through. Send it as well-formed JSON."}
	case strings.HasPrefix(r.Rule, RuleOverride):
		return Remedy{nested(tool, mcpproxy.Allow), "Changes the override that decided, for " + tool + "."}
	}
	return Remedy{nested(tool, mcpproxy.Allow),
		"Allows every call of " + tool + ", whatever data it carries, except to suspicious endpoints. Other tools stay as they are."}
}

func nested(tool string, d mcpproxy.Decision) string {
	v := map[string]any{"security": map[string]any{"flow_policy": map[string]any{"tool_overrides": map[string]any{tool: d}}}}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}
