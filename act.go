package mcpproxy

// Effect is what a call does, in the terms in which people ask for it. It is finer than an
// [Operation], which only says whether anything changes.
type Effect string

// The effects. A call has exactly one: the most serious of those that its name, its definition and its arguments
// indicate.
const (
	EffectRead     Effect = "read"     // looks something up
	EffectNavigate Effect = "navigate" // moves about in a browser or an editor
	EffectCreate   Effect = "create"   // makes something new, in a place whose readers stay the same
	EffectChange   Effect = "change"   // alters something that exists
	EffectRun      Effect = "run"      // starts a program, a job or a deployment
	EffectInstall  Effect = "install"  // adds a program or a package
	EffectSend     Effect = "send"     // hands something to people or machines
	EffectDelete   Effect = "delete"   // destroys
	EffectWeaken   Effect = "weaken"   // removes a check, an alarm or a protection
	EffectGrant    Effect = "grant"    // gives somebody access
	EffectPay      Effect = "pay"      // moves money
)

// Effects lists all effects, the most serious last.
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

// Serious reports whether the effect grants access, moves money or removes a protection. A call with such an effect
// must never be made because of an instruction that was found in a tool's result.
func (e Effect) Serious() bool { return e == EffectPay || e == EffectGrant || e == EffectWeaken }

// Harmless reports whether the effect changes nothing.
func (e Effect) Harmless() bool { return e == EffectRead || e == EffectNavigate || e == "" }

// Wish says whether the user's own words ask for the effect of a call.
type Wish string

// The wishes.
const (
	WishYes     Wish = "yes"     // the user's words name the effect
	WishGeneral Wish = "general" // the words ask for a goal that may need the effect: "fix the build"
	WishNo      Wish = "no"      // the words ask for something else, and only for that
	WishUnknown Wish = "unknown" // mcpproxy could not interpret the words
	WishUnheard Wish = "unheard" // mcpproxy has seen no words of the user
)

// Dictation says how much of a call was copied from one passage of a tool's result. Words that also occur in the
// user's messages are not counted.
type Dictation struct {
	From Origin `json:"from"`
	// Share is the part of the call's words that occur in the passage, from 0 to 1.
	Share float64 `json:"share"`
	// Values are the call's targets whose first occurrence is in the passage: addresses, hosts, package names,
	// identifiers, numbers. They are masked.
	Values []string `json:"values,omitempty"`
	// Aims says that one of the values is an address, an account, a host or a package, so the passage decided where
	// something goes.
	Aims bool `json:"aims,omitempty"`
	// Known says that there are values, and that each of them was named by the user or read from a field that a
	// system filled in.
	Known bool `json:"known,omitempty"`
	// Strange says that one of the values occurred nowhere before this call.
	Strange bool `json:"strange,omitempty"`
	// Asks says that the passage mentions the effect of the call.
	Asks bool `json:"asks,omitempty"`
	// Pointed says that the user named the source of the passage, such as the number of a ticket or the path of a
	// file.
	Pointed bool `json:"pointed,omitempty"`
	// Delegated says that the user told the agent to do what the source says: "do what the ticket says".
	Delegated bool `json:"delegated,omitempty"`
	// Vouched says that the user named the source and said that somebody responsible has approved what it asks for.
	Vouched bool `json:"vouched,omitempty"`
	// Carried counts the values that come from other sources and that the call sends to a target named in the passage.
	Carried int `json:"carried,omitempty"`
	// Field says that the values come from fields that a system filled in, not from prose.
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
	AudienceUnknown Audience = "unknown" // the call's readers could not be determined
)
