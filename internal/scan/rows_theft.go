package scan

// theftRows match texts that send data away or ask for credentials.
var theftRows = []Row{
	{
		Check: checkTheft,
		Tier:  TierHard,
		Sure:  0.85,
		Seq:   "^send 2 every 4 data|secret 6 url|place",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "send 1 every 2 data|secret 4 url",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "^send 8 secret 8 url|place",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^send 8 data 8 url",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^read 6 secret 10 send 6 url|place|to",
	},
	{
		Check: checkTheft,
		Tier:  TierHard,
		Sure:  0.85,
		Seq:   "^read 6 every 3 secret|data 8 send 5 url",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "must 1 send 2 every 4 data|secret 6 url|place",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "must 2 send 3 every|your 3 data|secret 6 url|place",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "must 2 send 6 secret 6 url|place",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "must 2 send 6 data 6 url",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "secret 3 send 3 url",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "^steal 6 secret|data",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^manage|read|send|reveal 5 vault 8 response|data|tool|place|url",
	},
	{
		Check: checkTheft,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^read 5 secret 8 send|edit",
	},
	{
		Check: checkCredential,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "must 1 reveal|send|solve 4 every 2 secret",
	},
	{
		Check: checkCredential,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^permission 2 user 4 secret",
	},
	{
		Check: checkCredential,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "expose 3 secret",
	},
	{
		Check: checkCredential,
		Tier:  TierSoft,
		Sure:  0.25,
		Seq:   "^reveal 3 secret",
	},
	{
		Check: checkCredential,
		Tier:  TierSoft,
		Sure:  0.4,
		Seq:   "^reveal 2 every 3 secret",
	},
}
