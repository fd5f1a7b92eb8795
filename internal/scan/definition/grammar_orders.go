package definition

import "mcpproxy/internal/scan"

// steerRows match orders that change how other tools are used.
var steerRows = []scan.Row{
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "also|whenever|thistool 6 reroute 3 behaviour 4 tool|alltools",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "behaviour 6 tool 12 must|whenever 8 url|place|target|bcc",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "whenever|before|after 3 tool 4 calls 12 reroute|bcc 6 target|url|place|response|param",
		Not:   "thistool",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "whenever|before|after 3 calls 3 tool 10 reroute|bcc 6 target|url|place|response|param",
		Not:   "thistool",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "whenever|every 4 calls 8 url 3 bcc",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "whenever|every|must|also|covert|always 8 bcc 10 url",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "before 6 call|calls 3 thistool 6 reroute 6 response|result|param",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "tool|every 3 must 3 send|reroute 4 every 3 data 4 url",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "before|after|whenever 2 call|calls 3 tool 5 call 2 thistool 6 reroute",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "calls|call 1 thistool 4 reroute 3 target|param 4 response|result",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "target 3 must 2 reroute",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "calls 3 alltools|tool 6 target 3 reroute 3 url",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "whenever 3 tool 2 calls 14 hand|send|sends 5 url|place",
		Not:   "thistool",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "tool 12 reroute 2 result 10 thistool",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "alltools 10 hand|send 8 thistool",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "hand|send 6 result|param|response 4 alltools 6 thistool",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "reroute 3 target 4 tool|alltools|url",
	},
	{
		Check: rowSteer,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "alltools 6 must 8 thistool|url|hand 6 url|place|param|result",
	},
}

// heedRows match texts that turn the texts of others into instructions, or remove limits.
var heedRows = []scan.Row{
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "heed 3 every|what 3 instr 4 found|result",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "^ignore|override 3 safety 1 limit",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.85,
		Seq:   "ignore 1 user 3 task|instr|rules",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "^ignore 2 prior 1 rules",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.75,
		Seq:   "^ignore 1 prior",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "must|before|whenever 8 read|visit 2 url 4 obey|heed",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "^call|obey 3 shell|instr 3 result|found",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "safety 1 limit 3 bypass",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "model 2 must 3 heed 8 instr",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "heed 6 instr 3 override|bypass 4 user|every|safety|prior",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "override|bypass 3 every|user 8 safety 1 limit",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "must 3 act 3 persona",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "bypass 3 safety|permission|user 2 limit|permission|safety",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "read|visit|reads|obey 5 instr 5 url 8 obey|heed|call",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "read|visit|reads 3 fresh|every 2 instr 5 url",
	},
	{
		Check: rowHeed,
		Tier:  scan.TierHard,
		Sure:  0.8,
		Seq:   "model 2 must 5 send|hand|ignore|override|reveal|obey 8 secret|convo|vault|safety|permission",
	},
}

// preferRows match claims that the tool is to be used before all others.
var preferRows = []scan.Row{
	{
		Check: rowPrefer,
		Tier:  scan.TierSoft,
		Sure:  0.4,
		Seq:   "prefer 2 thistool 4 over 3 alltools|tool",
	},
	{
		Check: rowPrefer,
		Tier:  scan.TierSoft,
		Sure:  0.4,
		Seq:   "thistool 4 best",
	},
	{
		Check: rowPrefer,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "avoid 2 alltools",
	},
	{
		Check: rowPrefer,
		Tier:  scan.TierSoft,
		Sure:  0.5,
		Seq:   "alltools 4 avoid|best",
	},
	{
		Check: rowPrefer,
		Tier:  scan.TierSoft,
		Sure:  0.4,
		Seq:   "thistool 6 over 3 alltools",
	},
}
