package export

import (
	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/run"
)

// check describes a check of the scanner.
type check struct {
	id, name string
	tier     scan.Tier // the tier of most of its findings
	severity mcpproxy.Severity
	summary  string
	help     string // what to do about it
}

// checks are the checks, sorted by name.
var checks = []check{
	{
		"ansi.escape",
		"TerminalCodes",
		scan.TierHard,
		mcpproxy.SeverityHigh,
		"The definition holds terminal control sequences.",
		"A terminal that shows this text hides or rewrites parts of it, while the agent reads all of it. Honest definitions have no use for such codes. Do not approve the tool, and look at its raw text.",
	},
	{
		"capability.mismatch",
		"CapabilityMismatch",
		scan.TierSoft,
		mcpproxy.SeverityMedium,
		"The tool asks for more than its description explains.",
		"A parameter, or something in the text, asks for commands, secrets or addresses that the description does not explain. Ask the author what it is for; approve the tool if the answer makes sense.",
	},
	{
		run.Unreadable,
		"Unreadable",
		scan.TierHard,
		mcpproxy.SeverityHigh,
		"Clients may read the definition in different ways.",
		"It names a member twice, has no name, or is not a valid JSON object. Clients would read it differently. Have the server corrected.",
	},
	{
		"directive.imperative",
		"Directive",
		scan.TierSoft,
		mcpproxy.SeverityMedium,
		"The definition gives the agent orders that go beyond the use of the tool.",
		"Descriptions say what a tool does and when to use it. Orders about other tools, files or what the user is told are for a person to judge. Read the evidence in its context.",
	},
	{
		"payload.decoded",
		"DecodedPayload",
		scan.TierHard,
		mcpproxy.SeverityCritical,
		"The definition holds an encoded command.",
		"The text that is shown as evidence appears only after decoding. Nobody encodes a command in a description to help its reader. Do not approve the tool; if it has been used, look for what the command did.",
	},
	{
		"phrase.injection",
		"PromptInjection",
		scan.TierHard,
		mcpproxy.SeverityHigh,
		"The definition tries to take over the agent.",
		"It asks the agent to drop its instructions, to act behind the user's back, or to hand over data. Do not approve the tool. If the phrase is quoted by an honest tool, such as one that looks for attacks, approve it by hand.",
	},
	{
		"preference.manipulation",
		"PreferenceManipulation",
		scan.TierSoft,
		mcpproxy.SeverityLow,
		"The definition praises its tool, or talks others down, to be chosen more often.",
		"Such a tool gets calls, and data, that were meant for another. Prefer servers that describe and leave the choice to the agent.",
	},
	{
		"schema.poisoned",
		"PoisonedSchema",
		scan.TierHard,
		mcpproxy.SeverityHigh,
		"Instructions are in a part that people seldom read.",
		"Names, defaults, enumerations, titles and result schemas reach the agent like the description does. Look at the place that is named, and do not approve the tool.",
	},
	{
		"secret.embedded",
		"EmbeddedSecret",
		scan.TierSoft,
		mcpproxy.SeverityMedium,
		"The definition holds what looks like a secret.",
		"Everybody who lists the tools can read it, agents and their providers included. Tell the author, and have the secret replaced.",
	},
	{
		"shadowing.cross_server",
		"Shadowing",
		scan.TierHard,
		mcpproxy.SeverityHigh,
		"The tool imitates another server's tool, or steers how it is used.",
		"An agent may call the imitation in place of the original, or pass other arguments to it. Keep one of the two servers, or approve the tool once you know that both are honest.",
	},
	{
		"unicode.hidden",
		"HiddenCharacters",
		scan.TierHard,
		mcpproxy.SeverityCritical,
		"The definition holds characters that people do not see.",
		"Agents read them all the same. The evidence shows them as escapes. Do not approve the tool unless the characters belong to the script of its language.",
	},
	{
		"wording.learned",
		"SuspiciousWording",
		scan.TierSoft,
		mcpproxy.SeverityLow,
		"A sentence of the definition is worded like an attack.",
		"A model that was trained on hostile and honest definitions says so, and the finding names the words that weighed most. By itself this is a hint unless the score is very high: read the sentence. Approve the tool if it only says how the tool is to be used.",
	},
}
