// Package gatetest wires a gate in memory for tests: a real detector, a real flow tracker
// and a log that keeps its records.
//
//	r := gatetest.New(t)                                // the documented defaults
//	r := gatetest.New(t, gatetest.WithSettings(mine))   // another configuration
//	result, verdict := r.Gate.Do(ctx, call, send)
//	records := r.Log.Records()
package gatetest

import (
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/state/memory"
)

// Detector returns the detector with all rules. All callers in a process share it, because compiling the rules takes
// a while.
var Detector = sync.OnceValue(func() *detect.Detector { return detect.New(detect.Rules()) })

// Settings returns the settings of the documented default configuration.
func Settings() gate.Settings {
	return gate.Settings{
		Classifier: classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Tables: policy.Tables{
			InternalToExternal:    mcpproxy.Ask,
			SensitiveDataExternal: mcpproxy.Deny,
			DeclaredDestination:   mcpproxy.Allow,
			UntrustedDestination:  mcpproxy.Ask,
			InjectedDestination:   mcpproxy.Deny,
			DictatedAct:           mcpproxy.Ask,
			UnrequestedAct:        mcpproxy.Ask,
			MetadataDestination:   mcpproxy.Ask,
			SessionTaint:          mcpproxy.Ask,
			OpaquePayload:         mcpproxy.Ask,
			SuspiciousEndpoints:   []string{"webhook.site"},
			Operations:            map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Destructive: mcpproxy.Deny},
			Contradiction:         mcpproxy.Deny,
			Risk:                  policy.Risk{Enabled: true, Flag: 70, Approve: 85},
		},
		Detector:        Detector(),
		MaxResponseSize: 65536,
	}
}

// Rig is a gate with everything that it needs.
type Rig struct {
	Gate     *gate.Gate
	Tracker  *flow.Tracker
	Sessions *memory.Store[*flow.Session]
	Links    *flow.Correlator   // links the calls of hooks to those of MCP
	Log      *ledgertest.Memory // empty if WithLog names another log
}

// Option changes how New wires a gate.
type Option func(*wiring)

type wiring struct {
	settings gate.Settings
	log      journal.Log
	events   func(journal.Event)
	ended    func(key string, s *flow.Session)
}

// WithSettings replaces the default settings.
func WithSettings(s gate.Settings) Option { return func(w *wiring) { w.settings = s } }

// WithLog writes the records to a log other than the rig's own.
func WithLog(l journal.Log) Option { return func(w *wiring) { w.log = l } }

// WithEvents passes every event to f.
func WithEvents(f func(journal.Event)) Option { return func(w *wiring) { w.events = f } }

// WithEnd calls f with every flow session that ends.
func WithEnd(f func(key string, s *flow.Session)) Option { return func(w *wiring) { w.ended = f } }

// New wires a gate. It registers a cleanup that closes its sessions.
func New(t testing.TB, options ...Option) *Rig {
	t.Helper()
	r := &Rig{Log: &ledgertest.Memory{}}
	w := wiring{settings: Settings(), log: r.Log}
	for _, set := range options {
		set(&w)
	}
	r.Sessions = memory.New(0, func(string) *flow.Session { return flow.NewSession() }, w.ended)
	t.Cleanup(r.Sessions.Close)
	r.Tracker = flow.New(r.Sessions, flow.Limits{
		Enabled:    true,
		MaxOrigins: 10_000,
		MinLength:  20,
		MaxBytes:   65536,
	})
	r.Links = flow.NewCorrelator(r.Tracker, 5*time.Second)
	r.Gate = gate.New(r.Tracker, w.log, w.events, w.settings)
	return r
}
