package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/suggest"
)

// Target is the server to test; see [raw.Target].
type Target = raw.Target

// Options configure the tests (request.options.mcp).
type Options struct {
	AllowInjectionTest bool     `json:"allow_injection_test,omitempty" doc:"T1 accepts any answer to injected instructions"`
	LatencyTestCalls   int      `json:"latency_test_calls,omitempty" minimum:"1" maximum:"1000" doc:"Calls of T5; 10 when absent"`
	AllowedTools       []string `json:"allowed_tools,omitempty" doc:"The only tools that may be called; names one that writes to allow it"`
	BlockedTools       []string `json:"blocked_tools,omitempty" doc:"Tools that are never called"`
	AllowDestructive   bool     `json:"allow_destructive,omitempty" doc:"Also call tools that write or look destructive"`
	OutOfScopeTools    []string `json:"out_of_scope_tools,omitempty" doc:"Tools that must be refused: T3 calls them, without arguments, unless they are blocked or look destructive"`
	Seed               uint64   `json:"seed,omitempty" doc:"The number from which names and markers are generated; 1 when absent"`
	MaxCalls           int      `json:"max_calls,omitempty" minimum:"1" maximum:"10000" doc:"Maximum number of messages; 600 when absent"`
	CallTimeoutMS      int      `json:"call_timeout_ms,omitempty" minimum:"1" maximum:"600000" doc:"Timeout of one answer, including the first answer and the lists; 10,000 when absent, and longer for the first answer of a program that must be fetched first"`

	// Tests are ids of [Tests]; if empty, the tests of Suites.
	Tests []string `json:"-"`
	// Suites are names of [Suites]; if empty, mcp_security.
	Suites []string `json:"-"`
	// Progress is called when a test begins and ends. It may be nil.
	Progress func(Event) `json:"-"`
	// Transcript is called with every message, masked and shortened, when it is sent or received.
	// It is called from several goroutines, and may be nil.
	Transcript func(sent bool, message string) `json:"-"`
	// DryRun lists the calls in [Results.Planned] without making them. Only the handshake and the
	// lists are requested.
	DryRun bool `json:"-"`
}

// Thresholds are the limits for passing a test (request.thresholds.mcp).
type Thresholds struct {
	MaxP95MS               int   `json:"max_p95_ms,omitempty" minimum:"1" doc:"Highest 95th percentile of latency, in milliseconds; 2000 when absent"`
	RequireSchemaStability *bool `json:"require_schema_stability,omitempty" doc:"T2 fails on drift; true when absent"`
	DenyOutOfScope         *bool `json:"deny_out_of_scope,omitempty" doc:"T3 fails when something out of scope is answered; true when absent"`
}

// Suites are the named groups of tests.
var Suites = []string{SuiteSecurity, SuiteRobustness, SuiteAll}

// The suites.
const (
	SuiteSecurity   = "mcp_security"   // T1 to T5
	SuiteRobustness = "mcp_robustness" // T6 to T10
	SuiteAll        = "all"
)

// Test is one test.
type Test struct {
	ID, Name, Suite string
	Summary         string // what it checks, in one sentence
	Help            string // what to do if it fails
	run             func(*runner, *Result)
}

// Tests lists the tests in the order of execution.
func Tests() []Test {
	return []Test{
		{
			"T1",
			"Prompt Injection Guard",
			SuiteSecurity,
			"Injected instructions in an argument are refused.",
			helpInjection,
			testInjection,
		},
		{
			"T2",
			"Tool Schema Drift",
			SuiteSecurity,
			"The server's definitions stay the same while it is used.",
			helpDrift,
			testDrift,
		},
		{"T3", "Auth Scope Leakage", SuiteSecurity, "What the server does not offer is denied.", helpScope, testScope},
		{
			"T4",
			"Idempotent Retries",
			SuiteSecurity,
			"The same call gives the same kind of answer twice.",
			helpRetry,
			testRetry,
		},
		{"T5", "Latency/SLO", SuiteSecurity, "Answers come within the agreed time.", helpLatency, testLatency},
		{
			"T6",
			"Hostile Input",
			SuiteRobustness,
			"Arguments of wrong types, sizes and hostile content harm nothing.",
			helpHostile,
			testHostile,
		},
		{
			"T7",
			"Description Safety",
			SuiteRobustness,
			"Nothing that the server declares tries to steer an agent.",
			helpSafety,
			testSafety,
		},
		{
			"T8",
			"Protocol Robustness",
			SuiteRobustness,
			"The server handles broken frames, cancelled and concurrent calls, and wrong versions.",
			helpProtocol,
			testProtocol,
		},
		{
			"T9",
			"Error Information Leakage",
			SuiteRobustness,
			"Errors reveal nothing about the server's internals.",
			helpLeak,
			testLeak,
		},
		{
			"T10",
			"Session and Origin Checks",
			SuiteRobustness,
			"Over HTTP, foreign web pages, requests without credentials and guessed sessions are refused.",
			helpOrigin,
			testOrigin,
		},
	}
}

// Default values of options and thresholds.
const (
	defaultLatencyCalls = 10
	defaultMaxP95MS     = 2000
	defaultMaxCalls     = 600
	defaultCallTimeout  = 10 * time.Second
)

// settle sets the defaults.
func (o *Options) settle() {
	if o.LatencyTestCalls == 0 {
		o.LatencyTestCalls = defaultLatencyCalls
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultMaxCalls
	}
	if o.CallTimeoutMS == 0 {
		o.CallTimeoutMS = int(defaultCallTimeout / time.Millisecond)
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
}

func (t *Thresholds) settle() {
	yes := true
	if t.MaxP95MS == 0 {
		t.MaxP95MS = defaultMaxP95MS
	}
	if t.RequireSchemaStability == nil {
		t.RequireSchemaStability = &yes
	}
	if t.DenyOutOfScope == nil {
		t.DenyOutOfScope = &yes
	}
}

// Choose returns the tests that ids and suites name, in order: all tests of the suites, or only
// those with an id. It ignores the case of names. The error about an unknown name lists the valid
// ones.
func Choose(ids, suites []string) ([]Test, error) {
	if len(ids) == 0 && len(suites) == 0 {
		suites = []string{SuiteSecurity}
	}
	for _, s := range suites {
		if !slices.Contains(Suites, strings.ToLower(s)) {
			return nil, fmt.Errorf("there is no suite %q; there are %s", s, strings.Join(Suites, ", "))
		}
	}
	known := map[string]bool{}
	var out []Test
	for _, t := range Tests() {
		known[t.ID] = true
		named := slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, t.ID) })
		inSuite := slices.ContainsFunc(
			suites,
			func(s string) bool { return strings.EqualFold(s, t.Suite) || strings.EqualFold(s, SuiteAll) },
		)
		if named || inSuite && len(ids) == 0 {
			out = append(out, t)
		}
	}
	for _, id := range ids {
		if !known[strings.ToUpper(id)] {
			return nil, fmt.Errorf("unknown test %q: the tests are T1 to T%d", id, len(known))
		}
	}
	return out, nil
}

// check refuses options that list a tool twice, and required names that the server does not have.
func (o *Options) check(declared []string) error {
	for _, name := range o.AllowedTools {
		if slices.Contains(o.BlockedTools, name) {
			return fmt.Errorf("the tool %q is both allowed and blocked", name)
		}
		if !slices.Contains(declared, name) {
			hint := ""
			if near := suggest.Nearest(name, declared); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return fmt.Errorf("the server has no tool %q to allow%s", name, hint)
		}
	}
	return nil
}
