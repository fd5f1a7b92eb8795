package scan

import "mcpproxy"

// check describes one kind of finding.
type check struct {
	id       string
	threat   string
	severity mcpproxy.Severity // of a hard finding; a soft one is one step lower
	detail   string
}

// The threats, in the words of the scan report.
const (
	threatInjection = "prompt_injection"
	threatTheft     = "exfiltration"
	threatCode      = "malicious_code"
	threatOther     = "uncategorized"
)

// Names of the checks. They are stable: configuration and reports use them.
const (
	checkPhrase     = "phrase.injection"
	checkNewOrders  = "orders.new"
	checkRole       = "role.takeover"
	checkLimits     = "limits.removed"
	checkRefusal    = "refusal.forbidden"
	checkDual       = "response.dual"
	checkLeak       = "prompt.leak"
	checkAddressed  = "directive.addressed"
	checkImperative = "directive.imperative"
	checkAnswer     = "directive.response"
	checkTool       = "tool.request"
	checkSecrecy    = "secrecy.demand"
	checkConsent    = "consent.skipped"
	checkTheft      = "exfiltration.request"
	checkCredential = "credential.request"
	checkAuthority  = "authority.claim"
	checkPressure   = "urgency.pressure"
	checkMarkup     = "markup.fake"
	checkHidden     = "hidden.directive"
	checkLink       = "link.exfiltration"
	checkCommand    = "command.execute"
	checkUnicode    = "unicode.hidden"
	checkANSI       = "ansi.escape"
	checkDecoded    = "payload.decoded"
)

// checks lists every kind of finding.
var checks = []check{
	{
		checkPhrase,
		threatInjection,
		mcpproxy.SeverityHigh,
		"The text asks its reader to drop or replace earlier instructions.",
	},
	{checkNewOrders, threatInjection, mcpproxy.SeverityHigh, "The text brings new instructions for its reader."},
	{checkRole, threatInjection, mcpproxy.SeverityHigh, "The text gives its reader a new role."},
	{checkLimits, threatInjection, mcpproxy.SeverityHigh, "The text takes its reader's limits away."},
	{checkRefusal, threatInjection, mcpproxy.SeverityMedium, "The text forbids its reader to refuse."},
	{checkDual, threatInjection, mcpproxy.SeverityMedium, "The text asks for a second answer, by another persona."},
	{
		checkLeak,
		threatInjection,
		mcpproxy.SeverityHigh,
		"The text asks for the system prompt or for hidden instructions.",
	},
	{
		checkAddressed,
		threatInjection,
		mcpproxy.SeverityHigh,
		"The text speaks to the AI that reads it, not to a person.",
	},
	{checkImperative, threatInjection, mcpproxy.SeverityHigh, "The text orders its reader to act for it."},
	{checkAnswer, threatInjection, mcpproxy.SeverityMedium, "The text tells its reader how to write the answer."},
	{checkTool, threatInjection, mcpproxy.SeverityHigh, "The text tells its reader which tool to call."},
	{checkSecrecy, threatInjection, mcpproxy.SeverityHigh, "The text asks its reader to keep something from the user."},
	{checkConsent, threatInjection, mcpproxy.SeverityMedium, "The text tells its reader not to ask the user."},
	{checkTheft, threatTheft, mcpproxy.SeverityCritical, "The text asks its reader to send data somewhere."},
	{checkCredential, threatTheft, mcpproxy.SeverityHigh, "The text asks for a password, a key or another credential."},
	{
		checkAuthority,
		threatInjection,
		mcpproxy.SeverityMedium,
		"The text claims an authority that content does not have.",
	},
	{checkPressure, threatInjection, mcpproxy.SeverityMedium, "The text presses its reader to act at once."},
	{
		checkMarkup,
		threatInjection,
		mcpproxy.SeverityHigh,
		"The text imitates the markup of system messages, chat turns or tool calls.",
	},
	{checkHidden, threatInjection, mcpproxy.SeverityCritical, "A part that people do not see contains instructions."},
	{checkLink, threatTheft, mcpproxy.SeverityCritical, "A link or picture would send data away when it is displayed."},
	{checkCommand, threatCode, mcpproxy.SeverityCritical, "The text holds a command that fetches and runs a program."},
	{checkUnicode, threatInjection, mcpproxy.SeverityCritical, "The text holds characters that people do not see."},
	{checkANSI, threatInjection, mcpproxy.SeverityMedium, "The text holds terminal control sequences."},
	{checkDecoded, threatInjection, mcpproxy.SeverityCritical, "An instruction appears only after decoding."},
}

// Checks lists the names of all checks.
func Checks() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.id
	}
	return names
}

// checkNamed finds a check.
func checkNamed(id string) check {
	for _, c := range checks {
		if c.id == id {
			return c
		}
	}
	return check{
		id:       id,
		threat:   threatOther,
		severity: mcpproxy.SeverityMedium,
		detail:   "The text is suspicious.",
	}
}

// milder returns the severity one step below s.
func milder(s mcpproxy.Severity) mcpproxy.Severity {
	switch s {
	case mcpproxy.SeverityCritical:
		return mcpproxy.SeverityHigh
	case mcpproxy.SeverityHigh:
		return mcpproxy.SeverityMedium
	}
	return mcpproxy.SeverityLow
}
