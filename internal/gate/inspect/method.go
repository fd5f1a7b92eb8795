package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

// methods are the methods and notifications of MCP, revisions 2024-11-05 to 2026-07-28, that a client may send and
// that have no kind of their own.
var methods = []string{
	"completion/complete",
	"initialize",
	"logging/setLevel",
	"notifications/cancelled",
	"notifications/elicitation/complete",
	"notifications/initialized",
	"notifications/message",
	"notifications/progress",
	"notifications/prompts/list_changed",
	"notifications/resources/list_changed",
	"notifications/resources/updated",
	"notifications/roots/list_changed",
	"notifications/subscriptions/acknowledged",
	"notifications/tasks/status",
	"notifications/tools/list_changed",
	"ping",
	"prompts/list",
	"resources/list",
	"resources/subscribe",
	"resources/templates/list",
	"resources/unsubscribe",
	"server/discover",
	"subscriptions/listen",
	"tasks/cancel",
	"tasks/get",
	"tasks/list",
	"tasks/result",
	"tools/list",
}

// unknownMethod reports whether a call is of a method that MCP does not define. The caller chooses its name, and the
// server gets the name.
func unknownMethod(c *mcpproxy.Call) bool {
	return c.Kind == mcpproxy.KindMethod && c.Server != "" && !c.Incoming && !slices.Contains(methods, c.Tool)
}

// Logged reports whether a call is logged even if nothing is wrong with it. Methods that MCP defines for the protocol
// itself are not.
func Logged(c *mcpproxy.Call) bool {
	return c.Kind != mcpproxy.KindMethod && c.Kind != mcpproxy.KindAnswer || unknownMethod(c)
}

// brings reports whether the result of a call is content that outsiders may have written. Lists of tools and prompts
// are not, because they are checked as definitions.
func brings(c *mcpproxy.Call) bool {
	switch c.Kind {
	case mcpproxy.KindMethod:
		return c.Tool != "tools/list" && c.Tool != "prompts/list"
	case mcpproxy.KindCompletion, mcpproxy.KindAnswer:
		return false
	}
	return true
}

// Coverage returns how much of the calling agent's work is seen.
func Coverage(c *mcpproxy.Call) mcpproxy.Coverage {
	if c.Channel == mcpproxy.ChannelHook || strings.HasPrefix(c.FlowSession, flow.HookPrefix) {
		return mcpproxy.CoverageFull
	}
	return mcpproxy.CoverageProxyOnly
}
