package definition

const idImperative = "directive.imperative"

var imperativeGroup = group{
	kinds: []string{
		"directive.imperative",
		"directive.response",
		"secrecy.demand",
		"consent.skipped",
		"exfiltration.request",
		"credential.request",
		"link.exfiltration",
		"command.execute",
		rowLoot,
		rowTalk,
		rowSecrecy,
		rowConsent,
		rowFeign,
		rowAddress,
		rowPretext,
		rowLater,
		rowTamper,
		rowGrave,
	},
	threat: threatPoisoning,
	where:  inProse,
	least:  0.45,
	proof:  0.7,
}

// inspectImperative looks for side tasks: things that the model shall do beside
// what the tool is for, such as reading a key file and passing it along.
func inspectImperative(tool *ToolView, _ *RegistryView) []Signal {
	return append(tool.read().told(imperativeGroup), commands(tool, inProse)...)
}

const idPreference = "preference.manipulation"

var preferenceGroup = group{
	kinds:  []string{rowPrefer},
	threat: threatPoisoning,
	where:  anywhere,
	least:  0.45,
	proof:  2,
}

// inspectPreference looks for tools that push themselves before all others. It
// is never more than a hint: honest tools praise themselves, too.
func inspectPreference(tool *ToolView, _ *RegistryView) []Signal {
	return tool.read().told(preferenceGroup)
}
