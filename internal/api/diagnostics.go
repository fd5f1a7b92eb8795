package api

import (
	"context"
	"strings"
	"time"

	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/upstream"
)

// Diagnostics is the answer of GET /diagnostics.
type Diagnostics struct {
	evaluate.Coverage
	Servers         []upstream.Status `json:"servers"`
	Log             LogState          `json:"activity_log"`
	Recommendations []Recommendation  `json:"recommendations" doc:"What the user could do; empty when there is nothing"`
}

// LogState says whether the activity log can be used.
type LogState struct {
	Readable bool   `json:"readable"`
	Records  int    `json:"records"`
	Error    string `json:"error,omitempty"`
}

// Recommendation is advice for the user.
type Recommendation struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Why     string `json:"why"`
	Command string `json:"command,omitempty"`
}

// InstallHooks is the recommendation for users without active hooks (spec-027, FR-081 and FR-084).
var InstallHooks = Recommendation{
	ID: "install_hooks",
	Message: "Install agent hooks for improved security coverage. Hooks provide visibility into agent-internal tools (Read, Bash, WebFetch). " +
		"Without hooks, flow detection is limited to MCP-proxied tool calls. Run `mcpproxy hook install --agent claude-code` to enable.",
	Why: "Hooks provide visibility into agent-internal tools like Read, Bash, WebFetch. " +
		"Without hooks, flow detection is limited to MCP-proxied tool calls.",
	Command: "mcpproxy hook install --agent claude-code",
}

// AdviseHooks returns the advice if no hook has sent an event. Hooked are the agents with an
// installed hook.
func AdviseHooks(hooked []string) Recommendation {
	if len(hooked) == 0 {
		return InstallHooks
	}
	const command = "mcpproxy hook status"
	why := "They are installed for " + strings.Join(hooked, ", ") + ", and no event has come from them within the last 30 minutes."
	return Recommendation{
		ID: "use_hooks",
		Message: why + " Restart the agent and let it use a tool. If nothing comes then, `" + command +
			"` shows whether the hook's program runs and the agent trusts it.",
		Why:     why,
		Command: command,
	}
}

func (s *server) diagnostics(ctx context.Context, _ *struct{}) (*answer[Diagnostics], error) {
	d := Diagnostics{Coverage: s.Hooks.Coverage(time.Now()), Servers: s.statuses(),
		Recommendations: []Recommendation{}}
	if !d.Active {
		var hooked []string
		if s.Hooked != nil {
			hooked = s.Hooked()
		}
		d.Recommendations = append(d.Recommendations, AdviseHooks(hooked))
	}
	var err error
	if d.Log.Records, err = s.Store.Count(ctx, allRecords); err != nil {
		d.Log.Error = err.Error()
	}
	d.Log.Readable = err == nil
	return success(d)
}
