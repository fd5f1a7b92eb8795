package risk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/risk"
)

func ExampleContradictions() {
	for _, c := range risk.Contradictions(risk.Claims{Tool: "delete_file", Operation: mcpproxy.Read, Name: mcpproxy.Destructive}) {
		fmt.Println(c.Severity, c.Action, c.Explanation)
	}
	// Output:
	// 80 deny The agent says that the call only reads, but the tool's name "delete_file" says that it destroys.
}

// short formats a contradiction in one line.
func short(r mcpproxy.ContradictionResult) string {
	s := fmt.Sprintf("%s=%s %s=%s %d %s", r.Signal1, r.Claim1, r.Signal2, r.Claim2, r.Severity, r.Action)
	if r.Quarantine {
		s += " quarantine"
	}
	return s
}

func inLines(all []mcpproxy.ContradictionResult) []string {
	var out []string
	for _, r := range all {
		out = append(out, short(r))
	}
	return out
}

// Shows: RFC-7, RFC-9, RFC-10.
func TestTheMatrixAndWhatItImplies(t *testing.T) {
	const read, write, destroy = mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive
	for _, c := range []struct {
		name   string
		claims risk.Claims
		want   []string
	}{
		{"row 1: reading by the agent, deleting by the name", risk.Claims{Operation: read, Name: destroy},
			[]string{"agent_intent=read name_heuristic=destructive 80 deny"}},
		{"row 2: reading by the agent, force in the arguments", risk.Claims{Operation: read, Forces: "force=true"},
			[]string{"agent_intent=read argument_analysis=destructive 70 deny"}},
		{"row 3: only reading by the server, destroying by the agent", risk.Claims{ReadOnly: true, Operation: destroy},
			[]string{"server_annotation=read_only agent_intent=destructive 90 deny quarantine"}},
		{"row 4: public by the agent, personal by what is found", risk.Claims{Sensitivity: "public", Personal: "us_ssn"},
			[]string{"agent_intent=public pii_detection=sensitive_data 50 ask"}},
		{"row 5: reading by the agent, handing over by the arguments", risk.Claims{Operation: read, External: "evil.example"},
			[]string{"agent_intent=read external_url=external_send 75 deny"}},

		{"row 3, where the name reads: the agent errs", risk.Claims{ReadOnly: true, Operation: destroy, Name: read},
			[]string{"server_annotation=read_only agent_intent=destructive 90 deny"}},
		{"row 3, where the name reads and the arguments destroy", risk.Claims{
			ReadOnly:  true,
			Operation: destroy,
			Name:      read,
			Destroys:  "drop table",
		},
			[]string{"server_annotation=read_only agent_intent=destructive 90 deny quarantine",
				"server_annotation=read_only argument_analysis=destructive 85 deny", "name_heuristic=read argument_analysis=destructive 65 ask"}},
		{"row 2, where name and server vouch for it", risk.Claims{
			Operation: read,
			Forces:    "force=true",
			ReadOnly:  true,
			Name:      read,
		},
			[]string{"agent_intent=read argument_analysis=destructive 70 warn"}},
		{"row 2, where only the name does", risk.Claims{Operation: read, Forces: "force=true", Name: read},
			[]string{"agent_intent=read argument_analysis=destructive 70 deny"}},

		{"only reading by the server, deleting by the name", risk.Claims{ReadOnly: true, Name: destroy},
			[]string{"server_annotation=read_only name_heuristic=destructive 85 deny"}},
		{"only reading by the server, destroying by the arguments", risk.Claims{ReadOnly: true, Destroys: "drop table"},
			[]string{"server_annotation=read_only argument_analysis=destructive 85 deny"}},
		{"only reading by the server, writing by the name", risk.Claims{ReadOnly: true, Name: write},
			[]string{"server_annotation=read_only name_heuristic=write 45 warn"}},
		{"only reading by the server, writing by the arguments", risk.Claims{ReadOnly: true, Writes: "insert"},
			[]string{"server_annotation=read_only argument_analysis=write 45 warn"}},
		{"reading by the name, destroying by the arguments", risk.Claims{Name: read, Destroys: "drop table"},
			[]string{"name_heuristic=read argument_analysis=destructive 65 ask"}},
		{"reading by the agent, destroying by the server", risk.Claims{Operation: read, Destructive: true},
			[]string{"agent_intent=read server_annotation=destructive 60 ask"}},
		{"the same where the name reads", risk.Claims{Operation: read, Destructive: true, Name: read},
			[]string{"agent_intent=read server_annotation=destructive 60 warn"}},
		{"reading by the agent, writing by the name", risk.Claims{Operation: read, Name: write},
			[]string{"agent_intent=read name_heuristic=write 55 ask"}},
		{"reading by the agent, writing by the arguments", risk.Claims{Operation: read, Writes: "insert"},
			[]string{"agent_intent=read argument_analysis=write 55 ask"}},
		{"writing by the agent, deleting by the name", risk.Claims{Operation: write, Name: destroy},
			[]string{"agent_intent=write name_heuristic=destructive 50 ask"}},
		{"writing by the agent, destroying by the arguments", risk.Claims{Operation: write, Destroys: "drop table"},
			[]string{"agent_intent=write argument_analysis=destructive 50 ask"}},
		{"inside by the agent, outside by the recipient", risk.Claims{Destination: "internal", Outside: "a@evil.example"},
			[]string{"agent_intent=internal actual_destination=external 75 deny"}},
		{"inside by the agent, outside by the service", risk.Claims{Destination: "internal", Reaches: "slack:post"},
			[]string{"agent_intent=internal actual_destination=external_send 60 ask"}},
		{"the same where all recipients are inside", risk.Claims{Destination: "internal", Reaches: "mail:send", Contacts: true},
			[]string{"agent_intent=internal actual_destination=external_send 60 warn"}},

		{"all at once, the gravest first", risk.Claims{
			Operation: read,
			Name:      destroy,
			ReadOnly:  true,
			External:  "evil.example",
			Forces:    "force=true",
		},
			[]string{"server_annotation=read_only name_heuristic=destructive 85 deny", "agent_intent=read name_heuristic=destructive 80 deny",
				"agent_intent=read external_url=external_send 75 deny", "agent_intent=read argument_analysis=destructive 70 deny"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, inLines(risk.Contradictions(c.claims))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// operations and the other values of each claim; the first is no claim.
var (
	operations = []mcpproxy.Operation{
		"",
		mcpproxy.UnknownOperation,
		mcpproxy.Read,
		mcpproxy.Write,
		mcpproxy.Destructive,
	}
	sensitivities = []string{"", "unknown", "public", "internal", "private"}
	targets       = []string{"", "internal", "external"}
)

// Each pair of claims alone: claims that agree, and missing claims, are no contradiction.
func TestEveryPairOfClaims(t *testing.T) {
	agent := map[string]risk.Claims{}
	for _, op := range operations {
		agent["agent "+string(op)] = risk.Claims{Operation: op}
	}
	for _, s := range sensitivities {
		agent["data "+s] = risk.Claims{Sensitivity: s}
	}
	for _, d := range targets {
		agent["to "+d] = risk.Claims{Destination: d}
	}
	others := map[string]func(*risk.Claims){
		"server reads":    func(c *risk.Claims) { c.ReadOnly = true },
		"server destroys": func(c *risk.Claims) { c.Destructive = true },
		"destroys":        func(c *risk.Claims) { c.Destroys = "x" },
		"forces":          func(c *risk.Claims) { c.Forces = "x" },
		"writes":          func(c *risk.Claims) { c.Writes = "x" },
		"personal":        func(c *risk.Claims) { c.Personal = "x" },
		"hands over":      func(c *risk.Claims) { c.External = "x" },
		"outside":         func(c *risk.Claims) { c.Outside = "x" },
		"service":         func(c *risk.Claims) { c.Reaches = "x" },
		"contacts":        func(c *risk.Claims) { c.Contacts = true },
	}
	for _, op := range operations {
		others["name "+string(op)] = func(c *risk.Claims) { c.Name = op }
	}
	disagree := map[string]int{
		"agent read × name destructive":    80,
		"agent read × name write":          55,
		"agent write × name destructive":   50,
		"agent read × destroys":            70,
		"agent read × forces":              70,
		"agent read × writes":              55,
		"agent write × destroys":           50,
		"agent read × hands over":          75,
		"agent read × server destroys":     60,
		"agent destructive × server reads": 90,
		"data public × personal":           50,
		"to internal × outside":            75,
		"to internal × service":            60,
	}
	met := 0
	for said, claims := range agent {
		for other, add := range others {
			c := claims
			add(&c)
			want := disagree[said+" × "+other]
			got := risk.Contradictions(c)
			switch {
			case want == 0 && len(got) > 0:
				t.Errorf("%s × %s: %v", said, other, inLines(got))
			case want > 0 && (len(got) != 1 || got[0].Severity != want):
				t.Errorf("%s × %s: %v, want %d", said, other, inLines(got), want)
			case want > 0:
				met++
			}
		}
	}
	if met != len(disagree) {
		t.Errorf("%d of %d pairs disagree", met, len(disagree))
	}
}

// drawn draws any claims.
func drawn(t *rapid.T) risk.Claims {
	text := rapid.SampledFrom([]string{"", "x"})
	return risk.Claims{
		Tool:        "t",
		Operation:   rapid.SampledFrom(operations).Draw(t, "operation"),
		Sensitivity: rapid.SampledFrom(sensitivities).Draw(t, "sensitivity"),
		Destination: rapid.SampledFrom(targets).Draw(t, "destination"),
		ReadOnly:    rapid.Bool().Draw(t, "read only"),
		Destructive: rapid.Bool().Draw(t, "destructive"),
		Name:        rapid.SampledFrom(operations).Draw(t, "name"),
		Destroys:    text.Draw(t, "destroys"),
		Forces:      text.Draw(t, "forces"),
		Writes:      text.Draw(t, "writes"),
		Personal:    text.Draw(t, "personal"),
		External:    text.Draw(t, "external"),
		Outside:     text.Draw(t, "outside"),
		Reaches:     text.Draw(t, "reaches"),
		Contacts:    rapid.Bool().Draw(t, "contacts"),
	}
}

// silences remove one claim each.
var silences = []func(*risk.Claims){
	func(c *risk.Claims) { c.Operation = "" },
	func(c *risk.Claims) { c.Sensitivity = "" },
	func(c *risk.Claims) { c.Destination = "" },
	func(c *risk.Claims) { c.ReadOnly = false },
	func(c *risk.Claims) { c.Destructive = false },
	func(c *risk.Claims) { c.Name = "" },
	func(c *risk.Claims) { c.Destroys = "" },
	func(c *risk.Claims) { c.Forces = "" },
	func(c *risk.Claims) { c.Writes = "" },
	func(c *risk.Claims) { c.Personal = "" },
	func(c *risk.Claims) { c.External = "" },
	func(c *risk.Claims) { c.Outside = "" },
	func(c *risk.Claims) { c.Reaches = "" },
	func(c *risk.Claims) { c.Contacts = false },
}

func TestAnAdditionalClaimNeverRemovesAContradiction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		more := drawn(t)
		less := more
		rapid.SampledFrom(silences).Draw(t, "silence")(&less)
		all := risk.Contradictions(more)
		for _, r := range risk.Contradictions(less) {
			same := func(o mcpproxy.ContradictionResult) bool {
				return o.Signal1 == r.Signal1 && o.Signal2 == r.Signal2 && o.Claim1 == r.Claim1 &&
					o.Claim2 == r.Claim2 &&
					o.Severity == r.Severity
			}
			if !slices.ContainsFunc(all, same) {
				t.Fatalf("%+v: %s is gone from %v", more, short(r), inLines(all))
			}
		}
	})
}

func TestContradictionsAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := risk.Contradictions(drawn(t))
		for i, r := range all {
			switch {
			case r.Signal1 == r.Signal2,
				r.Claim1 == r.Claim2,
				!strings.HasSuffix(r.Explanation, "."),
				r.Severity < 1 || r.Severity > 100:
				t.Fatalf("%+v", r)
			case r.Action != mcpproxy.Warn && r.Action != mcpproxy.Ask && r.Action != mcpproxy.Deny:
				t.Fatalf("%s", r.Action)
			case r.Severity == 50 && r.Action == mcpproxy.Deny:
				t.Fatal("what requires approval is never denied")
			case r.Quarantine && (r.Signal1 != risk.ServerAnnotation || r.Action != mcpproxy.Deny):
				t.Fatalf("%+v is no lie of the server's", r)
			case i > 0 && all[i-1].Severity < r.Severity:
				t.Fatalf("not in order: %v", inLines(all))
			}
		}
	})
}

