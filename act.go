package mcpproxy

// Effect is what a call does, in the terms in which people ask for it. It is finer than an
// [Operation], which only says whether anything changes.
type Effect string

// The effects. A call has one: the gravest that its name, its definition and its arguments
// show.
const (
	EffectRead     Effect = "read"     // looks something up
	EffectNavigate Effect = "navigate" // moves about in a browser or an editor
	EffectCreate   Effect = "create"   // makes something new, for those who can read its home already
	EffectChange   Effect = "change"   // changes something that exists
	EffectRun      Effect = "run"      // starts a program, a job or a deployment
	EffectInstall  Effect = "install"  // adds a program or a package
	EffectSend     Effect = "send"     // hands something to people or machines
	EffectDelete   Effect = "delete"   // destroys
	EffectWeaken   Effect = "weaken"   // takes a check, an alarm or a protection away
	EffectGrant    Effect = "grant"    // lets somebody in, or opens something up
	EffectPay      Effect = "pay"      // moves money
)

// Effects lists all effects, the gravest last.
func Effects() []Effect {
	return []Effect{
		EffectRead,
		EffectNavigate,
		EffectCreate,
		EffectChange,
		EffectRun,
		EffectInstall,
		EffectSend,
		EffectDelete,
		EffectWeaken,
		EffectGrant,
		EffectPay,
	}
}

// Grave reports whether an effect is one that no instruction found in a result may bring
// about: it lets somebody in, moves money, or takes a protection away.
func (e Effect) Grave() bool { return e == EffectPay || e == EffectGrant || e == EffectWeaken }

// Harmless reports whether an effect leaves everything as it is.
func (e Effect) Harmless() bool { return e == EffectRead || e == EffectNavigate || e == "" }

// Wish says whether the user's own words ask for the effect of a call.
type Wish string

// The wishes.
const (
	WishYes     Wish = "yes"     // the user's words name the effect
	WishGeneral Wish = "general" // they ask for a result that may need it: "fix the build"
	WishNo      Wish = "no"      // they ask for something else, and only for that
	WishUnknown Wish = "unknown" // they are not understood
	WishUnheard Wish = "unheard" // no words of the user's were seen
)

// Dictation is how much of a call a text spelled that the agent was given by a tool: what
// the call says beyond the user's own words.
type Dictation struct {
	From Origin `json:"from"`
	// Share is the part of the call's words that stand in one passage of the text, of those
	// that the user did not say; 0 to 1.
	Share float64 `json:"share"`
	// Values are what the call is aimed at and the passage was the first to spell:
	// addresses, hosts, names of packages, identifiers, numbers. They are masked.
	Values []string `json:"values,omitempty"`
	// Aims says that one of the values is an address, an account, a host or a package: what
	// decides where something goes.
	Aims bool `json:"aims,omitempty"`
	// Known says that the call has such values and that all of them stood in fields, or that
	// the user named them.
	Known bool `json:"known,omitempty"`
	// Strange says that one of them stood nowhere before.
	Strange bool `json:"strange,omitempty"`
	// Asks says that the passage speaks of the effect of the call.
	Asks bool `json:"asks,omitempty"`
	// Pointed says that the user's words name what the text was read by: the number of a
	// ticket, the path of a file.
	Pointed bool `json:"pointed,omitempty"`
	// Delegated says that they also hand the decision to it: "do what the ticket says".
	Delegated bool `json:"delegated,omitempty"`
	// Carried are values that the call takes from elsewhere to where the passage says.
	Carried int `json:"carried,omitempty"`
	// Field says that the values stand in fields that a system filled in, and in no prose.
	Field bool `json:"field,omitempty"`
}

// Audience says who can read what a call writes.
type Audience string

// The audiences, the smallest first.
const (
	AudienceSelf    Audience = "self"    // the user alone: a local file, a draft
	AudienceHome    Audience = "home"    // the user's own organisation
	AudienceNamed   Audience = "named"   // the people, accounts or hosts that the arguments name
	AudiencePublic  Audience = "public"  // everybody
	AudienceUnknown Audience = "unknown" // anything that is not provably one of the others
)
