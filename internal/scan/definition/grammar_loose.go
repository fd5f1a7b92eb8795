package definition

import "mcpproxy/internal/scan"

// The rows of this file say what an honest description never needs. Most are
// loose, and most are soft: each names one aspect of an attack — something that
// is none of the tool's business, a way for it to leave, a reason to keep still
// about it, an order that is not about the call. One alone proves little; two
// that stand close together make the definition hard, however it is worded.

// looseLootRows reach for what is the user's alone.
var looseLootRows = []scan.Row{
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Reach: 1, Seq: "vault hand|send|sends covert|reader|exact|lasting|excuse"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.85, Reach: 2, Seq: "vault|private|convo hand|send|sends|record|read|reads covert|hide user|reader|param|url|telemetry|slot"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Reach: 2, Seq: "private|personal agreed read|hand|send|call"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.8, Reach: 2, Seq: "record|hand|send every secret dont tell|expose|reveal|comm it|user", Plain: true},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.58, Reach: 1, Seq: "read|reads|call|visit private|machine|vault|secret|personal hand|send|sends|record|reveal param|slot|url"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.58, Reach: 2, Seq: "read|reads private|vault|machine hand|send|sends|record|reveal param|slot|url"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.58, Reach: 1, Seq: "hand|send|sends|read|reads|record private|vault|machine param|slot|scope|every"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.58, Reach: 1, Seq: "hand|send|record every|what secret|personal|private"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "hand|send|record user personal slot|param|memory"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "hand|send|reveal user personal memory slot|param"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "hand|read|reads|record every|what secret slot|param|url|host", Not: "ask"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "must|urgent|before private|vault read|reads hand|record|send|manage", Not: "ask"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "personal read|hand hand|manage slot|param"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "private|vault slot"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.58, Reach: 1, Seq: "must|following|need|urgent|before private|vault read"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "private|vault secret hand|send|read slot|param|host|url"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.58, Reach: 1, Seq: "private|vault send|sends|hand host|url|telemetry"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.35, Reach: 1, Seq: "also private|vault"},
	{Check: rowLoot, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "need vault|private|convo"},
	{Check: rowLoot, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "sends|send every private|personal url|host|telemetry"},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.8, Reach: 2, Seq: "vault|private|convo|personal|secret covert|hide", Not: "until|game"},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "vault|private|convo|secret reader"},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "vault|convo|private exact|every model|reader|must|exact"},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.8, Reach: 2, Seq: "vault|private|convo dont comm|expose", Plain: true},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "every personal|secret agent|model|dont expose|system", Plain: true},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "vault read|must|data"},
	{Check: rowLootField, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "exact|every|last convo|private"},
	{Check: rowLootField, Tier: scan.TierHard, Sure: 0.75, Reach: 2, Seq: "hand|read|record data|result|speech user dont|not aware", Plain: true},
	{Check: rowPretext, Tier: scan.TierSoft, Sure: 0.3, Reach: 1, Seq: "excuse hand|send|sends|reveal"},
	{Check: rowPretext, Tier: scan.TierSoft, Sure: 0.3, Reach: 1, Seq: "scope hand|send|sends|record|risky|manage", Not: "ask"},
	{Check: rowPretext, Tier: scan.TierSoft, Sure: 0.3, Reach: 1, Seq: "lasting hand|send|sends|risky|manage|obey|ignore|start"},
}

// looseTalkRows reach for what the user and the model say, or send it away.
var looseTalkRows = []scan.Row{
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.85, Reach: 1, Seq: "convo hand|send|sends covert|reader|exact|lasting|url|telemetry"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "send|sends user last|every speech url|telemetry|covert"},
	{Check: rowTalk, Tier: scan.TierSoft, Sure: 0.45, Reach: 1, Seq: "send|sends|hand|record exact|last speech|result|alltools url|telemetry|slot|param|host"},
	{Check: rowTalk, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "hand|sends telemetry data|private|speech|it"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "send|sends user speech|data|response|private|personal url|telemetry|host"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "model sends|hand|send|reveal exact|every convo|speech|rules url|slot|param|telemetry"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "reveal|hand|send instr|convo you|your exact|param|url|slot"},
	{Check: rowTalk, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "^reveal|hand prior data|rules|speech|instr param|slot exact|you|start"},
	{Check: rowTalk, Tier: scan.TierSoft, Sure: 0.45, Reach: 1, Seq: "sends|hand every data|private|speech telemetry"},
}

