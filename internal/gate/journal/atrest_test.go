package journal_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
)

// Personal data that is not masked everywhere.
const (
	callMail   = "jane.miller@mail.acme-corp.net"
	resultMail = "omar.haddad@clinic-north.org"
)

// personalEntry returns a call to callMail wherever possible, and a result with both addresses.
func personalEntry(t *testing.T, decision mcpproxy.Decision) journal.Entry {
	in := inspector(t)
	call := &mcpproxy.Call{
		ID:        "01JD0000000000000000000000",
		Received:  time.Now(),
		Channel:   mcpproxy.ChannelMCP,
		Kind:      mcpproxy.KindTool,
		Server:    "mail",
		Tool:      "send/" + callMail,
		RequestID: callMail,
		Principal: "ops@acme-corp.net", // the caller is not masked
		Intent:    mcpproxy.Intent{Reason: "to tell " + callMail},
		Arguments: []byte(`{"to":"` + callMail + `","text":"the key is ` + callKey + `","` + callMail + `":"x"}`),
	}
	raw := []byte(`{"content":[{"type":"text","text":"copied to ` + resultMail + `, sent to ` + callMail + `"}]}`)
	return journal.Entry{
		Seen:    in.Call(call, nil),
		Verdict: mcpproxy.Verdict{Decision: decision, Reason: "it goes to " + callMail, ID: call.ID},
		AtRest:  atrest.New(bytes.Repeat([]byte{7}, 32)),
		Brought: &journal.Brought{
			Reading: in.Result(call, raw, nil, false),
			Result:  &mcpproxy.Result{Raw: raw},
		},
	}
}

// Shows: RFC-29.
func TestNoPersonalDataIsInTheClearAtRest(t *testing.T) {
	for _, decision := range []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Deny} {
		log, said := &ledgertest.Memory{}, []*mcpproxy.Record{}
		j := journal.New(log, func(e journal.Event) { said = append(said, e.Record) })
		ctx, e := context.Background(), personalEntry(t, decision)
		before := e
		before.Brought = nil
		j.Begun(before)
		j.Stopped(ctx, before)
		j.Sent(ctx, e)
		j.Announced(ctx, before, journal.Report{Agent: "a", Event: "before"})
		j.Observed(ctx, e, journal.Report{Agent: "a", Event: "after", Detail: map[string]any{"for": callMail}})
		j.Notified(ctx, before, journal.Report{Agent: "a", Event: "start"})
		call := *e.Seen.Call()
		j.Reject(inspector(t), e.AtRest, &call, "no tool is called "+callMail)
		for _, r := range append(log.Records(), said...) {
			line := text(t, r)
			for _, value := range []string{callMail, resultMail, "jane", "omar", callKey} {
				if strings.Contains(line, value) {
					t.Errorf("%s: %s holds %s: %.600s", decision, r.Type, value, line)
				}
			}
		}
		for _, r := range log.Records() {
			if len(log.Records()) != 6 || r.Principal != "ops@acme-corp.net" {
				t.Errorf("%d records, the caller is %q", len(log.Records()), r.Principal)
			}
		}
	}
}

func TestTheOwnerCanReadTheRecordAsItWas(t *testing.T) {
	log := &ledgertest.Memory{}
	e := personalEntry(t, mcpproxy.Allow)
	journal.New(log, nil).Sent(context.Background(), e)
	sealed := log.Records()[0]
	bare := e
	bare.AtRest = nil
	journal.New(log, nil).Sent(context.Background(), bare)
	plain, opened := log.Records()[1], e.AtRest.Open(sealed)
	for what, pair := range map[string][2]string{
		"arguments": {string(opened.Arguments), string(plain.Arguments)},
		"response":  {string(opened.Response), string(plain.Response)},
		"reason":    {opened.Metadata.Reason, plain.Metadata.Reason},
	} {
		if pair[0] != pair[1] || !strings.Contains(pair[0], callMail) {
			t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
		}
	}
	if opened.Metadata.PersonalMasked || !sealed.Metadata.PersonalMasked || strings.Contains(text(t, opened), callKey) {
		t.Errorf("opened as %s", text(t, opened))
	}
	if s, err := ledger.Seal("", sealed); err != nil {
		t.Error(err)
	} else if _, problem := s.Examine(1, ledger.Keys{}); problem != "" {
		t.Error(problem)
	}
}

func TestARecordOfTheProxyItselfIsMaskedToo(t *testing.T) {
	by := atrest.New(nil)
	r := &mcpproxy.Record{
		Type:         mcpproxy.RecordApproval,
		ErrorMessage: "nobody answered about " + callMail,
		Metadata:     mcpproxy.Metadata{Detail: map[string]any{"to": callMail, "n": 3, "by": "oidc/ann@acme.example"}},
	}
	got := journal.Sealed(inspector(t), by, r)
	if line := text(t, got); strings.Contains(line, callMail) || !strings.Contains(line, `"n":3`) ||
		!strings.Contains(line, "oidc/ann@acme.example") { // who decided

		t.Errorf("written as %s", line)
	}
	if r.Metadata.Detail["to"] != callMail {
		t.Error("the record itself was changed")
	}
	if journal.Sealed(inspector(t), nil, r) != r {
		t.Error("the record was changed although nothing is to be masked")
	}
}
