package policy

import (
	"fmt"
	"slices"

	"mcpproxy"
)

// outward decides about internal data that leaves. The decision depends on who named the destination.
func (t *Tables) outward(f Facts, e mcpproxy.Edge) Ruling {
	moves := fmt.Sprintf("Data flowing from internal source (%s) to external destination (%s)", source(e), e.To)
	if e.Fetched {
		return Ruling{
			t.UntrustedDestination,
			RuleUntrusted,
			fmt.Sprintf(
				"Data of %s stands in an address that is fetched when the text is shown, as an image's is. It goes to that host. %s",
				source(e),
				told(f.Destinations, e.Destination),
			),
		}
	}
	if f.Audience == mcpproxy.AudienceSelf {
		return Ruling{Decision: mcpproxy.Allow}
	}
	if what := f.exposes(); what != "" && f.wished() {
		return Ruling{t.InternalToExternal, RuleExternal, moves + ": " + what + ", for a receiver whom the user did not name."}
	}
	if f.entitled() && e.Destination != mcpproxy.FromInjected {
		return Ruling{t.DeclaredDestination, RuleDeclared, moves + ", as the user asked."}
	}
	switch e.Destination {
	case mcpproxy.FromUser:
		// A general request that names a service may well need commands that send something there.
		general := f.Wish == mcpproxy.WishGeneral && f.Call.Server != ""
		unwished := f.Wish == mcpproxy.WishNo || general
		if f.Effect == mcpproxy.EffectSend && unwished && !f.covered() && f.Legs.Untrusted != nil {
			break // the user named it, but may not want to send anything there
		}
		return Ruling{t.DeclaredDestination, RuleDeclared, moves + ", which the user named."}
	case mcpproxy.FromUntrusted:
		return Ruling{t.UntrustedDestination, RuleUntrusted, moves + ". " + told(f.Destinations, e.Destination)}
	case mcpproxy.FromInjected:
		return Ruling{t.InjectedDestination, RuleInjected, moves + ". " + told(f.Destinations, e.Destination)}
	}
	if t.InternalToExternal == mcpproxy.Ask && f.Legs.Untrusted == nil && f.Legs.Injected == nil {
		switch { // no outsider's text has been read in this session
		case e.Destination == mcpproxy.FromInternal:
			return Ruling{mcpproxy.Warn, RuleExternal, moves + ", which a trusted result named."}
		case f.wished() && f.handsOver() && !f.mixed() && (!f.Aimed || f.toKnown()):
			return Ruling{mcpproxy.Warn, RuleExternal, moves + ", as the user asked."}
		}
	}
	return Ruling{t.InternalToExternal, RuleExternal, moves + "."}
}

// handsOver reports whether asking for the call's effect means asking to send data. Asking to run a command does not.
func (f *Facts) handsOver() bool {
	return f.Effect == mcpproxy.EffectSend || f.Call.Server != "" && !f.Effect.Harmless()
}

// mixed reports whether the user or his own records named some of the destinations, but not all.
func (f *Facts) mixed() bool { return f.toAny() && f.aimsElsewhere() }

// toAny reports whether the user or his own records named a destination of the call.
func (f *Facts) toAny() bool {
	return slices.ContainsFunc(f.Destinations, func(d mcpproxy.Destination) bool {
		return d.Kind != kindArgument && (d.Source == mcpproxy.FromUser || d.Source == mcpproxy.FromInternal)
	})
}

// destination decides about a call by the people and places that it affects, whatever data it carries. Following an
// injected instruction does harm without data: an invitation, a payment, a deleted file.
func (t *Tables) destination(f Facts) Ruling {
	best := Ruling{Decision: mcpproxy.Allow}
	for _, d := range f.Destinations {
		if d.Source != mcpproxy.FromInjected || !reaches(f, d) || f.Blocks && f.wished() {
			continue // blocking the sender of an instruction, as the user asks, does not obey it
		}
		r := Ruling{t.InjectedDestination, RuleInjected, told([]mcpproxy.Destination{d}, d.Source)}
		if d.Kind == kindArgument && r.Decision == mcpproxy.Deny {
			r.Decision = mcpproxy.Ask // a text or a date can be repeated by chance
		}
		if r.Decision.Rank() > best.Decision.Rank() {
			best = r
		}
	}
	return best
}

// afterInstruction decides about a send in a session that has read an instruction to the agent, if neither the user
// nor a trusted result named the destination. The instruction may have named it.
func (t *Tables) afterInstruction(f Facts) Ruling {
	atHome := f.Audience == mcpproxy.AudienceHome && !f.carries() // such as a push to the user's own remote
	if f.Legs.Injected == nil || !f.Class().Sends(f.Operation) || atHome {
		return Ruling{Decision: mcpproxy.Allow}
	}
	to := ""
	if len(f.Destinations) > 0 {
		if f.Destinations[0].Source.Rank() < mcpproxy.FromNowhere.Rank() {
			return Ruling{Decision: mcpproxy.Allow}
		}
		to = " (" + f.Destinations[0].Value + ")"
	}
	return Ruling{
		t.UntrustedDestination,
		RuleUntrusted,
		fmt.Sprintf(
			"Neither the user nor a trusted result named the destination%s, and a result of %s (call %s) carried an instruction to the agent.",
			to,
			f.Legs.Injected.Name,
			f.Legs.Injected.CallID,
		),
	}
}

// kindArgument is the kind of a value that is not a recipient.
const kindArgument = "argument"

// reaches reports whether a call affects what d names. Reading the user's own data does not; fetching a URL does.
func reaches(f Facts, d mcpproxy.Destination) bool {
	return acts(f) || d.AtHost()
}

// acts reports whether a call changes or sends anything.
func acts(f Facts) bool {
	return f.Class().Leaves() || f.Operation == mcpproxy.Write || f.Operation == mcpproxy.Destructive
}

// told returns a sentence that names a destination from the given source, and the result in which it was read.
func told(all []mcpproxy.Destination, source mcpproxy.DestinationSource) string {
	i := slices.IndexFunc(all, func(d mcpproxy.Destination) bool { return d.Source == source })
	if i < 0 {
		return ""
	}
	d := all[i]
	what := "destination"
	where := "a result"
	if d.Kind == kindArgument {
		what = "value"
	}
	if o := d.From; o != nil {
		where = fmt.Sprintf("a result of %s (call %s)", mcpproxy.ToolName(o.Server, o.Tool), o.CallID)
	}
	if source == mcpproxy.FromInjected {
		return fmt.Sprintf("The %s %s was named by an instruction hidden in %s.", what, d.Value, where)
	}
	return fmt.Sprintf("The %s %s was named in %s, which strangers may have written.", what, d.Value, where)
}