// looseSecrecyRows keep the user in the dark about what is done.
var looseSecrecyRows = []scan.Row{
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.4, Seq: "not|dont comm", Not: "game|until", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.58, Seq: "not|dont comm 3 it|nobody", Not: "game|until", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.5, Seq: "comm 2 nobody", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.5, Seq: "comm it not|dont", Not: "game|until", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.5, Seq: "not|dont it 1 comm", Not: "game|until", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "covert user|it|send|sends|record|hand|risky", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "dont reveal|tell|expose|comm user", Not: "until|game", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "url not|dont reveal|tell|expose|comm user must|always|also|manage", Not: "until|game", Plain: true},
	{Check: rowSecrecy, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "covert|hide user send|hand|record|sends|reads", Not: "until|game", Plain: true},
	{Check: rowFeign, Tier: scan.TierSoft, Sure: 0.58, Reach: 1, Seq: "feign user|response|model|it"},
	{Check: rowFeign, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "feign secret|vault|convo send|hand|read"},
	{Check: rowFeign, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "feign ^risky user|authority"},
}

// looseConsentRows do away with the user's say.
var looseConsentRows = []scan.Row{
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "^risky|call|send|manage not permission", Not: "dont", Plain: true},
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.4, Seq: "^dont 2 permission", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "agreed user|permission|risky|hand"},
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "permission lift"},
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.4, Seq: "not 2 permission 2 need", Plain: true},
	{Check: rowConsent, Tier: scan.TierSoft, Sure: 0.4, Seq: "^override 2 permission", Not: "tool|message"},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "^risky not permission lasting|reader|agreed", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "ignore permission lasting|agreed", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "whenever|after agreed|permission shell|steals|theft", Plain: true},
	{Check: rowConsent, Tier: scan.TierHard, Sure: 0.75, Reach: 2, Seq: "agreed user hand|send|sends|risky private|secret|convo|vault"},
	{Check: rowLater, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "grown reads|read|sends|record|steals|visit|hand secret|private|convo|url|host|shell|covert|machine|telemetry|vault"},
	{Check: rowLater, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "grown read|reads|sends|steals|hand|send|visit secret|private|convo|vault|shell|telemetry covert|telemetry|machine|start|visit|url|host", Plain: true},
	{Check: rowGrave, Tier: scan.TierSoft, Sure: 0.35, Reach: 1, Seq: "risky|manage|override grave"},
	{Check: rowAddress, Tier: scan.TierSoft, Sure: 0.35, Reach: 1, Seq: "reader ^hand|send|read|reveal|call|ignore|obey|manage"},
	{Check: rowAddress, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "fence hand|send|read|reveal|ignore|obey|manage|risky|must|instr"},
	{Check: rowAddress, Tier: scan.TierSoft, Sure: 0.35, Seq: "model 1 must|need 3 hand|send|read|reveal|ignore|obey|risky|record"},
	{Check: rowAddress, Tier: scan.TierHard, Sure: 0.75, Reach: 2, Seq: "fence task risky|send|hand|reveal"},
	{Check: rowAddress, Tier: scan.TierHard, Sure: 0.75, Reach: 2, Seq: "reader vault|private|convo|secret ^hand|send|read|reveal|call"},
	{Check: rowAddress, Tier: scan.TierHard, Sure: 0.75, Reach: 2, Seq: "fence|reader risky not permission", Plain: true},
}

