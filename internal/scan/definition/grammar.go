package definition

import (
	"slices"
	"sync"

	"mcpproxy/internal/scan"
)

// grammar is what definitions are read by.
var grammar = sync.OnceValue(func() *scan.Grammar {
	return scan.NewGrammar(slices.Concat([]scan.Lexicon{english, aims}, others), slices.Concat(
		lootRows, talkRows, secrecyRows, consentRows, reachRows, steerRows, heedRows, preferRows,
		looseLootRows, looseTalkRows, looseSecrecyRows, looseConsentRows, looseSteerRows, looseHeedRows, loosePreferRows,
	))
})

// Warm builds what reading definitions needs, so that no scan has to wait for it.
func Warm() { grammar().Warm() }

// What the rows of this package find.
const (
	rowLoot    = "loot"    // files and values that hold secrets
	rowTalk    = "talk"    // the conversation, the system prompt
	rowSecrecy = "secrecy" // what the user shall not know
	rowConsent = "consent" // the user's say, or what the tool will do later
	rowReach   = "reach"   // shells, secrets, privileges
	rowSteer   = "steer"   // the use of other tools
	rowHeed    = "heed"    // other people's texts as orders, limits out of force
	rowPrefer  = "prefer"  // this tool before all others
	rowFeign   = "feign"   // what the user shall be made to believe
	rowPretext = "pretext" // why, and how often, data is wanted
	rowLater   = "later"   // what it does once nobody looks any more
	rowMaster  = "master"  // whom the model is to serve
	rowTamper  = "tamper"  // amounts, recipients and links that others rely on
	rowGrave   = "grave"   // acts that nobody lets a stranger do
	rowAddress = "address" // orders for whoever reads definitions

	rowLootField = "loot.field" // the same as rowLoot, where a parameter is described
)

// lootRows reach for files and values that hold secrets.
var lootRows = []scan.Row{
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.9, Seq: "before|whenever|must|following|also|covert 8 read|hand|send|expose|reads 5 vault"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Seq: "before|whenever|must|following|also|covert 8 vault 4 read|hand|send"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.9, Seq: "^read|reveal|hand|send 5 vault 14 hand|send|param|tool|url|place|solve|response"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Seq: "hand|send 6 vault 10 param|response|url|place|tool|telemetry"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Seq: "instead|also|covert 4 reveal|hand|send|sends|reads 6 vault"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.6, Seq: "^read|reveal|hand 4 vault"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.5, Seq: "read|reads 3 vault"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Seq: "hand|send|reveal 2 data 3 vault", Not: "to"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Seq: "must|also|covert|before|whenever 8 hand|send|read 5 every 3 secret 10 param|url|place|response|telemetry"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.5, Seq: "hand|send 6 user 3 secret 10 param|url|place|response"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Seq: "also|covert 3 send|sends|steals|reads|hand 6 secret"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Seq: "steals 4 vault|secret|convo"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Seq: "steals 1 your|user"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.75, Seq: "steals 2 data"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Seq: "need 3 data 8 vault 8 param"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Seq: "hand|send|reads 1 every 2 secret 2 user"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.75, Seq: "now 2 sends|steals|covert|reads 6 vault|secret|url|telemetry|convo"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Seq: "sends|send 6 vault|secret 6 telemetry"},
}

// talkRows reach for what the user and the model say to each other.
var talkRows = []scan.Row{
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.85, Seq: "must|before|whenever|also|covert 8 hand|send 3 every|user|your 3 convo"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.85, Seq: "also|covert 4 hand|send|sends|reads 6 convo"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.8, Seq: "sends|send|reads 6 telemetry 6 convo"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.8, Seq: "sends|send|reads 6 convo 8 telemetry|url|place"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.8, Seq: "convo 3 url|place 3 send|sends"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.75, Seq: "reveal|hand|send 2 your 1 tool|alltools 8 param"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.75, Seq: "instead|also|covert 3 send|sends 8 telemetry"},
	{Check: rowTalk, Tier: scan.TierSoft, Sure: 0.5, Seq: "must|before|whenever 10 hand|send 6 convo"},
	{Check: rowTalk, Tier: scan.TierSoft, Sure: 0.5, Seq: "hand|send 6 convo 6 param"},
}

// secrecyRows keep the user in the dark.
var secrecyRows = []scan.Row{
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.85, Seq: "not|dont 4 tell|expose 4 to 1 user", Not: "obey", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.85, Seq: "dont 2 tell|expose 3 user", Not: "obey", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.8, Seq: "dont 2 reveal|expose 2 following|instr 1 instr|prompt", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.75, Seq: "user 1 not 2 need 2 aware", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.75, Seq: "user 1 dont 1 aware", Not: "whenever", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.4, Seq: "^dont 1 tell|expose 1 following|you", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.8, Seq: "covert 2 send|sends|steals|reads|hand|manage|call 10 user|convo|vault|secret|place|url|telemetry"},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.8, Seq: "send|sends|steals|reads 8 secret|convo|vault|data 8 covert"},
}

