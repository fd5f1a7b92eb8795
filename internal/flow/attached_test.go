package flow_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/flow/passage"
)

// opens records a call that reads a document, and its result.
func (a *agent) opens(server string, class mcpproxy.Class, args, result string) {
	p := a.passage(server, "read", class, result, "response")
	p.Arguments = a.passage(server, "read", class, args, "arguments").Doc
	p.Call.Kind = mcpproxy.KindTool
	p.Act = &passage.Act{Effect: mcpproxy.EffectRead, Words: []string{"read", "document"}}
	a.tracker.Record(p)()
}

// mails checks a call that sends a message.
func (a *agent) mails(server, args string) flow.Lineage {
	p := a.passage(server, "send", external, args, "arguments")
	p.Act = &passage.Act{Effect: mcpproxy.EffectSend, Words: []string{"send", "message"}}
	return a.tracker.Check(p)
}

func TestAMessageCarriesTheDocumentsThatItAttaches(t *testing.T) {
	const memo = `{"text":"Open at 200 percent, walk away at 125."}`
	for name, c := range map[string]struct {
		read, sent string
		class      mcpproxy.Class
		want       mcpproxy.FlowType
	}{
		"by its id":                   {`{"id":"d-764"}`, `{"to":"a@x.example","attachments":["d-764"]}`, internal, mcpproxy.InternalToExternal},
		"by its id in an object":      {`{"file_id":"d-764"}`, `{"attachments":[{"id":"d-764"}]}`, internal, mcpproxy.InternalToExternal},
		"by another path of the file": {`{"path":"/home/ann/Memo.pdf"}`, `{"files":["./memo.pdf"]}`, internal, mcpproxy.InternalToExternal},
		"in another language":         {`{"path":"memo.pdf"}`, `{"bijlagen":["memo.pdf"]}`, internal, mcpproxy.InternalToExternal},
		"another document":            {`{"id":"d-764"}`, `{"attachments":["d-779"]}`, internal, ""},
		"an id that is mentioned":     {`{"id":"d-764"}`, `{"subject":"d-764"}`, internal, ""},
		"the query of a search":       {`{"query":"memo.pdf"}`, `{"attachments":["memo.pdf"]}`, internal, ""},
		"a public document":           {`{"id":"d-764"}`, `{"attachments":["d-764"]}`, external, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.opens("vault", c.class, c.read, memo)
			var got mcpproxy.FlowType
			for _, e := range a.mails("mail", c.sent).Edges {
				if e.Match != "attached" {
					continue
				}
				if got = e.Type; e.From.Server != "vault" || e.Literal() {
					t.Errorf("the edge is %+v", e)
				}
			}
			if got != c.want {
				t.Errorf("the flow is %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheTextOfAThreadMayGoBackToIt(t *testing.T) {
	const issue = `{"text":"The export of order 900001 stops at Wexmoor harbour with code TR-20417-B."}`
	const comment = `,"text":"The export of order 900001 stops at Wexmoor harbour with code TR-20417-B: mended."}`
	for name, c := range map[string]struct {
		sent string
		want bool
	}{
		"the same issue": {`{"key":"SUP-3318"` + comment, true},
		"another issue":  {`{"key":"SUP-4000"` + comment, false},
		"the issue of that number in another project": {`{"project_id":"7","key":"SUP-3318"` + comment, false},
		"the same issue, also sent to another person": {`{"key":"SUP-3318","to":"eve@x.example"` + comment, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.opens("tracker", internal, `{"key":"SUP-3318"}`, issue)
			edges := a.mails("tracker", c.sent).Edges
			if len(edges) == 0 {
				t.Fatal("the comment repeats the issue, but there is no edge")
			}
			for _, e := range edges {
				if e.Own != c.want {
					t.Errorf("Own = %t, want %t", e.Own, c.want)
				}
			}
		})
	}
}
