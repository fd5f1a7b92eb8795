package flow_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
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

// attaches sends one message for each document. It returns those for which the server is known that they come from.
func (a *agent) attaches(names ...string) (from []string) {
	a.t.Helper()
	for _, name := range names {
		for _, e := range a.mails("mail", fmt.Sprintf(`{"to":"a@x.example","attachments":[%q]}`, name)).Edges {
			if e.Match == "attached" {
				from = append(from, e.From.Server+" "+name)
			}
		}
	}
	slices.Sort(from)
	return from
}

func TestWhatWasReadByNameIsKnownAfterARestartAndInAnotherProcess(t *testing.T) {
	const memo = `{"text":"Open at 200 percent, walk away at 125."}`
	l := limits
	l.MaxOrigins = 4
	a := newAgent(t, l).in("mcp:alice:1", "alice")
	a.opens("vault", internal, `{"id":"d-first"}`, memo)
	a.opens("vault", internal, `{"path":"/a/Second.pdf"}`, `{"text":"Nothing that anybody would look for."}`)
	for i := range 5 { // the session forgets the first documents, but not their names
		a.opens("wiki", internal, fmt.Sprintf(`{"id":"page-%d"}`, i), fmt.Sprintf(`{"text":"Page number %d of the manual."}`, i))
	}
	a.in("hook:h", "alice").opens("drive", internal, `{"id":"d-joined"}`, `{"text":"A document of a session that is joined."}`)
	a.tracker.Join("hook:h", "mcp:alice:1")
	names := []string{"d-first", "second.pdf", "page-4", "d-joined", "d-unknown"}
	want := []string{"drive d-joined", "vault d-first", "vault second.pdf", "wiki page-4"}
	there := newAgent(t, l)
	handedOver(t, a, there)
	again := newAgent(t, l) // a second time, with what the other process has written
	handedOver(t, there.in("mcp:alice:1", "alice"), again)
	for what, b := range map[string]*agent{
		"before":                   a,
		"after a restart":          restarted(t, snapshot(t, a)).in("mcp:alice:1", "alice"),
		"in another process":       there.in("mcp:alice:1", "alice"),
		"in the one that follows":  again.in("mcp:alice:1", "alice"),
		"after it has also closed": restarted(t, snapshot(t, again)).in("mcp:alice:1", "alice"),
	} {
		if got := b.attaches(names...); !slices.Equal(got, want) {
			t.Errorf("%s, the documents %q are known, want %q", what, got, want)
		}
	}
	if raw := snapshot(t, a); bytes.Contains(raw, []byte("second.pdf")) {
		t.Error("a snapshot has the names in clear")
	}
}

func TestTheNamesOfDocumentsInASnapshotAreBounded(t *testing.T) {
	l := limits
	l.MaxOrigins = 2
	a := newAgent(t, l)
	size := func() int { return len(snapshot(t, a)) }
	page := func(i int) {
		a.opens("wiki", internal, fmt.Sprintf(`{"id":"page-%d"}`, i), `{"text":"The manual."}`)
	}
	for i := range 10 {
		page(i)
	}
	before := size()
	for i := range 700 {
		page(i)
	}
	if more := size() - before; more > 40<<10 {
		t.Errorf("700 names take %d bytes", more)
	}
	b := restarted(t, snapshot(t, a))
	if got := b.attaches("page-699", "page-640", "page-3"); !slices.Equal(got, []string{"wiki page-640", "wiki page-699"}) {
		t.Errorf("%q are known; want the last two", got)
	}
}

func TestNamesOfDocumentsThatCannotBeAreAnError(t *testing.T) {
	for name, body := range map[string]string{
		"of no origin": `{"names":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJ"}`,
		"half a row":   `{"names":"AAAAAAAAAAAA"}`,
		"no JSON":      `{`,
	} {
		frames := fmt.Sprintf("\x07session\x02{}\x08attached%c%s\x03end\x00", len(body), body)
		if _, err := newAgent(t, limits).tracker.Load(strings.NewReader(frames)); err == nil {
			t.Errorf("names %s are taken", name)
		}
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
