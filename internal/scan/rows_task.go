package scan

// taskRows match texts that address the agent at work: they replace the user's task, or address the reader as a
// machine.
var taskRows = []Row{
	{
		Check: checkAddressed,
		Tier:  TierHard,
		Sure:  0.9,
		Seq:   "before 4 you 3 solve 3 task 12 following|please",
	},
	{
		Check: checkAddressed,
		Tier:  TierHard,
		Sure:  0.9,
		Seq:   "before 2 solve 3 task 12 following|please",
	},
	{
		Check: checkAddressed,
		Tier:  TierHard,
		Sure:  0.85,
		Seq:   "before 2 you 3 task 2 solve 12 following|please",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "after 5 you 3 solve 3 task",
	},
	{
		Check: checkAddressed,
		Tier:  TierHard,
		Sure:  0.9,
		Seq:   "urgent 1 message 10 to 1 you 4 model|agent",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "urgent 1 message 2 from 6 to 1 you",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.55,
		Seq:   "^message|urgent 1 to 2 model|agent",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.55,
		Seq:   "^urgent message 1 to 2 model|agent",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "^message|urgent 1 to 1 model|agent 16 ^ignore|override|send|reveal|call|manage|edit|obey|visit|please|dont|must",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "^urgent message 1 to 1 model|agent 16 ^ignore|override|send|reveal|call|manage|edit|obey|visit|please|dont|must",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "^urgent model|agent",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.55,
		Seq:   "before 2 call|solve 2 tool 6 ^read|send|call",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "^decode 12 obey|call",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "model|agent 1 must 3 call|send|ignore|reveal|manage|obey|visit",
		Not:   "you",
	},
	{
		Check: checkAddressed,
		Tier:  TierHard,
		Sure:  0.8,
		Seq:   "model|agent 1 must now 2 call|send|ignore|reveal|manage|obey|visit",
		Not:   "you",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "model 1 must 3 send|reveal|expose|steal 6 secret|data|url|place",
		Not:   "you",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "as 2 model|agent 2 you 2 must",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^model ^call|send|read|reveal|manage|obey|visit|please",
	},
	{
		Check: checkAddressed,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "model 1 must 3 ignore|override",
		Not:   "you",
	},

	{
		Check: checkTool,
		Tier:  TierSoft,
		Sure:  0.25,
		Seq:   "^call 2 tool",
	},
	{
		Check: checkTool,
		Tier:  TierSoft,
		Sure:  0.3,
		Seq:   "must 3 call 2 tool",
	},

	{
		Check: checkTool,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "now 1 call 2 tool",
	},
	{
		Check: checkTool,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "^call 2 tool 10 secret|vault|money",
	},

	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "todo 2 ^send 16 url|place",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "todo 2 ^read 16 send 4 url|place",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "todo 2 ^visit 8 url",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "todo 2 ^manage 10 url",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "todo 2 ^send|manage 5 money|secret",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "todo 2 ^send|manage|visit",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.2,
		Seq:   "you 1 must 2 obey|call|send|reveal|ignore|solve|manage",
	},

	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^manage|send 4 every|your 3 money 6 place",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "^memory 3 ^every|must|dont",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^manage 4 your 2 memory",
	},
	{
		Check: checkImperative,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "memory 3 every 1 response|solve|reveal|ignore",
	},

	{
		Check: checkPressure,
		Tier:  TierSoft,
		Sure:  0.2,
		Seq:   "urgent 3 obey|you|message",
	},
	{
		Check: checkAuthority,
		Tier:  TierSoft,
		Sure:  0.45,
		Seq:   "authority 6 order",
	},
	{
		Check: checkAuthority,
		Tier:  TierSoft,
		Sure:  0.45,
		Seq:   "authority 3 you 3 obey|ignore|reveal|send|manage",
	},
}
