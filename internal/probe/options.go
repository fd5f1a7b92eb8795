package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/suggest"
)

// Target says which server to test; see [raw.Target].
type Target = raw.Target

// Options say how the tests are made (request.options.mcp).
type Options struct {
	AllowInjectionTest bool     `json:"allow_injection_test,omitempty" doc:"T1 accepts any answer to injected instructions"`
	LatencyTestCalls   int      `json:"latency_test_calls,omitempty" minimum:"1" maximum:"1000" doc:"Calls of T5; 10 when absent"`
	AllowedTools       []string `json:"allowed_tools,omitempty" doc:"The only tools that may be called; names one that writes to allow it"`
	BlockedTools       []string `json:"blocked_tools,omitempty" doc:"Tools that are never called"`
	AllowDestructive   bool     `json:"allow_destructive,omitempty" doc:"Also call tools that write or look destructive"`
	OutOfScopeTools    []string `json:"out_of_scope_tools,omitempty" doc:"Tools that must be refused: T3 calls them, without arguments, unless they are blocked or look destructive"`
	Seed               uint64   `json:"seed,omitempty" doc:"What names and marks are made from; 1 when absent"`
	MaxCalls           int      `json:"max_calls,omitempty" minimum:"1" maximum:"10000" doc:"Messages that are sent at most; 600 when absent"`
	CallTimeoutMS      int      `json:"call_timeout_ms,omitempty" minimum:"1" maximum:"600000" doc:"How long one answer may take, the first one and the lists included; 10,000 when absent, and more for the first answer of a program that has to be fetched"`

	// Tests are ids of [Tests]; those of the suites when empty.
	Tests []string `json:"-"`
	// Suites are names of [Suites]; mcp_security when empty.
	Suites []string `json:"-"`
	// Progress hears of each test as it begins and ends; it may be nil.
	Progress func(Event) `json:"-"`
	// Transcript sees every message, masked and shortened, as it is sent or as it comes.
	// It is called from several goroutines, and may be nil.
	Transcript func(sent bool, message string) `json:"-"`
	// DryRun lists in [Results.Planned] what would be called and calls nothing,
	// beyond the handshake and the lists.
	DryRun bool `json:"-"`
}

// Thresholds say what passes (request.thresholds.mcp).
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
	Summary         string // what it finds out, in one sentence
	Help            string // what to do when it fails
	run             func(*runner, *Result)
}

// Tests lists the tests, in the order in which they are made.
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
			"What the server declares stays the same while it is used.",
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
			"Broken frames, cancelled and concurrent calls and wrong versions are borne.",
			helpProtocol,
			testProtocol,
		},
		{
			"T9",
			"Error Information Leakage",
			SuiteRobustness,
			"Errors tell nothing of the server's insides.",
			helpLeak,
			testLeak,
		},
		{
			"T10",
			"Session and Origin Checks",
			SuiteRobustness,
			"Over HTTP, pages, strangers and guessed sessions are kept out.",
			helpOrigin,
			testOrigin,
		},
	}
}

// The values that stand where options and thresholds say nothing.
const (
	defaultLatencyCalls = 10
	defaultMaxP95MS     = 2000
	defaultMaxCalls     = 600
	defaultCallTimeout  = 10 * time.Second
)

// settle fills in what is absent.
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

// Choose returns the tests that ids and suites name, in their order: all of the
// suites, or only those with an id. Names are read without regard to case. The
// error of an unknown name says which there are.
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
			return nil, fmt.Errorf("there is no test %q; there are T1 to T%d", id, len(known))
		}
	}
	return out, nil
}

// check refuses options that name a tool on both lists, and names that the server
// does not have where it must.
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
