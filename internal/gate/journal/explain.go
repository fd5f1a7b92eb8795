package journal

import (
	"fmt"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Unrecorded is the sentence about a stop whose record could not be written.
const Unrecorded = "There is no record of this, because the activity log cannot be written: the user can run `mcpproxy status`."

// Explain returns the text that an agent receives instead of a stopped call's result. A verdict without an id could
// not be recorded.
func Explain(v mcpproxy.Verdict) string {
	var b strings.Builder
	b.WriteString(v.Reason)
	if v.ID == "" {
		fmt.Fprintf(&b, "\nBlocked by %s. %s", v.Rule, Unrecorded)
		return b.String()
	}
	fmt.Fprintf(&b, "\nBlocked by %s (activity %s).", v.Rule, v.ID)
	if v.Rule == policy.RuleUnreadable {
		return b.String()
	}
	fmt.Fprintf(&b, "\nTo see why, and how it could be allowed, the user can run: mcpproxy explain %s", v.ID)
	return b.String()
}
