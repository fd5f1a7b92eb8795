package doctor

import (
	"fmt"

	"mcpproxy/internal/api"
)

// checkHeld reports what waits for a person: calls, definitions and tokens.
func (f *Checkup) checkHeld(st *api.Overview) {
	f.advise(st.Waiting > 0, Check{
		Section: "Daemon",
		Name:    "approvals",
		Detail:  fmt.Sprintf("%d calls wait for a person", st.Waiting),
		Advice:  "look at them with `mcpproxy approvals list`",
	})
	f.advise(st.Trust.Held > 0, Check{
		Section: "Servers",
		Name:    "definitions",
		Detail:  fmt.Sprintf("%d are held: agents neither see nor use them", st.Trust.Held),
		Advice:  "look at them with `mcpproxy trust list`, approve with `mcpproxy trust approve` or `mcpproxy trust baseline`",
	})
	f.advise(st.Trust.Programs > 0, Check{
		Section: "Servers",
		Name:    "programs",
		Detail:  fmt.Sprintf("the code of %d has changed since it was first started or approved, or cannot be read any more", st.Trust.Programs),
		Advice:  "look with `mcpproxy trust list` and `mcpproxy trust diff SERVER --kind program`, approve with `mcpproxy trust approve SERVER --kind program`",
	})
	f.advise(st.Tokens.Agents > 0 && !st.MCPAuth, Check{
		Section: "Tokens",
		Name:    "agents",
		Detail:  "agents need no key: an agent that sends no token may call all tools",
		Advice:  "set require_mcp_auth to true",
	})
	f.advise(st.Tokens.Expired > 0, Check{
		Section: "Tokens",
		Name:    "expired",
		Detail:  fmt.Sprintf("%d have expired", st.Tokens.Expired),
		Advice:  "see `mcpproxy token list`, and revoke or replace them",
	})
}