func TestASignalWithoutAClaimContradictsNothing(t *testing.T) {
	for name, c := range map[string]risk.Claims{
		"nothing at all":   {},
		"the agent alone":  {Operation: mcpproxy.Read, Sensitivity: "public", Destination: "internal"},
		"the server alone": {ReadOnly: true},
		"the name alone":   {Name: mcpproxy.Destructive},
		"the call alone": {
			Destroys: "x",
			Forces:   "x",
			Writes:   "x",
			Personal: "x",
			External: "x",
			Outside:  "x",
			Reaches:  "x",
		},
	} {
		if got := risk.Contradictions(c); len(got) > 0 {
			t.Errorf("%s: %v", name, inLines(got))
		}
	}
}

// Shows: RFC-6.
func TestWhatContradictionsCountFor(t *testing.T) {
	for _, c := range []struct {
		name   string
		claims risk.Claims
		want   mcpproxy.Signal
	}{
		{"a name against an agent", risk.Claims{Operation: mcpproxy.Read, Name: mcpproxy.Destructive},
			mcpproxy.Signal{
				Source:     mcpproxy.SourceStatic,
				Category:   "agent_intent_name_heuristic",
				Severity:   mcpproxy.SeverityHigh,
				Confidence: 0.8,
			}},
		{"arguments against a server", risk.Claims{ReadOnly: true, Destroys: "x"},
			mcpproxy.Signal{
				Source:     mcpproxy.SourceStatic,
				Category:   "server_annotation_argument_analysis",
				Severity:   mcpproxy.SeverityCritical,
				Confidence: 0.9,
			}},
		{"an agent's word against a server's", risk.Claims{Operation: mcpproxy.Destructive, ReadOnly: true},
			mcpproxy.Signal{
				Source:     mcpproxy.SourceAgentHint,
				Category:   "server_annotation_agent_intent",
				Severity:   mcpproxy.SeverityCritical,
				Confidence: 0.6,
			}},
		{"a slight one", risk.Claims{ReadOnly: true, Writes: "x"},
			mcpproxy.Signal{
				Source:     mcpproxy.SourceStatic,
				Category:   "server_annotation_argument_analysis",
				Severity:   mcpproxy.SeverityLow,
				Confidence: 0.9,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := risk.ContradictionSignals(risk.Contradictions(c.claims))
			if len(got) != 1 {
				t.Fatalf("%v", got)
			}
			if got[0].Kind != mcpproxy.KindContradiction || got[0].Evidence == "" {
				t.Errorf("%+v", got[0])
			}
			got[0].Kind, got[0].Evidence = "", ""
			if diff := cmp.Diff(c.want, got[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}
