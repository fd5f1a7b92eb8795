package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Rules for calls that the user did not ask for.
const (
	RuleDictated    = "security.flow_policy.dictated_act"
	RuleUnrequested = "security.flow_policy.unrequested_act"
)

// muchSpelled is the minimum share of a call's words that a passage must contain for the call to count as copied from
// it, if the passage names no new value.
const muchSpelled = 0.4

// mostSpelled is the same minimum for a passage that does not mention the effect of the call.
const mostSpelled = 0.6

// spelled reports whether the call was copied from a passage of prose: the passage mentions the effect and is the
// first to name a value of the call, or it contains most of the call's words.
func (f *Facts) spelled() bool {
	d := f.Dictation
	if d == nil || d.Field {
		return false
	}
	if f.Effect == mcpproxy.EffectPay && d.Aims && (d.From.Untrusted || !f.wished()) {
		return true // the text names the payee, and the user has not mentioned a payment
	}
	return len(d.Values) > 0 && (d.Asks || d.Share >= muchSpelled) || d.Asks && d.Share >= muchSpelled ||
		d.Share >= mostSpelled
}

// wished reports whether the user's words ask for the effect of the call.
func (f *Facts) wished() bool { return f.Wish == mcpproxy.WishYes }

// covered reports whether the user told the agent to follow the text from which this call was copied ("do what the
// ticket says"), so that the call counts as requested. Some calls need more than that: a payment to an account that
// only the text names, for example, is never covered.
func (f *Facts) covered() bool {
	d := f.Dictation
	if f.copies() || f.admitsOnRequest() || f.callsBack() {
		return false
	}
	if d != nil && d.Aims && (f.Effect == mcpproxy.EffectPay || d.From.Untrusted && f.mixed() && f.carries()) {
		return false // only the text names the payee, or one more recipient of the user's data
	}
	if d != nil && d.Aims && f.Effect == mcpproxy.EffectSend && !f.wished() && (d.From.Untrusted || f.carries()) {
		return false // the user did not ask to send anything, and only the text says where it goes
	}
	return d != nil && d.Delegated && (f.wished() || f.Wish == mcpproxy.WishGeneral && !f.Effect.Serious())
}

// dictated decides about a call that was copied from a passage of a result. It allows a call that the user's words
// cover.
func (t *Tables) dictated(f Facts) Ruling {
	d := f.Dictation
	if f.Wish == mcpproxy.WishUnheard && !f.plainlyDictated() { // it is not known what the user wants
		return Ruling{Decision: mcpproxy.Allow}
	}
	if f.wished() && f.toIssuer() && !f.carries() {
		return Ruling{Decision: mcpproxy.Allow} // the keys only go to their own providers
	}
	whole := f.spelled() && !f.covered() && f.weighty() && (!f.Effect.Harmless() || f.takesAlong())
	if !whole && !f.drawn() {
		return Ruling{Decision: mcpproxy.Allow}
	}
	says := "The user did not ask for this (%s), and a result of %s (call %s) spelled it%s."
	if f.wished() && len(d.Values) > 0 {
		says = "The user asked for this (%s), but its values come from a result of %s (call %s)%s."
	}
	return Ruling{t.DictatedAct, RuleDictated, fmt.Sprintf(
		says,
		f.Effect,
		mcpproxy.ToolName(d.From.Server, d.From.Tool),
		d.From.CallID,
		quoted(d.Values),
	)}
}

// toIssuer reports whether the call goes only to the providers that issued the keys in it.
func (f *Facts) toIssuer() bool {
	if len(f.Secrets) == 0 {
		return false
	}
	var hosts []string
	for _, s := range f.Secrets {
		if s.Audience != mcpproxy.SecretProvider {
			return false
		}
		hosts = append(hosts, s.To...)
	}
	return !slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
		return d.Kind != kindArgument && !slices.Contains(hosts, d.Value)
	})
}

