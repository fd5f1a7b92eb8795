package scan

// overrideRows take earlier instructions out of force.
var overrideRows = []Row{
	// "ignore all previous instructions", and the order of other languages.
	{Check: checkPhrase, Tier: TierHard, Sure: 0.97, Seq: "ignore 5 prior 3 instr"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.95, Seq: "ignore 4 instr 4 prior"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.95, Seq: "prior 3 instr 3 ignore", Not: "ask"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.93, Seq: "every 2 instr 2 ignore", Not: "ask"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.93, Seq: "ignore 2 every 3 instr"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.93, Seq: "ignore 2 your 3 instr"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.93, Seq: "your 3 instr 2 ignore", Not: "ask"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.92, Seq: "override 4 prior 2 instr"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.92, Seq: "override 2 your 3 instr"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.9, Seq: "ignore 3 system 1 prompt"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.6, Seq: "^ignore 2 other 2 instr"},
	// "forget everything above", "ignore everything I told you before".
	{Check: checkPhrase, Tier: TierHard, Sure: 0.9, Seq: "^ignore 2 every 1 prior"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.9, Seq: "^ignore 1 every 5 said 4 prior"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.9, Seq: "^ignore 1 every 5 prior 3 said"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.85, Seq: "^ignore 1 every 3 you 3 said"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.25, Seq: "^ignore 1 prior"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.45, Seq: "ignore 1 every 3 said"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.6, Seq: "ignore 2 what 3 said 3 prior"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.5, Seq: "prior 2 every 3 ignore"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.7, Seq: "^ignore 1 every 1 ^reveal|edit|send|solve", Not: "not"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.7, Seq: "^ignore 1 prior 1 instead"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.4, Seq: "^ignore 1 rules 4 reveal"},
	// Weaker nouns: rules and contexts are ignored by honest people, too.
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.6, Seq: "^ignore 4 prior 2 rules"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.5, Seq: "^ignore 1 every 1 rules"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.5, Seq: "^ignore 2 other 2 rules"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.5, Seq: "prior 2 rules 2 every 2 ignore"},
	{Check: checkPhrase, Tier: TierHard, Sure: 0.85, Seq: "^ignore 1 your 1 rules"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.4, Seq: "^ignore 1 instr"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.4, Seq: "^override 3 prior 2 rules"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.4, Seq: "^override 3 other 2 instr"},
	// New orders in the place of the old ones.
	{Check: checkPhrase, Tier: TierHard, Sure: 0.85, Seq: "^fresh system prompt"},
	{Check: checkNewOrders, Tier: TierSoft, Sure: 0.5, Seq: "^fresh instr"},
	{Check: checkNewOrders, Tier: TierSoft, Sure: 0.5, Seq: "^your 1 fresh 1 task|instr"},
	{Check: checkNewOrders, Tier: TierSoft, Sure: 0.5, Seq: "^start 2 fresh|system|tool 1 instr|prompt|response"},
	{Check: checkNewOrders, Tier: TierHard, Sure: 0.85, Seq: "obey 3 following 2 instr 3 instead"},
	{Check: checkPhrase, Tier: TierSoft, Sure: 0.7, Seq: "following 1 instr 2 override 4 prior"},
	{Check: checkNewOrders, Tier: TierSoft, Sure: 0.4, Seq: "^system instr"},
	{Check: checkNewOrders, Tier: TierSoft, Sure: 0.3, Seq: "obey 2 following 1 instr"},
}
