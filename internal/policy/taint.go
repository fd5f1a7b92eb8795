package policy

import (
	"fmt"
	"slices"

	"mcpproxy"
)

// Rules for a session that has read sensitive data. Such data can leave in a form that flow tracking does not
// recognise.
const (
	RuleTaint  = "security.flow_policy.session_taint"
	RuleOpaque = "security.flow_policy.opaque_payload"
	RuleBudget = "security.exfiltration.action"
)

// taint decides about a send in a session that has read sensitive data, whatever the send carries. It allows the send
// in these cases:
//   - No internal data is seen in it, and the user named the destination, or a text that the user told the agent to
//     follow named it, or the call stays within the user's own organisation.
//   - The user asks for it, no internal data is seen in it, and the session has read no outsider's text.
//   - The user asks for it, no internal data is seen in it, and it names no destination that an outsider's text may
//     have named, like a reply in a thread. For such a reply, words that mcpproxy does not understand are enough.
//   - The user asks for it and named every destination, and nothing sensitive is seen in it.
//   - It is a command that only reads from a host that no outsider's text named. Such a command sends only an
//     address.
func (t *Tables) taint(f Facts) Ruling {
	home := f.Audience == mcpproxy.AudienceHome && !f.carries() || f.keepsSecrets()
	wanted := f.wished() || f.Wish == mcpproxy.WishGeneral && !f.Effect.Serious()
	wanted = wanted || f.Wish == mcpproxy.WishUnknown && f.Effect == mcpproxy.EffectSend
	inside := f.Call.Server != "" && wanted && !f.aimsElsewhere() // a command can send data without naming a destination
	own := f.Legs.Injected == nil && (inside || f.wished() && f.Legs.Untrusted == nil)
	told := f.wished() && f.toNamed() && f.Legs.Injected == nil && !f.movesSensitive()
	handed := (f.covered() || own) && !f.carries() || told
	free := f.named() || f.entitled() || home || handed || f.looksUp()
	if f.Legs.Sensitive == nil || !f.sends() || free {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{
		t.SessionTaint,
		RuleTaint,
		fmt.Sprintf(
			"Sensitive data was read before (by %s, activity %s), and the call sends to an external destination (%s).",
			f.Legs.Sensitive.Name,
			f.Legs.Sensitive.CallID,
			destination(f),
		),
	}
}

// looksUp reports whether a command of the agent only reads, from hosts that no outsider's text named.
func (f *Facts) looksUp() bool {
	return f.Call.Server == "" && f.OnlyFetches && !f.carries() && f.Legs.Injected == nil &&
		!slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
			return d.Source.Rank() > mcpproxy.FromNowhere.Rank()
		})
}

// opaque decides about an unreadable payload that leaves such a session, wherever it goes. If the session has read
// private but no sensitive data, it decides only about destinations that neither the user nor his own records named.
func (t *Tables) opaque(f Facts) Ruling {
	s, ok := f.signal(mcpproxy.KindOpaquePayload)
	told, tells := f.signal(mcpproxy.KindUnexplained)
	read, what := f.Legs.Sensitive, "Sensitive"
	if read == nil && (tells || !f.toKnown() && (f.forOthers() || f.Class().Leaves())) {
		read, what = f.Legs.Private, "Private"
	} else if !tells && !f.Class().Leaves() {
		read = nil
	}
	if !ok {
		s = told
	}
	if !ok && !tells || read == nil {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{
		t.OpaquePayload,
		RuleOpaque,
		fmt.Sprintf(
			"%s data was read before (by %s, activity %s), and the call carries %s to an external destination (%s).",
			what,
			read.Name,
			read.CallID,
			s.Evidence,
			destination(f),
		),
	}
}

// aimsElsewhere reports whether the call names a destination that neither the user nor his own records have named.
func (f *Facts) aimsElsewhere() bool {
	return slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
		own := d.Kind == kindChannel && d.Source == mcpproxy.FromNowhere && f.Call.Server != ""
		return d.Kind != kindArgument && d.Source != mcpproxy.FromUser && d.Source != mcpproxy.FromInternal && !own
	})
}

// kindChannel is the kind of a channel. A channel that no text has named is in the workspace to which the server
// belongs.
const kindChannel = "channel"

// movesSensitive reports whether sensitive data leaves with the call.
func (f *Facts) movesSensitive() bool {
	return slices.ContainsFunc(f.Edges, func(e mcpproxy.Edge) bool {
		return e.Type == mcpproxy.InternalToExternal && !e.Own && len(e.Sensitive) > 0
	})
}

// toKnown reports whether the call stays within the user's own organisation, or the user or his own records named
// every destination of the call.
func (f *Facts) toKnown() bool {
	if f.Audience == mcpproxy.AudienceHome || f.Audience == mcpproxy.AudienceSelf {
		return true
	}
	named := 0
	for _, d := range f.Destinations {
		if d.Kind == kindArgument {
			continue
		}
		if d.Source != mcpproxy.FromUser && d.Source != mcpproxy.FromInternal {
			return false
		}
		named++
	}
	return named > 0
}

// budget decides about a session that has read sensitive data and sends out more than its budget. No destination is
// exempt.
func (t *Tables) budget(f Facts) Ruling {
	for _, kind := range []string{mcpproxy.KindExternalVolume, mcpproxy.KindManyDestinations} {
		if s, ok := f.signal(kind); ok && f.Legs.Sensitive != nil {
			return Ruling{
				t.Budget,
				RuleBudget,
				fmt.Sprintf(
					"Sensitive data was read before (by %s, activity %s), and the session sends out too much: %s.",
					f.Legs.Sensitive.Name,
					f.Legs.Sensitive.CallID,
					s.Evidence,
				),
			}
		}
	}
	return Ruling{Decision: mcpproxy.Allow}
}

// sends reports whether the call sends something outside. A read does if its arguments contain internal data.
func (f *Facts) sends() bool { return f.Class().Sends(f.Operation) || f.carries() }

// carries reports whether internal data leaves with the call.
func (f *Facts) carries() bool {
	for _, e := range f.Edges {
		if e.Type == mcpproxy.InternalToExternal && !e.Own {
			return true
		}
	}
	return false
}

// named reports whether the user named every destination of the call, and no internal data goes there.
func (f *Facts) named() bool {
	for _, d := range f.Destinations {
		if d.Source != mcpproxy.FromUser {
			return false
		}
	}
	return len(f.Destinations) > 0 && !f.carries()
}

// signal returns the first signal of a kind.
func (f *Facts) signal(kind string) (mcpproxy.Signal, bool) {
	for _, s := range f.Signals {
		if s.Kind == kind && !s.Suppressed {
			return s, true
		}
	}
	return mcpproxy.Signal{}, false
}
