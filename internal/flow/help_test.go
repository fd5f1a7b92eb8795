package flow_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/text"
)

var (
	internal = mcpproxy.Class{Side: mcpproxy.Internal, CanReadData: true}
	external = mcpproxy.Class{Side: mcpproxy.External, CanExfiltrate: true, ReturnsUntrusted: true}
	hybrid   = mcpproxy.Class{Side: mcpproxy.Hybrid, CanReadData: true, CanExfiltrate: true}
	unknown  = mcpproxy.Class{Side: mcpproxy.Unknown}
)

// limits are the documented defaults.
var limits = flow.Limits{
	Enabled:    true,
	MaxOrigins: 10_000,
	MinLength:  20,
	MaxBytes:   65536,
}

// detector is the real detector. It is compiled only once, because that takes time.
var detector = sync.OnceValue(func() *detect.Detector { return detect.New(detect.Rules()) })

// agent makes the calls of a principal, in one session at a time.
type agent struct {
	t         testing.TB
	tracker   *flow.Tracker
	store     *memory.Store[*flow.Session]
	session   string
	principal string
	calls     int
}

func newAgent(t testing.TB, l flow.Limits) *agent {
	store := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	return &agent{
		t:         t,
		tracker:   flow.New(store, l),
		store:     store,
		session:   "session-1",
		principal: "alice",
	}
}

// in returns an agent of the same tracker with another session and principal.
func (a *agent) in(session, principal string) *agent {
	b := *a
	b.session, b.principal = session, principal
	return &b
}

func (a *agent) passage(server, tool string, class mcpproxy.Class, raw, root string) flow.Transfer {
	a.t.Helper()
	doc, err := text.Parse([]byte(raw), root)
	if err != nil {
		a.t.Fatalf("the test's own JSON: %v\n%s", err, raw)
	}
	found, err := detector().Find(doc)
	if err != nil {
		a.t.Fatal(err)
	}
	var secrets []flow.Secret
	for _, f := range found {
		if !f.Signal().Sensitive() {
			continue
		}
		secrets = append(secrets, flow.Secret{Value: f.Value, Category: f.Rule.Category, Part: f.Part()})
	}
	a.calls++
	call := &mcpproxy.Call{
		ID:          fmt.Sprint("call-", a.calls),
		Server:      server,
		Tool:        tool,
		FlowSession: a.session,
		Principal:   a.principal,
	}
	return flow.Transfer{
		Call:    call,
		Class:   class,
		Doc:     doc,
		Secrets: secrets,
	}
}

// reads records the JSON result of a call.
func (a *agent) reads(server string, class mcpproxy.Class, result string) {
	a.t.Helper()
	a.tracker.Record(a.passage(server, "read", class, result, "response"))
}

// sends checks the JSON arguments of a call.
func (a *agent) sends(server string, class mcpproxy.Class, args string) []mcpproxy.Edge {
	a.t.Helper()
	return a.tracker.Check(a.passage(server, "post", class, args, "arguments")).Edges
}

// says returns an object with one member, message.
func says(s string) string { return object("message", s) }

// content returns a tool result in the form that servers send.
func content(s string) string {
	return `{"content":[{"type":"text","text":` + quoted(s) + `}]}`
}

func object(name, value string) string { return "{" + quoted(name) + ":" + quoted(value) + "}" }

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// key returns n random characters of the alphabet. A seed always returns the same key.
func key(seed uint64, n int, alphabet string) string {
	r := rand.New(rand.NewPCG(seed, 27))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}
