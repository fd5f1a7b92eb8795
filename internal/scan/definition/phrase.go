package definition

const idPhrase = "phrase.injection"

var phraseGroup = group{
	kinds: []string{
		"phrase.injection",
		"orders.new",
		"role.takeover",
		"limits.removed",
		"refusal.forbidden",
		"response.dual",
		"prompt.leak",
		"authority.claim",
		"urgency.pressure",
		"markup.fake",
		"directive.addressed",
		"hidden.directive",
		rowHeed,
		rowMaster,
	},
	threat: threatInjection,
	where:  inProse,
	least:  0.45,
	proof:  0.7,
}

// inspectPhrase reports attempts to take over the model: cancelled instructions, new roles, removed limits, and
// markup that imitates the system's.
func inspectPhrase(tool *ToolView, _ *RegistryView) []Signal {
	return append(tool.read().told(phraseGroup), frames(tool, inProse)...)
}