// drawn reports whether a text that the user did not refer to makes the agent show data to others. That is so if the
// call was partly copied from the text and the user may not have asked for it, or if the text names the destination
// of a call that carries data.
func (f *Facts) drawn() bool {
	d := f.Dictation
	if d == nil || d.Delegated || d.From.CallID == "" || f.Wish == mcpproxy.WishUnheard {
		return false
	}
	// The text counts only if the call writes to an address in it, or does what it asks for. Reading a text is not
	// enough.
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

// plainlyDictated reports whether an outsider's text contains both a serious effect and its target. The user is then
// asked although it is not known what he wants.
func (f *Facts) plainlyDictated() bool {
	d := f.Dictation
	return d != nil && f.Effect.Serious() && d.From.Untrusted && d.Asks && d.Aims && d.Share >= mostSpelled
}

// takesAlong reports whether a call that reads also sends data of other results to a destination from a passage.
func (f *Facts) takesAlong() bool {
	return f.Class().Leaves() && f.Dictation != nil && f.Dictation.Carried > 0 && f.Legs.Private != nil
}

// weighty reports whether the user is asked about a call that was copied from a passage. For a call that only changes
// or creates something, he is asked unless his words ask for it.
func (f *Facts) weighty() bool {
	switch f.Effect {
	case mcpproxy.EffectCreate, mcpproxy.EffectChange, mcpproxy.EffectRun:
		d := f.Dictation
		if f.Wish == mcpproxy.WishNo {
			return d.Asks || d.Share >= mostSpelled || len(d.Values) > 1
		}
		whole := d.Asks && d.Share >= mostSpelled && len(d.Values) > 0
		return f.callsBack() || !d.Pointed && (d.Aims || f.Class().Leaves() && whole)
	}
	switch {
	case f.Effect.Harmless():
		// Opening an address from the user's own records, as he asked, is what they are for.
		return (f.Dictation.Aims && (!f.wished() || f.Dictation.From.Untrusted)) || f.Dictation.Carried > 1
	case f.Effect == mcpproxy.EffectSend && (f.addsRecipient() || f.copies()):
		return true
	case f.Effect == mcpproxy.EffectSend && f.Wish != mcpproxy.WishNo && !f.carries():
		return f.Dictation.Share >= mostSpelled && f.Dictation.Aims && (!f.wished() || f.Legs.Private != nil)
	case !f.wished(), f.Effect == mcpproxy.EffectInstall, f.admitsOnRequest():
		return true
	case f.Effect == mcpproxy.EffectSend:
		return f.Dictation.Aims && f.carries()
	case f.Effect == mcpproxy.EffectDelete:
		return f.Dictation.Aims && !f.Dictation.Pointed // deleting something sends nothing to the address
	}
	return f.Dictation.Aims
}

// admitsOnRequest reports whether the call gives access to an account that only a text names, and the text asks for
// that. The user is asked about it even if they told the agent to follow the text, as they are about a payment to an
// account that only the text names, unless they said that somebody has approved the request.
func (f *Facts) admitsOnRequest() bool {
	d := f.Dictation
	// A number, a key or a host is no account.
	named := func(v string) bool { return !strings.ContainsAny(v, "0123456789@./:…") }
	asks := d != nil && !d.Field && d.Asks && !d.Vouched
	return asks && f.Effect == mcpproxy.EffectGrant && slices.ContainsFunc(d.Values, named)
}

// callsBack reports whether the call sets up something that will send data by itself, to an address that only a text
// named: a webhook, a subscription. Following that text does not cover this.
func (f *Facts) callsBack() bool {
	d := f.Dictation
	sets := f.Effect == mcpproxy.EffectCreate || f.Effect == mcpproxy.EffectChange
	if !sets || f.Call.Server == "" || d == nil || d.Field || !d.Aims {
		return false
	}
	address := func(v string) bool { return strings.Contains(v, "://") }
	hook := func(w string) bool { return strings.Contains(strings.ToLower(f.Call.Tool), w) }
	return slices.ContainsFunc(hooks, hook) && slices.ContainsFunc(d.Values, address)
}

// hooks are words in the names of tools that set up something which sends data by itself.
var hooks = []string{"hook", "callback", "subscription", "listener", "forwarder", "relay", "script", "redirect", "endpoint"}

// copies reports whether the call sends a blind copy to a recipient whom only a text named.
func (f *Facts) copies() bool {
	return f.Effect == mcpproxy.EffectSend && f.Dictation != nil && f.Dictation.Aims && f.Dictation.Asks &&
		slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
			return d.Kind == "email" && strings.Contains(strings.ToLower(d.Path), "bcc") && d.Source != mcpproxy.FromUser
		})
}

// addsRecipient reports whether an outsider's text, to which the user's words do not refer, adds a recipient to those
// that the user and his records name.
func (f *Facts) addsRecipient() bool {
	d := f.Dictation
	return d.Aims && d.Asks && !d.Pointed && d.From.Untrusted && f.mixed()
}

