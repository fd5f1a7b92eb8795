package definition

import (
	"slices"
	"sync"

	"mcpproxy/internal/scan"
)

// grammar is the grammar for definitions.
var grammar = sync.OnceValue(func() *scan.Grammar {
	return scan.NewGrammar(slices.Concat([]scan.Lexicon{english, aims}, others), slices.Concat(
		secretRows,
		talkRows,
		secrecyRows,
		consentRows,
		reachRows,
		steerRows,
		heedRows,
		preferRows,
		looseSecretRows,
		looseTalkRows,
		looseSecrecyRows,
		looseConsentRows,
		looseSteerRows,
		looseHeedRows,
		loosePreferRows,
	))
})

// Warm builds in advance what reading definitions needs.
func Warm() { grammar().Warm() }

// The kinds of findings of this package's rows.
const (
	rowSecrets = "loot"    // secrets and the files that hold them
	rowTalk    = "talk"    // disclosure of the conversation or the system prompt
	rowSecrecy = "secrecy" // hiding something from the user
	rowConsent = "consent" // claims about the user's consent, or about what the tool does later
	rowReach   = "reach"   // access to shells, secrets or privileges
	rowSteer   = "steer"   // directions for the use of other tools
	rowHeed    = "heed"    // obeying texts of others, removing limits
	rowPrefer  = "prefer"  // preferring this tool to all others
	rowFeign   = "feign"   // making the user believe something false
	rowPretext = "pretext" // pretexts and repetition of requests for data
	rowLater   = "later"   // changed behaviour once nobody checks
	rowMaster  = "master"  // serving somebody other than the user
	rowTamper  = "tamper"  // changing amounts, recipients or links that others rely on
	rowSerious = "grave"   // dangerous acts that no stranger may order
	rowAddress = "address" // instructions to the reader of definitions

	rowSecretsField = "loot.field" // like rowSecrets, in the description of a parameter
)

// secretRows match requests for files and values with secrets.
var secretRows = []scan.Row{
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.9,
		Seq:   "before|whenever|must|following|also|covert 8 read|hand|send|expose|reads 5 vault",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "before|whenever|must|following|also|covert 8 vault 4 read|hand|send",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.9,
		Seq:   "^read|reveal|hand|send 5 vault 14 hand|send|param|tool|url|place|solve|response",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "hand|send 6 vault 10 param|response|url|place|tool|telemetry",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "instead|also|covert 4 reveal|hand|send|sends|reads 6 vault",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierSoft,
		Sure:  0.6,
		Seq:   "^read|reveal|hand 4 vault",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "read|reads 3 vault",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "hand|send|reveal 2 data 3 vault",
		Not:   "to",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "must|also|covert|before|whenever 8 hand|send|read 5 every 3 secret 10 param|url|place|response|telemetry",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "hand|send 6 user 3 secret 10 param|url|place|response",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "also|covert 3 send|sends|steals|reads|hand 6 secret",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "steals 4 vault|secret|convo",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "steals 1 your|user",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "steals 2 data",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "need 3 data 8 vault 8 param",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "hand|send|reads 1 every 2 secret 2 user",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "now 2 sends|steals|covert|reads 6 vault|secret|url|telemetry|convo",
	},
	{
		Check: rowSecrets,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "sends|send 6 vault|secret 6 telemetry",
	},
}

// talkRows match requests for the conversation.
var talkRows = []scan.Row{
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "must|before|whenever|also|covert 8 hand|send 3 every|user|your 3 convo",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "also|covert 4 hand|send|sends|reads 6 convo",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "sends|send|reads 6 telemetry 6 convo",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "sends|send|reads 6 convo 8 telemetry|url|place",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "convo 3 url|place 3 send|sends",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "reveal|hand|send 2 your 1 tool|alltools 8 param",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "instead|also|covert 3 send|sends 8 telemetry",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "must|before|whenever 10 hand|send 6 convo",
	},
	{
		Check: rowTalk,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "hand|send 6 convo 6 param",
	},
}

// secrecyRows match instructions to hide something from the user.
var secrecyRows = []scan.Row{
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "not|dont 4 tell|expose 4 to 1 user",
		Not:   "obey",
		Plain: true,
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "dont 2 tell|expose 3 user",
		Not:   "obey",
		Plain: true,
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "dont 2 reveal|expose 2 following|instr 1 instr|prompt",
		Plain: true,
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "user 1 not 2 need 2 aware",
		Plain: true,
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "user 1 dont 1 aware",
		Not:   "whenever",
		Plain: true,
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierSoft,
		Sure:  0.4,
		Seq:   "^dont 1 tell|expose 1 following|you",
		Plain: true,
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "covert 2 send|sends|steals|reads|hand|manage|call 10 user|convo|vault|secret|place|url|telemetry",
	},
	{
		Check: rowSecrecy,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "send|sends|steals|reads 8 secret|convo|vault|data 8 covert",
	},
}

// consentRows match instructions to act without the user's consent.
var consentRows = []scan.Row{
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "always|must 4 hand|send|sends 6 tool|url|place|telemetry 8 not 3 permission",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "send|sends|steals|reads 8 telemetry|url|place 16 not 4 permission",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "raised 14 not 4 permission",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "not 4 permission 10 raised",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "shell 10 not 4 permission",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "raised 8 override|ignore|bypass 5 limit|permission|safety",
	},
	{
		Check: rowConsent,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "not 1 need 3 permission",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "not 2 user 1 permission",
		Plain: true,
	},
	// Statements about what a tool will do once nobody checks any more.
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "later 14 send|sends|steals|covert|reads|override|hand|shell|vault|secret",
		Plain: true,
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "covert|sends|steals|reroute|hand 12 later",
	},
	{
		Check: rowConsent,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "after 3 calls 6 steals|covert",
	},
}

// reachRows match statements that a tool uses more than data of its own.
var reachRows = []scan.Row{
	{
		Check: rowReach,
		Tier:  scan.TierSoft,
		Sure:  0.4,
		Seq:   "also|call|calls|read|reads|send|sends|hand|need|visit 6 vault|shell|raised",
	},
	{
		Check: rowReach,
		Tier:  scan.TierSoft,
		Sure:  0.4,
		Seq:   "also|read|reads|sends 4 user|every|your 3 secret",
	},
	{
		Check: rowReach,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "also|covert 4 call|calls|sends|visit|manage 5 shell|raised",
	},
	{
		Check: rowReach,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "also|covert 3 sends|send|reads 8 telemetry|url|place",
	},
}
