package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Rules about calls that the user did not ask for.
const (
	RuleDictated    = "security.flow_policy.dictated_act"
	RuleUnrequested = "security.flow_policy.unrequested_act"
)

// The part of a call that a passage must spell to have dictated it, where it names no value
// that the passage was the first to spell.
const muchSpelled = 0.4

// mostSpelled is the part from which a passage that does not speak of the act spelled it.
const mostSpelled = 0.6

// spelled reports whether a passage of prose spelled a call: a value that nobody had named
// before together with the act, or most of its words.
func (f *Facts) spelled() bool {
	d := f.Dictation
	if d == nil || d.Field {
		return false
	}
	if f.Effect == mcpproxy.EffectPay && d.Aims && (d.From.Untrusted || !f.wished()) {
		return true // whom a text wants paid, and the user has not spoken of it
	}
	return len(d.Values) > 0 && (d.Asks || d.Share >= muchSpelled) || d.Asks && d.Share >= muchSpelled ||
		d.Share >= mostSpelled
}

// wished reports whether the user's words ask for the effect of the call.
func (f *Facts) wished() bool { return f.Wish == mcpproxy.WishYes }

// unwished reports whether the user's words ask for something else, or for a result in
// general, and hand the act over to no text either.
func (f *Facts) unwished() bool {
	return (f.Wish == mcpproxy.WishNo || f.Wish == mcpproxy.WishGeneral) && !f.covered()
}

// covered reports whether the user's words hand a call over to the text that spelled it.
// They never hand over what is grave.
func (f *Facts) covered() bool {
	d := f.Dictation
	if d != nil && d.Aims && (f.Effect == mcpproxy.EffectPay || d.From.Untrusted && f.mixed() && f.carries()) {
		return false // a payee, or one more recipient of the user's data, whom only a text names
	}
	return d != nil && d.Delegated && (f.wished() || f.Wish == mcpproxy.WishGeneral && !f.Effect.Grave())
}

