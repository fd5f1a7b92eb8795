package evaluate

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/hook"
	"mcpproxy/internal/policy"
)

// failed answers an event that cannot be read or evaluated. It records the event and logs the
// error.
func (v *evaluation) failed(ctx context.Context, q Question, cause error) Answer {
	why := "The hook's event could not be evaluated: " + v.Gate.Mask(cause.Error()) + "."
	slog.Warn(
		"a hook's event could not be evaluated",
		"agent",
		printable(q.Agent),
		"event",
		printable(q.Event),
		"error",
		why,
	)
	verdict := mcpproxy.Verdict{
		Decision:  mcpproxy.Warn,
		RiskLevel: mcpproxy.RiskNone,
		Rule:      policy.RuleFailOpen,
		Reason:    why,
		ID:        v.id,
	}
	if v.agent == nil {
		v.agent = hook.Guess(q.Event, nil)
	}
	read := v.event // the part that could be read before the evaluation failed
	v.event = hook.Event{
		Agent:   v.agent.Name(),
		Kind:    hook.Other,
		Name:    printable(cmp.Or(q.Event, read.Name)),
		Session: read.Session,
	}
	v.target = target{}
	if comesBefore(q.Event) || read.Kind == hook.PreTool {
		v.event.Kind = hook.PreTool
		if !v.settings.FailOpen {
			verdict.Decision = mcpproxy.Deny
		}
		if r, on := v.Gate.Closed(); on {
			verdict.Decision = r.Decision
			verdict.Rule = r.Rule
			verdict.Reason = r.Reason + " " + why
		}
	}
	verdict = v.write(ctx, nil, verdict, map[string]any{"payload_bytes": len(q.Body)})
	return v.answer(verdict)
}

// unread denies a command that is too long to be judged in time, or whose payload was cut off: the
// missing part could be any command.
func (v *evaluation) unread(ctx context.Context) Answer {
	verdict := mcpproxy.Verdict{
		Decision:  mcpproxy.Deny,
		RiskLevel: mcpproxy.RiskHigh,
		Rule:      policy.RuleUnreadable,
		Reason:    "The command is longer than can be inspected.",
		ID:        v.id,
	}
	return v.answer(v.write(ctx, nil, verdict, nil))
}

// refused answers an event from a process that may not send it. A call is denied. All other content
// of the event is ignored.
func (v *evaluation) refused(ctx context.Context, cause error) Answer {
	verdict := mcpproxy.Verdict{
		Decision:  mcpproxy.Deny,
		RiskLevel: mcpproxy.RiskNone,
		Rule:      policy.RuleSpeaker,
		Reason:    cause.Error() + ".",
		ID:        v.id,
	}
	return v.answer(v.write(ctx, nil, verdict, nil))
}

// Refuse records an event that is not evaluated, and the reason.
func (e *Evaluator) Refuse(q Question, why string) {
	if !e.settings.Load().Enabled {
		return
	}
	e.Gate.Reject(&mcpproxy.Call{
		Channel:   mcpproxy.ChannelHook,
		Kind:      mcpproxy.KindTool,
		Principal: q.Principal,
		Client:    printable(q.Agent),
		Agent:     mcpproxy.SessionAgent{Name: printable(q.Agent)},
	}, strings.TrimSpace(printable(q.Agent)+" "+printable(q.Event))+": "+why)
}

// comesBefore reports whether the event with this name precedes a tool and can stop it.
func comesBefore(event string) bool {
	e := strings.ToLower(event)
	return strings.HasPrefix(e, "pretool") || e == "tool.execute.before" ||
		strings.HasPrefix(e, "before") && e != "beforeagent" && e != "beforemodel" && e != "beforesubmitprompt"
}

// printable returns an untrusted name in a form that is safe for a log.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), maxName)])
}