// unrequested decides about an effect that the user's words do not ask for. A serious effect is asked about once the
// session has read text that outsiders may have written. An effect that others can see is asked about if the session
// has also read private data.
func (t *Tables) unrequested(f Facts) Ruling {
	met := f.Legs.Untrusted
	weakens := f.Effect == mcpproxy.EffectWeaken && f.Wish == mcpproxy.WishGeneral
	admits := f.Wish == mcpproxy.WishGeneral && f.admitsUnnamed()
	if met == nil && (f.Wish == mcpproxy.WishNo && f.Effect.Serious() || weakens || admits) {
		met = f.Legs.Private
	}
	shows := f.Wish == mcpproxy.WishNo && f.forOthers() && f.Legs.Private != nil && !f.handedOver()
	asked := f.wished() || f.Wish == mcpproxy.WishUnknown || f.Wish == mcpproxy.WishUnheard
	if met == nil || !shows && (asked || !f.Effect.Serious()) {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{t.UnrequestedAct, RuleUnrequested, fmt.Sprintf(
		"The user did not ask for this (%s), and the session has read what others may have written (%s, call %s).",
		f.Effect,
		met.Name,
		met.CallID,
	)}
}

// admitsUnnamed reports whether the call gives access to an e-mail address outside that the user has not named, such
// as that of an attendee of a meeting.
func (f *Facts) admitsUnnamed() bool {
	return f.Effect == mcpproxy.EffectGrant && f.forOthers() &&
		slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
			return d.Kind == "email" && d.Source != mcpproxy.FromUser
		})
}

// forOthers reports whether people outside the user's organisation can read what the call writes, or it is not known
// who can.
func (f *Facts) forOthers() bool {
	switch f.Audience {
	case mcpproxy.AudienceNamed, mcpproxy.AudiencePublic, mcpproxy.AudienceUnknown:
		return !f.Effect.Harmless()
	}
	return false
}

// handedOver reports whether the user told the agent to follow the text from which the call was copied.
func (f *Facts) handedOver() bool { return f.Dictation != nil && f.Dictation.Delegated }

// gathered returns the first movement of data into the call from another system of the user than the one that is
// called.
func (f *Facts) gathered() (mcpproxy.Edge, bool) {
	for _, e := range f.Edges {
		own := e.From.Server != "" && e.From.Server == f.Call.Server
		if e.From.Side == mcpproxy.Internal && !e.From.Untrusted && !e.Own && !own {
			return e, true
		}
	}
	return mcpproxy.Edge{}, false
}

// spread decides about the user's data that a call shows to others, although his words do not ask for it, in a
// session that has read text that outsiders may have written. The side of the server does not matter: outsiders can
// read an issue tracker, whatever its name is.
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

// quoted returns the first values of a passage for use in a reason.
func quoted(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return ": " + strings.Join(values[:min(len(values), 3)], ", ")
}

// entitled reports whether the user asked for the call, and its destination was named by his words, by his own
// records or by a field that a system filled in, but not by an outsider's text.
func (f *Facts) entitled() bool {
	switch {
	case f.Effect == mcpproxy.EffectRead && f.Class().Leaves() && !f.addressed():
		return false // asking for a search does not mean sending the data in its words
	case f.covered() && (f.wished() || f.toKnown()):
		return true
	case !f.wished() && !f.SendsAsked && !(f.Wish == mcpproxy.WishUnknown && f.toNamed()):
		return false
	case f.spelled() && f.Dictation.From.Untrusted && (f.Dictation.Aims || f.toWriter()), f.aimedByAPage():
		return false
	}
	return (f.Dictation == nil || !f.Dictation.Strange) && f.exposes() == ""
}

// paysTo reports whether the data at a path is the number of the account to which the call pays, which the bank needs.
// The user is asked about an account that only a text named ([Tables.dictated]).
func (f *Facts) paysTo(path string) bool {
	return f.Effect == mcpproxy.EffectPay && f.Dictation != nil && f.Dictation.Aims &&
		slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
			return d.Kind == "account" && d.Path == path
		})
}