// dictated is the answer to an act that a passage of a result spelled first and that the
// user's words do not hand over to it.
func (t *Tables) dictated(f Facts) Ruling {
	d := f.Dictation
	if f.Wish == mcpproxy.WishUnheard && !f.plainlyDictated() { // nobody knows what the user wants
		return Ruling{Decision: mcpproxy.Allow}
	}
	whole := f.spelled() && !f.covered() && f.weighty() && (!f.Effect.Harmless() || f.takesAlong())
	if !whole && !f.drawn() {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{t.DictatedAct, RuleDictated, fmt.Sprintf(
		"The user did not ask for this (%s), and a result of %s (call %s) spelled it%s.",
		f.Effect,
		mcpproxy.ToolName(d.From.Server, d.From.Tool),
		d.From.CallID,
		quoted(d.Values),
	)}
}

// drawn reports whether a text to which the user's words do not point draws the agent to show
// something to others: it spelled a part of a call that the user may not have asked for, or the
// aim of one that takes data along.
func (f *Facts) drawn() bool {
	d := f.Dictation
	if d == nil || d.Delegated || d.From.CallID == "" || f.Wish == mcpproxy.WishUnheard {
		return false
	}
	// To read a text is not to write to whom a stranger names in it, or what he asks for.
	dictates := d.Aims || d.Asks && d.Share >= mostSpelled
	if d.Pointed && (f.Effect != mcpproxy.EffectSend || f.wished() || !dictates || !d.From.Untrusted) {
		return false
	}
	_, moves := f.gathered()
	switch {
	case f.Effect.Harmless():
		return moves && f.Class().Leaves() && f.Legs.Untrusted != nil && (d.Aims || d.Share >= muchSpelled)
	case !f.forOthers():
		return false
	case f.wished():
		return moves && d.Aims
	}
	return f.Legs.Private != nil && f.Legs.Untrusted != nil && (d.Share > 0 || d.Aims)
}

// plainlyDictated reports whether a stranger's text spelled a grave act and whom it is for:
// enough to ask about it although nobody knows what the user wants.
func (f *Facts) plainlyDictated() bool {
	d := f.Dictation
	return d != nil && f.Effect.Grave() && d.From.Untrusted && d.Asks && d.Aims && d.Share >= mostSpelled
}

// takesAlong reports whether a call that reads takes what was read elsewhere to where a
// passage says.
func (f *Facts) takesAlong() bool {
	return f.Class().Leaves() && f.Dictation != nil && f.Dictation.Carried > 0 && f.Legs.Private != nil
}

// weighty reports whether a dictated act is one to ask about: what only changes or makes
// something is, when the user's words do not ask for it.
func (f *Facts) weighty() bool {
	switch f.Effect {
	case mcpproxy.EffectCreate, mcpproxy.EffectChange, mcpproxy.EffectRun:
		d := f.Dictation
		if f.Wish == mcpproxy.WishNo {
			return d.Asks || d.Share >= mostSpelled || len(d.Values) > 1
		}
		whole := d.Asks && d.Share >= mostSpelled && len(d.Values) > 0
		return !d.Pointed && (d.Aims || f.Class().Leaves() && whole)
	}
	switch {
	case f.Effect.Harmless():
		return f.Dictation.Aims || f.Dictation.Carried > 1
	case f.Effect == mcpproxy.EffectSend && f.addsRecipient():
		return true
	case f.Effect == mcpproxy.EffectSend && f.Wish != mcpproxy.WishNo && !f.carries():
		return f.Dictation.Share >= mostSpelled && f.Dictation.Aims && (!f.wished() || f.Legs.Private != nil)
	case !f.wished(), f.Effect == mcpproxy.EffectInstall:
		return true
	case f.Effect == mcpproxy.EffectSend:
		return f.Dictation.Aims && f.carries()
	case f.Effect == mcpproxy.EffectDelete:
		return f.Dictation.Aims && !f.Dictation.Pointed // an address that is deleted gets nothing
	}
	return f.Dictation.Aims
}

// addsRecipient reports whether a stranger's text to which the user's words do not point asks for one more
// recipient than those whom he and his records name.
func (f *Facts) addsRecipient() bool {
	d := f.Dictation
	return d.Aims && d.Asks && !d.Pointed && d.From.Untrusted && f.mixed()
}

// unrequested is the answer to an act that the user's words do not ask for: a grave one once
// the session has met text that strangers may have written, and any that others come to see
// once it has read something private as well.
func (t *Tables) unrequested(f Facts) Ruling {
	met := f.Legs.Untrusted
	weakens := f.Effect == mcpproxy.EffectWeaken && f.Wish == mcpproxy.WishGeneral
	if met == nil && (f.Wish == mcpproxy.WishNo && f.Effect.Grave() || weakens) {
		met = f.Legs.Private
	}
	shows := f.Wish == mcpproxy.WishNo && f.forOthers() && f.Legs.Private != nil && !f.handedOver()
	asked := f.wished() || f.Wish == mcpproxy.WishUnknown || f.Wish == mcpproxy.WishUnheard
	if met == nil || !shows && (asked || !f.Effect.Grave()) {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{t.UnrequestedAct, RuleUnrequested, fmt.Sprintf(
		"The user did not ask for this (%s), and the session has read what others may have written (%s, call %s).",
		f.Effect,
		met.Name,
		met.CallID,
	)}
}

// forOthers reports whether others than the user and his organisation come to see what the
// call writes, or nobody knows who does.
func (f *Facts) forOthers() bool {
	switch f.Audience {
	case mcpproxy.AudienceNamed, mcpproxy.AudiencePublic, mcpproxy.AudienceUnknown:
		return !f.Effect.Harmless()
	}
	return false
}

// handedOver reports whether the user's words leave the decision to the text that spelled the
// call.
func (f *Facts) handedOver() bool { return f.Dictation != nil && f.Dictation.Delegated }

// gathered is the first movement of data into the call from another system of the user's than
// the one that is called.
func (f *Facts) gathered() (mcpproxy.Edge, bool) {
	for _, e := range f.Edges {
		own := e.From.Server != "" && e.From.Server == f.Call.Server
		if e.From.Side == mcpproxy.Internal && !e.From.Untrusted && !e.Own && !own {
			return e, true
		}
	}
	return mcpproxy.Edge{}, false
}

// spread is the answer to data of the user's that others come to see by a call which his words
// do not ask for, after a text that strangers may have written. The server's own side does not
// matter: strangers read a tracker of theirs, whatever it is called.
func (t *Tables) spread(f Facts) Ruling {
	e, moves := f.gathered()
	if moves && f.Wish == mcpproxy.WishUnheard {
		return t.unheard(f, e)
	}
	asked := f.wished() || f.handedOver() || f.Wish == mcpproxy.WishGeneral && f.toNamed()
	if !moves || asked || !f.forOthers() || f.Legs.Untrusted == nil {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{t.InternalToExternal, RuleExternal, fmt.Sprintf(
		"Data of %s goes to others (%s), and the user did not ask for this (%s).",
		source(e),
		destination(f),
		f.Effect,
	)}
}

// quoted are the first values of a passage, as a reason shows them.
func quoted(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return ": " + strings.Join(values[:min(len(values), 3)], ", ")
}

// entitled reports whether a call does what the user asked for and goes where his words, his
// own records or a field that a system filled in say: no stranger's text points there.
func (f *Facts) entitled() bool {
	switch {
	case f.Effect == mcpproxy.EffectRead && f.Class().Leaves() && !f.addressed():
		return false // a search that the user wants is no wish to tell its words
	case f.covered() && (f.wished() || f.toKnown()):
		return true
	case !f.wished() && !(f.Wish == mcpproxy.WishUnknown && f.toNamed()):
		return false
	case f.spelled() && f.Dictation.Aims && f.Dictation.From.Untrusted:
		return false
	}
	return f.Dictation == nil || !f.Dictation.Strange
}

// addressed reports whether the call names a place that it goes to. A mail address in the
// words of a search does not count.
func (f *Facts) addressed() bool {
	return slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
		return d.Kind != kindArgument && d.Kind != "email"
	})
}

// unheard is the answer to data of the user's that goes to everybody, or as a whole to a place
// that neither he nor his own records named, while nobody knows what he wants.
func (t *Tables) unheard(f Facts, e mcpproxy.Edge) Ruling {
	whole := (e.Match == "full" || e.Match == "field" || e.Match == "normalized") && e.Bytes >= wholeText
	if !f.forOthers() || f.Audience != mcpproxy.AudiencePublic && (!whole || !f.addressed() || f.toKnown()) {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{t.InternalToExternal, RuleExternal, fmt.Sprintf(
		"Data of %s goes to others (%s), whom neither you nor your own records have named.",
		source(e),
		destination(f),
	)}
}

// wholeText is the length, in bytes, from which a text that comes back whole is no name or
// number of something.
const wholeText = 64

// toNamed reports whether the user named every destination of the call.
func (f *Facts) toNamed() bool {
	named := 0
	for _, d := range f.Destinations {
		if d.Kind == kindArgument {
			continue
		}
		if d.Source != mcpproxy.FromUser {
			return false
		}
		named++
	}
	return named > 0
}

// stolen is the answer to data on its way to others that the agent read because a stranger's
// text told it to.
func (t *Tables) stolen(f Facts) Ruling {
	if f.Audience == mcpproxy.AudienceSelf || f.Effect != mcpproxy.EffectSend && !f.Class().Leaves() {
		return Ruling{Decision: mcpproxy.Allow}
	}
	for _, e := range f.Edges {
		if e.From.Dictated && e.From.Side != mcpproxy.External {
			return Ruling{t.DictatedAct, RuleDictated, fmt.Sprintf(
				"The call hands on what %s brought (call %s), and a stranger's text had asked for that to be read.",
				e.From.Name(),
				e.From.CallID,
			)}
		}
	}
	return Ruling{Decision: mcpproxy.Allow}
}

// personal reports whether all categories of what moves are of personal data, which may go
// where the user sends it; a secret may not.
func personal(categories []string) bool {
	return !slices.ContainsFunc(categories, func(c string) bool { return slices.Contains(secrets, c) })
}

// secrets are the categories of what lets somebody in.
var secrets = []string{
	"api_token",
	"cloud_credentials",
	"auth_token",
	"private_key",
	"database_credential",
	"high_entropy",
	"custom",
	"credentials",
	"environment",
	"sensitive_file",
	"stored_secret",
}

// destroysAsAsked reports whether a destructive call does what the user's words ask for, or
// is destructive by its server's claim alone while its name says otherwise.
func (f *Facts) destroysAsAsked() bool {
	general := f.Wish == mcpproxy.WishGeneral && !f.Effect.Grave() && f.Effect != mcpproxy.EffectDelete
	if f.wished() || general || f.covered() {
		return true
	}
	claimed := f.Effect != mcpproxy.EffectDelete && f.Effect != mcpproxy.EffectWeaken && f.Effect != ""
	return claimed && f.Wish != mcpproxy.WishNo
}
