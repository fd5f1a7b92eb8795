package replica

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/flow/passage"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/state/valkey"
	"mcpproxy/internal/state/valkey/valkeytest"
	"mcpproxy/internal/text"
)

// unasked is a desk without remembered answers.
type unasked struct{}

func (unasked) Versions(string) map[string]uint64           { return nil }
func (unasked) Save(string, string) ([]byte, uint64, error) { return nil, 0, nil }
func (unasked) Take(string, map[string][]byte) error        { return nil }
func (unasked) Dismiss(string)                              {}

// alices is a replica that serves the principal alice.
type alices struct {
	t       testing.TB
	tracker *flow.Tracker
	group   *Group
	held    *held
	calls   int
}

func newAlices(t testing.TB, server *valkeytest.Server, address string) *alices {
	t.Helper()
	store, err := valkey.New(valkey.Options{
		URL:     server.URL(),
		Key:     "a key of the group, of no value at all",
		Address: address,
		Idle:    time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	tracker := flow.New(sessions, flow.Limits{
		Enabled:    true,
		MaxOrigins: 10_000,
		MinLength:  20,
		MaxBytes:   65536,
	})
	g := New(store, tracker, Options{
		Kill:    func(valkey.Kill) {},
		Decided: func(context.Context, string) error { return nil },
		Answers: unasked{},
	})
	return &alices{
		t:       t,
		tracker: tracker,
		group:   g,
		held:    g.of("alice"),
	}
}

// claim waits until this replica serves alice.
func (a *alices) claim() {
	a.t.Helper()
	eventually.TrueWithin(a.t, 10*time.Second, "a claim", func() bool {
		_ = a.group.beat(a.t.Context())
		_, epoch, err := a.group.ask(a.t.Context(), "alice", a.held)
		return err == nil && epoch > 0
	})
}

// transfer is a call of alice that contains a text.
func (a *alices) transfer(side mcpproxy.Side, said, root string) flow.Transfer {
	a.t.Helper()
	doc, err := text.Parse([]byte(fmt.Sprintf(`{"text": %q}`, said)), root)
	if err != nil {
		a.t.Fatal(err)
	}
	a.calls++
	return flow.Transfer{
		Call: &mcpproxy.Call{
			ID:          fmt.Sprint("call-", a.calls),
			Server:      "echo",
			Tool:        "echo",
			FlowSession: "mcp:alice:1",
			Principal:   "alice",
		},
		Class: mcpproxy.Class{Side: side, CanReadData: side == mcpproxy.Internal, CanExfiltrate: side == mcpproxy.External},
		Doc:   doc,
	}
}

// reads records a result in alice's session.
func (a *alices) reads(said string) {
	a.t.Helper()
	a.tracker.Record(a.transfer(mcpproxy.Internal, said, "response"))
}

// opens reads a document by its id.
func (a *alices) opens(id string) {
	a.t.Helper()
	p := a.transfer(mcpproxy.Internal, "Open at 200, walk away at 125.", "response")
	p.Arguments = a.document(`{"id": "` + id + `"}`)
	p.Act = &passage.Act{Effect: mcpproxy.EffectRead, Words: []string{"read", "document"}}
	a.tracker.Record(p)
}

// attaches attaches a document to a message, and reports whether the tracker finds out where the document comes from.
func (a *alices) attaches(id string) bool {
	a.t.Helper()
	p := a.transfer(mcpproxy.External, "", "arguments")
	p.Doc = a.document(`{"attachments": ["` + id + `"]}`)
	p.Act = &passage.Act{Effect: mcpproxy.EffectSend, Words: []string{"send", "message"}}
	return slices.ContainsFunc(a.tracker.Check(p).Edges, func(e mcpproxy.Edge) bool { return e.Match == "attached" })
}

func (a *alices) document(arguments string) *text.Document {
	a.t.Helper()
	doc, err := text.Parse([]byte(arguments), "arguments")
	if err != nil {
		a.t.Fatal(err)
	}
	return doc
}

// answers writes the sessions, as before an answer.
func (a *alices) answers() {
	a.t.Helper()
	if err := a.group.fence("alice", a.held, a.held.epoch); err != nil {
		a.t.Fatal(err)
	}
}

// size is the size of alice's sessions as they are written.
func (a *alices) size() (n int) {
	a.t.Helper()
	for key := range a.tracker.Versions("alice") {
		var body bytes.Buffer
		if _, err := a.tracker.SaveSession(&body, "alice", key); err != nil {
			a.t.Fatal(err)
		}
		n += body.Len()
	}
	return n
}

func TestACallOfALongSessionWritesAPartOfIt(t *testing.T) {
	server := valkeytest.Start(t, false)
	a, b := newAlices(t, server, "http://a"), newAlices(t, server, "http://b")
	a.held.epoch = 1 // as if the replica had served alice before, so that it need not wait for a former owner
	a.claim()
	words := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("%015x", words.Uint64()>>4) }
	var said []string
	const calls, counted = 200, 20
	before := 0
	for n := range calls {
		said = append(said, word()+" "+word())
		a.reads(said[n])
		if n >= calls-counted-1 {
			a.answers()
		}
		if n == calls-counted-1 {
			before = server.Received(t)
		}
	}
	each, whole := (server.Received(t)-before)/counted, a.size()
	t.Logf("after %d calls of 32 bytes, the sessions have %d bytes, and a call writes %d", calls, whole, each)
	if each > whole/4 {
		t.Errorf("a call writes %d bytes, and the sessions have %d: want a quarter at most", each, whole)
	}

	// The server loses the last writes. The owner writes them again with the next call.
	stale := a.held.stored
	a.reads("what is read after the loss " + word())
	a.answers()
	a.held.stored = stale
	said = append(said, "what is read at last "+strings.ToUpper(word()))
	a.reads(said[calls])
	a.opens("d-764")
	a.answers()

	a.group.Close()
	b.claim()
	if !b.attaches("d-764") || b.attaches("d-779") {
		t.Errorf("another replica knows the document d-764: %v, and d-779, which nobody read: %v", b.attaches("d-764"),
			b.attaches("d-779"))
	}
	for _, n := range []int{0, calls / 2, calls} {
		if edges := b.tracker.Check(b.transfer(mcpproxy.External, said[n], "arguments")).Edges; len(edges) == 0 {
			t.Errorf("another replica does not know what was read by call %d", n)
		}
	}
}
