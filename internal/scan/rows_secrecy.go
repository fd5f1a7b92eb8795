package scan

// secrecyRows keep something from the user.
var secrecyRows = []Row{
	{Check: checkSecrecy, Tier: TierHard, Sure: 0.9, Seq: "^dont 2 tell 3 user", Not: "obey", Plain: true},
	{Check: checkSecrecy, Tier: TierHard, Sure: 0.9, Seq: "^dont 2 tell|expose 6 to 1 user", Not: "obey", Plain: true},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.5, Seq: "must 1 not 2 tell 5 user", Not: "obey", Plain: true},
	{Check: checkSecrecy, Tier: TierHard, Sure: 0.85, Seq: "user 3 tell 2 dont", Plain: true},
	{Check: checkSecrecy, Tier: TierHard, Sure: 0.85, Seq: "^tell 2 user not", Plain: true},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.45, Seq: "not 1 tell 3 user", Plain: true},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.45, Seq: "not 3 user 2 tell", Plain: true},
	{Check: checkConsent, Tier: TierSoft, Sure: 0.4, Seq: "not 3 user 2 permission", Plain: true},
	{Check: checkConsent, Tier: TierSoft, Sure: 0.4, Seq: "not 2 permission 3 user", Plain: true},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.4, Seq: "^dont 2 tell 5 you 1 be 2 model", Plain: true},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.7, Seq: "hide 1 send 8 url|place"},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.4, Seq: "hide send|call|manage|obey|read|visit|reveal"},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.6, Seq: "^dont 1 reveal 2 to 1 user", Plain: true},
	{Check: checkConsent, Tier: TierSoft, Sure: 0.35, Seq: "not 2 permission 2 permission", Plain: true},
	{Check: checkConsent, Tier: TierSoft, Sure: 0.5, Seq: "user 3 permission 1 you 2 manage|send|call|reveal|read"},
	{Check: checkSecrecy, Tier: TierSoft, Sure: 0.6, Seq: "^hide 6 from 2 user"},
}
