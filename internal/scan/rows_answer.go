package scan

// answerRows match instructions about the reader's answer. Legitimate letters ask the reader to include something in a
// reply, but not to distort the reply.
var answerRows = []Row{
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "^edit 8 your 1 response",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "your response 1 edit",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "^manage 12 url 8 your 1 response",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "^manage 6 edit 6 your 1 response",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.7,
		Seq:   "^manage 6 your 1 response 5 edit|user",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "^manage 8 your 1 response",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "your response 1 manage",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.6,
		Seq:   "every 1 response 3 must 3 manage 6 url",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "^manage|edit 4 every 1 response",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.25,
		Seq:   "^ignore 8 ^reveal",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.35,
		Seq:   "^ignore 6 instead 1 reveal|solve",
	},
	{
		Check: checkAnswer,
		Tier:  TierSoft,
		Sure:  0.5,
		Seq:   "^dont 6 instead 1 reveal",
	},
}