// exposes returns what a message takes from a result of another call to a receiver whom the user did not name: a
// document that is marked as confidential, personal data of several people, or a person's date of birth with more
// personal data. It returns "" if the message contains no such data. A user who asks the agent to answer a mail does
// not ask for that, whatever the mail says.
func (f *Facts) exposes() string {
	if f.Effect != mcpproxy.EffectSend || f.Call.Server == "" || f.toNamed() || !f.forOthers() {
		return ""
	}
	told := map[string]bool{} // the results that named a receiver
	addressed := map[string]bool{}
	for _, d := range f.Destinations {
		addressed[d.Path] = true
		if d.From != nil {
			told[d.From.CallID] = true
		}
	}
	takes := false
	for _, e := range f.Edges {
		if e.Type != mcpproxy.InternalToExternal || e.Own || told[e.From.CallID] || addressed[e.Path] {
			continue
		}
		if e.From.Confidential {
			return "a document that is marked as confidential"
		}
		takes = true
	}
	if takes && ofPeople(f.Signals, addressed) {
		return "personal data of several people"
	}
	return ""
}

// ofPeople reports whether signals outside the addresses of a message are about several people, or about a date of
// birth and more personal data.
func ofPeople(signals []mcpproxy.Signal, addressed map[string]bool) bool {
	values := map[string]map[string]bool{} // by kind
	mails, phones := 0, 0
	most, born := 0, false
	for _, s := range signals {
		switch {
		case s.Source != mcpproxy.SourcePII || s.Said || s.Example || s.Suppressed || addressed[s.Path]:
		case s.Kind == "email":
			mails++
		case s.Kind == "phone":
			phones++
		case s.Kind == "date_of_birth":
			born = true
		case s.Sensitive() && s.Confidence >= surelyPersonal && personal([]string{s.Category}):
			if values[s.Kind] == nil {
				values[s.Kind] = map[string]bool{}
			}
			values[s.Kind][s.Evidence] = true
			most = max(most, len(values[s.Kind]))
		}
	}
	return most >= severalPeople || born && most+mails+phones > 0 || mails >= manyMails || phones >= manyMails
}

// The minimum numbers of values of one kind that belong to several people. Mail addresses need more values, because
// they also occur in signatures and in quoted mails.
const (
	severalPeople = 2
	// surelyPersonal is the minimum confidence of a counted value. Detections with less confidence can be parts of one
	// value.
	surelyPersonal = 0.85
	manyMails      = 3
)

// toWriter reports whether the call goes to a destination that was first named by the result from which the call was
// copied.
func (f *Facts) toWriter() bool {
	return slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
		return d.Source == mcpproxy.FromUntrusted && d.From != nil && d.From.CallID == f.Dictation.From.CallID
	})
}

// aimedByAPage reports whether a command sends something to a host or a repository that only a stranger's page names.
func (f *Facts) aimedByAPage() bool {
	return f.Call.Server == "" && f.Effect == mcpproxy.EffectSend &&
		slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
			page := d.From != nil && d.From.Side == mcpproxy.External
			return d.Source == mcpproxy.FromUntrusted && page && d.AtHost()
		})
}

// addressed reports whether the call names a destination. An e-mail address in the words of a search does not count.
func (f *Facts) addressed() bool {
	return slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
		return d.Kind != kindArgument && d.Kind != "email"
	})
}

// unheard decides about the user's data if it is not known what the user wants. It asks if the data becomes public,
// or if a whole text goes to a destination that neither the user nor his own records named.
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

// wholeText is the minimum length, in bytes, of a repeated text that counts as more than a name or a number.
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

// stolen decides about data that goes to others and that the agent read because an outsider's text told it to.
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

// personal reports whether all categories of the data are personal data, which may go where the user sends it.
// Secrets may not.
func personal(categories []string) bool {
	return !slices.ContainsFunc(categories, func(c string) bool { return slices.Contains(secrets, c) })
}

// secrets are the categories of data that gives access.
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

// destroysAsAsked reports whether the user's words ask for the destructive call, or only the server declares the call
// destructive and its name says otherwise.
func (f *Facts) destroysAsAsked() bool {
	general := f.Wish == mcpproxy.WishGeneral && !f.Effect.Serious() && f.Effect != mcpproxy.EffectDelete
	if f.wished() || general || f.covered() {
		return true
	}
	claimed := f.Effect != mcpproxy.EffectDelete && f.Effect != mcpproxy.EffectWeaken && f.Effect != ""
	return claimed && f.Wish != mcpproxy.WishNo
}
