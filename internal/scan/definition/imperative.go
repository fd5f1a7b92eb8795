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
		rowSecrets,
		rowTalk,
		rowSecrecy,
		rowConsent,
		rowFeign,
		rowAddress,
		rowPretext,
		rowLater,
		rowTamper,
		rowSerious,
	},
	threat: threatPoisoning,
	where:  inProse,
	least:  0.45,
	proof:  0.7,
}

// inspectImperative reports side tasks: instructions to do something besides the tool's purpose, such as reading a
// key file and passing it on.
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

// inspectPreference reports tools that promote themselves over all others. It is only a hint, because legitimate
// tools praise themselves too.
func inspectPreference(tool *ToolView, _ *RegistryView) []Signal {
	return tool.read().told(preferenceGroup)
}