// consentRows do away with the user's say.
var consentRows = []scan.Row{
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.8, Seq: "always|must 4 hand|send|sends 6 tool|url|place|telemetry 8 not 3 permission", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "send|sends|steals|reads 8 telemetry|url|place 16 not 4 permission", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "raised 14 not 4 permission", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "not 4 permission 10 raised", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "shell 10 not 4 permission", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "raised 8 override|ignore|bypass 5 limit|permission|safety"},
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.5, Seq: "not 1 need 3 permission", Plain: true},
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.5, Seq: "not 2 user 1 permission", Plain: true},
	// What a definition says it will do once nobody looks any more.
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.8, Seq: "later 14 send|sends|steals|covert|reads|override|hand|shell|vault|secret", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "covert|sends|steals|reroute|hand 12 later"},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Seq: "after 3 calls 6 steals|covert"},
}

// reachRows say that a tool reaches for more than data of its own.
var reachRows = []scan.Row{
	{Check: rowReach, Tier: scan.TierSoft, Sure: 0.4, Seq: "also|call|calls|read|reads|send|sends|hand|need|visit 6 vault|shell|raised"},
	{Check: rowReach, Tier: scan.TierSoft, Sure: 0.4, Seq: "also|read|reads|sends 4 user|every|your 3 secret"},
	{Check: rowReach, Tier: scan.TierHard, Sure: 0.8, Seq: "also|covert 4 call|calls|sends|visit|manage 5 shell|raised"},
	{Check: rowReach, Tier: scan.TierSoft, Sure: 0.5, Seq: "also|covert 3 sends|send|reads 8 telemetry|url|place"},
}

// steerRows change how other tools are used.
var steerRows = []scan.Row{
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "also|whenever|thistool 6 reroute 3 behaviour 4 tool|alltools"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "behaviour 6 tool 12 must|whenever 8 url|place|target|bcc"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "whenever|before|after 3 tool 4 calls 12 reroute|bcc 6 target|url|place|response|param", Not: "thistool"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "whenever|before|after 3 calls 3 tool 10 reroute|bcc 6 target|url|place|response|param", Not: "thistool"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "whenever|every 4 calls 8 url 3 bcc"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "whenever|every|must|also|covert|always 8 bcc 10 url"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "before 6 call|calls 3 thistool 6 reroute 6 response|result|param"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.85, Seq: "tool|every 3 must 3 send|reroute 4 every 3 data 4 url"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "before|after|whenever 2 call|calls 3 tool 5 call 2 thistool 6 reroute"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "calls|call 1 thistool 4 reroute 3 target|param 4 response|result"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "target 3 must 2 reroute"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "calls 3 alltools|tool 6 target 3 reroute 3 url"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "whenever 3 tool 2 calls 14 hand|send|sends 5 url|place", Not: "thistool"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "tool 12 reroute 2 result 10 thistool"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "alltools 10 hand|send 8 thistool"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "hand|send 6 result|param|response 4 alltools 6 thistool"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "reroute 3 target 4 tool|alltools|url"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Seq: "alltools 6 must 8 thistool|url|hand 6 url|place|param|result"},
}

// heedRows make orders of other people's texts, or put limits out of force.
var heedRows = []scan.Row{
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "heed 3 every|what 3 instr 4 found|result"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "^ignore|override 3 safety 1 limit"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.85, Seq: "ignore 1 user 3 task|instr|rules"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "^ignore 2 prior 1 rules"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Seq: "^ignore 1 prior"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "must|before|whenever 8 read|visit 2 url 4 obey|heed"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.5, Seq: "^call|obey 3 shell|instr 3 result|found"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.5, Seq: "safety 1 limit 3 bypass"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "model 2 must 3 heed 8 instr"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "heed 6 instr 3 override|bypass 4 user|every|safety|prior"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "override|bypass 3 every|user 8 safety 1 limit"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.5, Seq: "must 3 act 3 persona"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "bypass 3 safety|permission|user 2 limit|permission|safety"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "read|visit|reads|obey 5 instr 5 url 8 obey|heed|call"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "read|visit|reads 3 fresh|every 2 instr 5 url"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "model 2 must 5 send|hand|ignore|override|reveal|obey 8 secret|convo|vault|safety|permission"},
}

// preferRows push the tool before all others.
var preferRows = []scan.Row{
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.4, Seq: "prefer 2 thistool 4 over 3 alltools|tool"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.4, Seq: "thistool 4 best"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Seq: "avoid 2 alltools"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Seq: "alltools 4 avoid|best"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.4, Seq: "thistool 6 over 3 alltools"},
}
