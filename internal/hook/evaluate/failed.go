package evaluate

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/hook"
)

// RuleFailOpen is the key that decides what happens to an event that cannot be
// read.
const RuleFailOpen = "security.hooks.fail_open"

// failed answers an event that cannot be read or evaluated. It is written down,
// and said in the daemon's own log.
func (v *evaluation) failed(ctx context.Context, q Question, cause error) Answer {
	why := "The hook's event could not be evaluated: " + v.Gate.Mask(cause.Error()) + "."
	slog.Warn("a hook's event could not be evaluated", "agent", printable(q.Agent), "event", printable(q.Event), "error", why)
	verdict := mcpproxy.Verdict{Decision: mcpproxy.Warn, RiskLevel: mcpproxy.RiskNone, Rule: RuleFailOpen, Reason: why, ID: v.id}
	if v.agent == nil {
		v.agent = hook.Guess(q.Event, nil)
	}
	read := v.event // as far as it could be, and what evaluated it failed
	v.event = hook.Event{Agent: v.agent.Name(), Kind: hook.Other, Name: printable(cmp.Or(q.Event, read.Name)), Session: read.Session}
	v.target = target{}
	if comesBefore(q.Event) || read.Kind == hook.PreTool {
		v.event.Kind = hook.PreTool
		if !v.settings.FailOpen {
			verdict.Decision = mcpproxy.Deny
		}
		if r, on := v.Gate.Killed(); on {
			verdict.Decision, verdict.Rule, verdict.Reason = r.Decision, r.Rule, r.Reason+" "+why
		}
	}
	v.Gate.Noted(ctx, nil, v.call(), verdict, v.hook(), map[string]any{"payload_bytes": len(q.Body)})
	return v.answer(verdict)
}

// comesBefore reports whether an event's name is that of one that can stop a tool.
func comesBefore(event string) bool {
	e := strings.ToLower(event)
	return strings.HasPrefix(e, "pretool") || e == "tool.execute.before" ||
		strings.HasPrefix(e, "before") && e != "beforeagent" && e != "beforemodel" && e != "beforesubmitprompt"
}

// printable is a name from outside as it may be written into a log.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), maxName)])
}
