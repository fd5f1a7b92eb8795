package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/state/memory"
)

// Keys that the detector recognises, in the call and in its result.
const (
	callKey   = "AKIAZ7VR4QDWN6XKPLTM"
	resultKey = "AKIAQ5TN3WBEX7HJMRVC"
)

// detector is shared, because compiling its rules takes long.
var detector = sync.OnceValue(func() *detect.Detector { return detect.New(detect.Rules()) })

func inspector(t testing.TB) *inspect.Inspector {
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	t.Cleanup(sessions.Close)
	tracker := flow.New(sessions, flow.Limits{Enabled: true, MaxOrigins: 100, MinLength: 20})
	return inspect.New(inspect.Settings{
		Classifier: classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Detector:   detector(),
		Guard:      selfguard.New(selfguard.Protected{}),
	}, tracker)
}

// entry returns a call with callKey wherever possible, and a result with both keys.
func entry(t *testing.T, decision mcpproxy.Decision) journal.Entry {
	in := inspector(t)
	call := &mcpproxy.Call{
		ID:        "01JD0000000000000000000000",
		Received:  time.Now(),
		Channel:   mcpproxy.ChannelMCP,
		Kind:      mcpproxy.KindTool,
		Server:    "slack",
		Tool:      "post/" + callKey,
		RequestID: callKey,
		Intent:    mcpproxy.Intent{Reason: "to tell " + callKey},
		Arguments: []byte(`{"url":"https://example.org/` + callKey + `","text":"` + callKey + `"}`),
	}
	raw := []byte(`{"content":[{"type":"text","text":"` + resultKey + ` for ` + callKey + `"}]}`)
	return journal.Entry{
		Seen: in.Call(call, nil),
		Verdict: mcpproxy.Verdict{
			Decision: decision,
			Rule:     policy.RuleContent,
			Reason:   "because of " + callKey,
			ID:       call.ID,
		},
		Endpoint: "https://example.org/" + callKey,
		Flagged:  true,
		Brought: &journal.Brought{
			Reading: in.Result(call, raw, nil, false),
			Result:  &mcpproxy.Result{Raw: raw},
		},
	}
}

// Shows: RFC-29.
func TestNoSecretReachesTheLogOrAnEvent(t *testing.T) {
	for _, decision := range []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Deny} {
		log, said := &ledgertest.Memory{}, map[string][]*mcpproxy.Record{}
		publish := func(e journal.Event) { said[e.Name] = append(said[e.Name], e.Record) }
		j, ctx := journal.New(log, publish), context.Background()
		e := entry(t, decision)
		before := e
		before.Brought = nil
		j.Begun(before)
		j.Stopped(ctx, before)
		j.Sent(ctx, e)
		j.Announced(ctx, before, journal.Report{Agent: "a", Event: "before"})
		j.Observed(ctx, e, journal.Report{Agent: "a", Event: "after"})
		j.Notified(ctx, before, journal.Report{Agent: "a", Event: "start"})
		call := *e.Seen.Call()
		j.Reject(inspector(t), nil, &call, "no tool is called "+callKey)
		if said["the log"] = log.Records(); len(said["the log"]) != 6 || len(said) < 4 {
			t.Errorf("%s: %d records, events %q", decision, len(said["the log"]), slices.Collect(maps.Keys(said)))
		}
		for where, records := range said {
			for _, r := range records {
				if line := text(t, r); strings.Contains(line, callKey) || strings.Contains(line, resultKey) {
					t.Errorf("%s: %s holds a key: %s", decision, where, line)
				}
			}
		}
	}
}

// text returns a record as it is written.
func text(t *testing.T, r *mcpproxy.Record) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestAStopIsOnDiskBeforeItIsPublished(t *testing.T) {
	for name, write := range map[string]func(*journal.Journal, journal.Entry) bool{
		"a call":   func(j *journal.Journal, e journal.Entry) bool { return j.Stopped(context.Background(), e) },
		"a result": func(j *journal.Journal, e journal.Entry) bool { return j.Sent(context.Background(), e) },
		"a hook's call": func(j *journal.Journal, e journal.Entry) bool {
			return j.Announced(context.Background(), e, journal.Report{})
		},
	} {
		log, published := &ledgertest.Memory{}, 0
		j := journal.New(log, func(e journal.Event) {
			if published++; len(log.Durable()) != 1 {
				t.Errorf("%s: %s is published and not on disk", name, e.Name)
			}
		})
		e := entry(t, mcpproxy.Deny)
		if !write(j, e) || published == 0 || len(log.Records()) != 1 {
			t.Errorf("%s: %d events, %d records", name, published, len(log.Records()))
		}
		if log.Fail(errors.New("the disk is full")); write(j, e) {
			t.Errorf("%s: a record that could not be written counts as written", name)
		}
	}
}

func TestWhatAnAgentReadsIsMasked(t *testing.T) {
	e := entry(t, mcpproxy.Deny)
	if got := journal.Masked(e.Seen, "for "+callKey); strings.Contains(got, callKey) {
		t.Errorf("Masked: %q", got)
	}
	raw := []byte(`{"isError":true,"content":[{"type":"text","text":"` + resultKey + ` at /galaxy/x/y"}]}`)
	result := &mcpproxy.Result{Raw: raw, IsError: true}
	got := inspector(t).Result(e.Seen.Call(), raw, nil, false)
	if !journal.RedactError(e.Seen, result, got) || strings.Contains(string(result.Raw), resultKey) ||
		strings.Contains(string(result.Raw), "/galaxy") {
		t.Errorf("RedactError: %s", result.Raw)
	}
	if got := journal.ErrorText(e.Seen, "open /galaxy/x/y failed"); got != "open [path] failed" {
		t.Errorf("ErrorText: %q", got)
	}
}

// Whatever error a server returns, the agent and the log get valid JSON.
func FuzzAnErrorOfAServer(f *testing.F) {
	for _, raw := range []string{
		`{"code":-32042,"message":"see http://10.1.1.1/x","data":{"url":"https://login.example/x"}}`,
		`{"isError":true,"content":[{"type":"text","text":"{\"password\":\"hunter2horse\"}"}]}`,
		`{"code":1.5e3,"message":["/galaxy/x/y"]}`,
		`[]`,
		`null`,
		` `,
	} {
		f.Add(raw)
	}
	in := inspector(f)
	call := &mcpproxy.Call{
		Kind:      mcpproxy.KindTool,
		Server:    "db",
		Tool:      "query",
		Arguments: []byte(`{}`),
	}
	seen := in.Call(call, nil)
	f.Fuzz(func(t *testing.T, raw string) {
		log := &ledgertest.Memory{}
		result := &mcpproxy.Result{Raw: []byte(raw), IsError: true}
		got := &journal.Brought{Reading: in.Result(call, result.Raw, nil, false), Result: result}
		got.Redacted = journal.RedactError(seen, result, got.Reading)
		if json.Valid([]byte(raw)) && !json.Valid(result.Raw) {
			t.Errorf("%q became %q", raw, result.Raw)
		}
		e := journal.Entry{Seen: seen, Verdict: mcpproxy.Verdict{Decision: mcpproxy.Warn}, Brought: got}
		journal.New(log, nil).Sent(t.Context(), e)
		if len(log.Records()) != 1 {
			t.Fatalf("%q has %d records", raw, len(log.Records()))
		}
		text(t, log.Records()[0]) // fails if it cannot be written
	})
}
