package api

import (
	"context"
	"encoding/json"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
)

// Scripts runs code-mode scripts.
type Scripts interface {
	Enabled() bool
	Execute(ctx context.Context, call *mcpproxy.Call, user gate.User) (*mcpproxy.Result, mcpproxy.Verdict)
}

// ownerSession is the flow session of scripts that the owner runs.
const ownerSession = "code:owner"

type coding struct {
	Body struct {
		Code   string `json:"code,omitempty" doc:"The script: TypeScript or JavaScript, a function or the body of one"`
		Script string `json:"script,omitempty" doc:"Instead of code: the name of a stored script"`
	}
}

// Ran is the result of running a script.
type Ran struct {
	ActivityID string          `json:"activity_id" doc:"The script's record; its calls name it as their parent"`
	Decision   string          `json:"decision"`
	Reason     string          `json:"reason,omitempty" doc:"Why it was stopped, if it was"`
	Outcome    json.RawMessage `json:"outcome,omitempty" doc:"result or error, console, tool_calls and duration_ms"`
}

func (s *server) runCode(ctx context.Context, in *coding) (*answer[Ran], error) {
	if s.Scripts == nil || !s.Scripts.Enabled() {
		return nil, newError(409, "code mode is off: set code_execution.enabled to true")
	}
	what := map[string]string{"code": in.Body.Code}
	if in.Body.Script != "" {
		if what = map[string]string{"script": in.Body.Script}; in.Body.Code != "" {
			return nil, newError(400, "give code, or the name of a stored script, and not both")
		}
	}
	args, err := json.Marshal(what)
	if err != nil {
		return nil, newError(400, "the script cannot be read")
	}
	result, v := s.Scripts.Execute(ctx, &mcpproxy.Call{
		Principal:   auth.Owner,
		FlowSession: ownerSession,
		Tool:        "execute",
		Arguments:   args,
	}, nil)
	out := Ran{ActivityID: v.ID, Decision: string(v.Decision)}
	if result == nil {
		out.Reason = journal.Explain(v)
	} else {
		var parts struct {
			Structured json.RawMessage `json:"structuredContent"`
		}
		if err := json.Unmarshal(result.Raw, &parts); err != nil {
			return nil, newError(500, "the script's result cannot be read")
		}
		out.Outcome = parts.Structured
	}
	return success(out)
}
