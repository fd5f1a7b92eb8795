package policy_test

import (
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// careful returns the standard tables with decisions about destinations.
func careful() policy.Tables {
	t := standard()
	t.DeclaredDestination = mcpproxy.Allow
	t.UntrustedDestination = mcpproxy.Ask
	t.InjectedDestination = mcpproxy.Deny
	return t
}

// to adds a destination and sets it as the source of the edges' destination.
func to(value string, source mcpproxy.DestinationSource) func(*policy.Facts) {
	return toKind("email", value, source)
}

func toKind(kind, value string, source mcpproxy.DestinationSource) func(*policy.Facts) {
	return func(f *policy.Facts) {
		f.Destinations = append(f.Destinations, mcpproxy.Destination{
			Value:  value,
			Kind:   kind,
			Source: source,
			From:   &mcpproxy.Origin{CallID: "call-7", Server: "web", Tool: "fetch"},
		})
		for i := range f.Edges {
			f.Edges[i].Destination = source
		}
	}
}

func met(change func(*mcpproxy.Legs, *mcpproxy.Leg)) func(*policy.Facts) {
	return func(f *policy.Facts) { change(&f.Legs, &mcpproxy.Leg{CallID: "call-7", Name: "web:fetch"}) }
}

var (
	strangers   = met(func(l *mcpproxy.Legs, leg *mcpproxy.Leg) { l.Untrusted = leg })
	instruction = met(func(l *mcpproxy.Legs, leg *mcpproxy.Leg) { l.Untrusted, l.Injected = leg, leg })
)

func TestDestinations(t *testing.T) {
	data := edge("db", "mail")
	for name, c := range map[string]struct {
		facts policy.Facts
		want  mcpproxy.Decision
		rule  string
	}{
		"data to a destination of the user":                                  {facts(data, to("a@b.cd", mcpproxy.FromUser)), mcpproxy.Allow, ""},
		"a secret to a destination of the user":                              {facts(sensitive(data, "api_token"), to("a@b.cd", mcpproxy.FromUser)), mcpproxy.Deny, policy.RuleSensitive},
		"data to a destination that nobody named":                            {facts(data, to("a@b.cd", mcpproxy.FromNowhere)), mcpproxy.Ask, policy.RuleExternal},
		"data to a destination of the user's records":                        {facts(data, to("a@b.cd", mcpproxy.FromInternal)), mcpproxy.Warn, policy.RuleExternal},
		"data to a destination of the user's records, after strangers' text": {facts(data, to("a@b.cd", mcpproxy.FromInternal), strangers), mcpproxy.Ask, policy.RuleExternal},
		"data to a destination of strangers":                                 {facts(data, to("a@b.cd", mcpproxy.FromUntrusted)), mcpproxy.Ask, policy.RuleUntrusted},
		"data to a destination of an instruction":                            {facts(data, to("a@b.cd", mcpproxy.FromInjected)), mcpproxy.Deny, policy.RuleInjected},
		"no data to a destination of strangers":                              {facts(to("a@b.cd", mcpproxy.FromUntrusted), strangers), mcpproxy.Allow, ""},
		"no data to a destination of an instruction":                         {facts(to("a@b.cd", mcpproxy.FromInjected), instruction), mcpproxy.Deny, policy.RuleInjected},
		"an instruction's page is fetched": {facts(class(mcpproxy.Internal, false), operation(mcpproxy.Read),
			toKind("url", "https://a.example", mcpproxy.FromInjected)), mcpproxy.Deny, policy.RuleInjected},
		"the user's data about a person whom an instruction named is read": {facts(class(mcpproxy.Internal, false), operation(mcpproxy.Read),
			to("a@b.cd", mcpproxy.FromInjected)), mcpproxy.Allow, ""},
		"the user's data that an instruction named is changed": {facts(class(mcpproxy.Internal, false),
			toKind("argument", "13", mcpproxy.FromInjected)), mcpproxy.Ask, policy.RuleInjected},
		"a send to an unknown destination, after an instruction":    {facts(to("a@b.cd", mcpproxy.FromNowhere), instruction), mcpproxy.Ask, policy.RuleUntrusted},
		"a send without destination, after an instruction":          {facts(instruction), mcpproxy.Ask, policy.RuleUntrusted},
		"a send to a destination of the user, after an instruction": {facts(to("a@b.cd", mcpproxy.FromUser), instruction), mcpproxy.Allow, ""},
		"a search, after an instruction":                            {facts(operation(mcpproxy.Read), instruction), mcpproxy.Allow, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tables := careful()
			got := tables.Decide(c.facts)
			if got.Decision != c.want || got.Rule != c.rule {
				t.Errorf("%+v, want %s by %q", got, c.want, c.rule)
			}
		})
	}
}

// Blocking the sender of an injected instruction, as the user asks, does not obey the instruction.
func TestBlockingTheSenderOfAnInstructionIsNotObeyingIt(t *testing.T) {
	for _, c := range []struct {
		blocks bool
		wish   mcpproxy.Wish
		want   mcpproxy.Decision
	}{
		{true, mcpproxy.WishYes, mcpproxy.Allow},
		{true, mcpproxy.WishNo, mcpproxy.Deny},
		{false, mcpproxy.WishYes, mcpproxy.Deny},
	} {
		f := facts(to("evil.example", mcpproxy.FromInjected))
		f.Blocks, f.Wish = c.blocks, c.wish
		tables := careful()
		if got := tables.Decide(f); got.Decision != c.want {
			t.Errorf("blocks %v, wish %s: %+v, want %s", c.blocks, c.wish, got, c.want)
		}
	}
}

// Every decision follows the configuration where it is stricter or milder than the default.
func TestConfiguredDecisionsAboutDestinations(t *testing.T) {
	data := edge("db", "mail")
	tables := careful()
	tables.InternalToExternal, tables.DeclaredDestination = mcpproxy.Deny, mcpproxy.Warn
	tables.UntrustedDestination, tables.InjectedDestination = mcpproxy.Deny, mcpproxy.Warn
	for source, want := range map[mcpproxy.DestinationSource]mcpproxy.Decision{
		mcpproxy.FromUser:      mcpproxy.Warn,
		mcpproxy.FromInternal:  mcpproxy.Deny,
		mcpproxy.FromNowhere:   mcpproxy.Deny,
		mcpproxy.FromUntrusted: mcpproxy.Deny,
		mcpproxy.FromInjected:  mcpproxy.Warn,
	} {
		if got := tables.Decide(facts(data, to("a@b.cd", source))); got.Decision != want {
			t.Errorf("%s: %+v, want %s", source, got, want)
		}
	}
}

func TestReasonsNameTheDestinationAndWhoChoseIt(t *testing.T) {
	tables := careful()
	for _, c := range []struct {
		facts policy.Facts
		want  string
	}{
		{facts(to("mallory@example.org", mcpproxy.FromInjected)),
			"The destination mallory@example.org was named by an instruction hidden in a result of web:fetch (call call-7)."},
		{facts(edge("db", "mail"), to("mallory@example.org", mcpproxy.FromUntrusted)),
			"The destination mallory@example.org was named in a result of web:fetch (call call-7), which strangers may have written."},
		{facts(to("ann@example.org", mcpproxy.FromNowhere), instruction),
			"Neither the user nor a trusted result named the destination (ann@example.org)"},
	} {
		if got := tables.Decide(c.facts).Reason; !strings.Contains(got, c.want) {
			t.Errorf("%q lacks %q", got, c.want)
		}
	}
}
