package evaluate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/state/memory"
)

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "mcpproxy-hook":
		os.Exit(playHook())
	case "agent":
		os.Exit(playAgent())
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// rig is an evaluator in which every part is real, except the disk.
type rig struct {
	t        testing.TB
	eval     *evaluate.Evaluator
	gate     *gate.Gate
	tracker  *flow.Tracker
	sessions *memory.Store[*flow.Session]
	links    *flow.Correlator
	catalog  *catalog.Catalog
	ended    []string // ended flow sessions

	log *ledgertest.Memory

	mu     sync.Mutex
	events []string
}

// recorded returns the records so far.
func (r *rig) recorded() []*mcpproxy.Record { return r.log.Records() }

// last returns the last record, once everything is done.
func (r *rig) last() *mcpproxy.Record {
	r.t.Helper()
	r.eval.Close()
	all := r.recorded()
	if len(all) == 0 {
		r.t.Fatal("nothing was recorded")
	}
	return all[len(all)-1]
}

var defaults = evaluate.Settings{Enabled: true, FailOpen: true, AskFallback: mcpproxy.Deny}

// newRig returns a rig with one server: github, with the tools get_file and create_issue.
func newRig(t testing.TB) *rig {
	r := &rig{t: t, catalog: catalog.New()}
	s := gatetest.Settings()
	s.Tables.Contradiction, s.Tables.Risk = "", policy.Risk{}
	s.Limits = risk.Limits{CallsPerMinute: 3, Window: time.Minute}
	gated := gatetest.New(t, gatetest.WithSettings(s),
		gatetest.WithEnd(func(key string, _ *flow.Session) { r.ended = append(r.ended, key) }),
		gatetest.WithEvents(func(e journal.Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e.Name)
		}))
	r.gate, r.log = gated.Gate, gated.Log
	r.tracker = gated.Tracker
	r.sessions, r.links = gated.Sessions, gated.Links
	r.catalog.Set("github", []json.RawMessage{
		json.RawMessage(`{"name":"get_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`),
		json.RawMessage(
			`{"name":"create_issue","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`,
		),
	})
	r.catalog.Set("slack", []json.RawMessage{
		json.RawMessage(
			`{"name":"post_message","inputSchema":{"type":"object","properties":{"channel":{"type":"string"},"text":{"type":"string"}}}}`,
		),
	})
	r.eval = evaluate.New(evaluate.Sources{
		Gate:     r.gate,
		Tracker:  r.tracker,
		Sessions: r.sessions,
		Links:    r.links,
		Tool:     r.catalog.Tool,
		Servers:  func() []string { return []string{"mcpproxy", "github", "slack"} },
	}, defaults)
	if tt, ok := t.(*testing.T); ok {
		tt.Cleanup(r.eval.Close)
	}
	return r
}

// ask evaluates one payload.
func (r *rig) ask(agent, event, body string) evaluate.Answer {
	return r.eval.Evaluate(context.Background(), evaluate.Question{
		Agent:     agent,
		Event:     event,
		Body:      []byte(body),
		Principal: "local",
	})
}

// later is ask for an event that is answered before it is inspected.
func (r *rig) later(body string) evaluate.Answer {
	return r.eval.Evaluate(context.Background(), evaluate.Question{Body: []byte(body), Async: true, Principal: "local"})
}

// pre and post return Claude Code's payloads before and after a call.
func pre(session, call, tool, input string) string {
	return fmt.Sprintf(
		`{"session_id":%q,"transcript_path":"/t","cwd":"/w","hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":%q}`,
		session,
		tool,
		input,
		call,
	)
}

func post(session, call, tool, input, response string) string {
	return fmt.Sprintf(
		`{"session_id":%q,"transcript_path":"/t","cwd":"/w","hook_event_name":"PostToolUse","tool_name":%q,"tool_input":%s,"tool_response":%s,"tool_use_id":%q}`,
		session,
		tool,
		input,
		response,
		call,
	)
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Secrets, split so that no secret scanner reports this file.
const (
	awsKey     = "AKIA" + "Z7QX3MNB5TRD2WLK"
	connection = "postgres://app:" + "w0mbat-Tree-41@db.internal:5432/orders"
	prose      = "Revenue of the northern region fell by a third in the autumn, and nobody outside of this house is to know of it before May."
)