// looseHeedRows put the rules of those who rule over the agent out of force.
var looseHeedRows = []scan.Row{
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "ignore owner|authority|user|your instr|limit|permission|rules", Not: "ask|untrue|found|result|feign"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "lift your|every|prior|owner|model|you instr|limit|safety your|you|safety|prior|instr"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "lasting your owner|person"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "feign prior|your prompt|instr"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "obey|heed data|result|found as|feign authority|owner|user", Not: "untrue|dont"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "obey|heed instr|rules found|result|data now|always|covert|lasting", Not: "untrue|dont"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "obey|heed instr|rules not permission", Not: "untrue|dont", Plain: true},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "outrank user|your|owner|safety obey|heed|instr|result"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.8, Seq: "^ignore 3 limit 2 safety"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "lift safety|owner|your rulebook|limit|instr"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "lift prior|every rulebook|limit|instr"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "lift safety|your limit|instr obey|call|every"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.75, Reach: 2, Seq: "lift safety limit obey|call|heed instr|rules|what|every"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.45, Seq: "^ignore 2 you 1 be"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.45, Seq: "^ignore 1 user"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.45, Reach: 1, Not: "untrue|dont|ask", Seq: "obey what|every|as result|data|found|tool"},
	{Check: rowHeed, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "outrank user|your|owner|safety|every"},
	{Check: rowHeed, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "obey|heed instr found|result", Not: "untrue|dont"},
	{Check: rowMaster, Tier: scan.TierSoft, Sure: 0.45, Reach: 1, Seq: "your|you instead|fresh|lasting person", Not: "ask"},
	{Check: rowMaster, Tier: scan.TierSoft, Sure: 0.45, Reach: 1, Seq: "lasting model|person you|your|be"},
	{Check: rowMaster, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "your instead|lasting owner be|obey|hand"},
	{Check: rowMaster, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "fence your|you|task|instr"},
	{Check: rowMaster, Tier: scan.TierSoft, Sure: 0.4, Reach: 1, Seq: "refuse not|dont you|model|every|permission", Plain: true},
	{Check: rowMaster, Tier: scan.TierHard, Sure: 0.75, Seq: "^dont 1 refuse 1 every", Plain: true},
}

// looseSteerRows change how other tools are used, or what others get to see.
var looseSteerRows = []scan.Row{
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Reach: 2, Seq: "whenever|before tool call thistool hand every|exact"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "alltools result|param|data hand|send|sends thistool|url|telemetry|slot"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.8, Reach: 1, Seq: "always|must|also risky|hand|bcc url target|bcc|calls"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.75, Reach: 1, Seq: "behaviour tool must over"},
	{Check: rowSteer, Tier: scan.TierSoft, Sure: 0.45, Reach: 1, Seq: "alltools must|need|scope result|param|data|hand"},
	{Check: rowSteer, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "also|scope|must|always|whenever send|risky|bcc url"},
	{Check: rowTamper, Tier: scan.TierHard, Sure: 0.72, Reach: 1, Seq: "every|scope response url|host|buy visit|hand|manage|buy|start"},
	{Check: rowTamper, Tier: scan.TierSoft, Sure: 0.35, Reach: 1, Seq: "reroute|hand figure must|every|whenever|scope|before", Not: "ask"},
}

// loosePreferRows push the tool before all others, or somebody's wares.
var loosePreferRows = []scan.Row{
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "rival|alltools worse"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "alltools avoid|dont"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Seq: "avoid|dont 3 rival|alltools"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "other tool worse"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "thistool|call over every|rival|alltools prefer|must|always"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "prefer rival|alltools|over always|every"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "buy user|response feign|tell|every|lasting"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "over tool always|must|prefer following|call thistool"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 2, Seq: "best dont|avoid other|rival|every", Plain: true},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "prefer|always thistool rival|over|best"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 2, Seq: "best must|always|prefer|over tool|thistool|alltools"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Seq: "other 3 worse", Not: "not"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "sole thistool|it|tool|you"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "prefer|always thistool every|whenever|scope"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "best|buy response|result|user|every as|feign|following|manage"},
	{Check: rowPrefer, Tier: scan.TierSoft, Sure: 0.5, Reach: 1, Seq: "ignore|avoid|dont what|result alltools|rival"},
}
