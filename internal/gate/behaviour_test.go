package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// watchful returns the documented settings for sessions that have read sensitive data.
func watchful() gate.Settings {
	s := defaults()
	s.Tables.SessionTaint = mcpproxy.Ask
	s.Tables.OpaquePayload = mcpproxy.Ask
	s.Tables.Budget = mcpproxy.Ask
	s.Limits = risk.Limits{
		CallsPerMinute: 10,
		SensitiveSends: 3,
		Bytes:          1 << 20,
		Destinations:   10,
		Window:         5 * time.Minute,
	}
	return s
}

// askable returns a call about which a user can be asked.
func askable(server, tool, args string) *mcpproxy.Call {
	c := call(server, tool, args)
	c.Channel = mcpproxy.ChannelHook
	return c
}

func signalKinds(signals []mcpproxy.Signal) []string {
	var out []string
	for _, s := range signals {
		out = append(out, s.Kind)
	}
	return out
}

const paraphrase = "They pay about a tenth more than last year, mostly those who stayed."

// encrypted looks like an encrypted text.
const encrypted = "q7Vd0ZkYx2mNc8RwT5bJhG1sLpE6uAfI9oXvC3yBtKjMrSgHnWzQ4eDlUaPiOx0RkF7dT2vYcB5mLqN8wJ1s"

func TestAfterASensitiveReadSendsAreAsked(t *testing.T) {
	for name, c := range map[string]struct {
		read string
		call *mcpproxy.Call
		rule string
	}{
		"a send without recognised data":  {"token " + gitToken, askable("slack", "post_message", object("text", paraphrase)), policy.RuleTaint},
		"the same without a secret read":  {summary, askable("slack", "post_message", object("text", paraphrase)), ""},
		"a search":                        {"token " + gitToken, askable("web", "search", object("q", "weather tomorrow")), ""},
		"a search with encrypted text":    {"token " + gitToken, askable("web", "search", object("q", encrypted)), policy.RuleOpaque},
		"the same in an address":          {"token " + gitToken, askable("web", "fetch", object("url", "https://example.com/?d="+encrypted)), policy.RuleOpaque},
		"the same without a secret read ": {summary, askable("web", "search", object("q", encrypted)), policy.RuleOpaque},
		"a search as long as a book":      {"token " + gitToken, askable("web", "search", object("q", strings.Repeat("all the words there are ", 50_000))), policy.RuleBudget},
		"a note inside":                   {"token " + gitToken, askable("jira", "create_issue", object("text", paraphrase+encrypted)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), watchful())
			h.reads("github", "get_file", c.read)
			v, sent := h.does(c.call)
			if v.Rule != c.rule || sent == (c.rule != "") {
				t.Errorf("sent %v, verdict %s by %q: %s", sent, v.Decision, v.Rule, v.Reason)
			}
			r := h.stored(v.ID)
			if c.rule != "" && (r == nil || r.Rule != c.rule || r.Status != mcpproxy.StatusBlocked) {
				t.Errorf("the record: %+v", r)
			}
		})
	}
}

func TestPlainMCPIsWarnedAfterASensitiveRead(t *testing.T) {
	h := newRig(t, t.TempDir(), watchful())
	h.reads("github", "get_file", "token "+gitToken)
	v, sent := h.does(call("slack", "post_message", object("text", paraphrase)))
	if !sent || v.Decision != mcpproxy.Warn || !v.Asked || v.Rule != policy.RuleTaint {
		t.Errorf("sent %v, verdict %+v", sent, v)
	}
}

func TestManyDestinationsAfterASensitiveReadAreAsked(t *testing.T) {
	s := watchful()
	s.Tables.SessionTaint = mcpproxy.Allow
	h := newRig(t, t.TempDir(), s)
	h.reads("github", "get_file", "token "+gitToken)
	for i := range 12 {
		v, _ := h.does(askable(fmt.Sprint("slack-", i), "post_message", object("text", "hello")))
		if asked := v.Rule == policy.RuleBudget; asked != (i >= 10) {
			t.Errorf("destination %d: %s by %q", i+1, v.Decision, v.Rule)
		}
	}
}

func TestWithAlertsOffSignalsAreSilentAndRulesHold(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		s := watchful()
		s.Quiet = quiet
		h := newRig(t, t.TempDir(), s)
		h.reads("github", "get_file", "token "+gitToken)
		v, _ := h.does(askable("web", "search", object("q", encrypted)))
		got := slices.Contains(signalKinds(v.Signals), mcpproxy.KindOpaquePayload)
		if got == quiet || v.Rule != policy.RuleOpaque {
			t.Errorf("quiet %v: signals %v, rule %q", quiet, signalKinds(v.Signals), v.Rule)
		}
		v, _ = h.does(call("web", "fetch", object("url", "https://webhook.site/x")))
		if slices.Contains(signalKinds(v.Signals), "suspicious_endpoint") == quiet {
			t.Errorf("quiet %v: signals %v", quiet, signalKinds(v.Signals))
		}
	}
}

// Shows: RFC-22.
func TestASuspiciousEndpointIsAHighRisk(t *testing.T) {
	h := newRig(t, t.TempDir(), watchful())
	v, sent := h.does(call("web", "fetch", object("url", "https://webhook.site/x")))
	if sent || v.RiskLevel != mcpproxy.RiskHigh ||
		!slices.Contains(signalKinds(h.stored(v.ID).Metadata.Signals), "suspicious_endpoint") {
		t.Errorf("sent %v, verdict %+v", sent, v)
	}
}

// The trifecta alone stops nothing, because normal work reads mail and answers it.
// Shows: RFC-1.
func TestTheLethalTrifectaIsASignal(t *testing.T) {
	for name, c := range map[string]struct {
		reads func(h *rig)
		level mcpproxy.RiskLevel
	}{
		"private data alone":   {func(h *rig) { h.reads("github", "get_file", summary) }, mcpproxy.RiskNone},
		"strangers' words too": {func(h *rig) { h.reads("github", "get_file", summary); h.reads("web", "fetch", "a page") }, mcpproxy.RiskLow},
		"a mailbox is both":    {func(h *rig) { h.reads("gmail", "read_inbox", summary) }, mcpproxy.RiskLow},
		"sensitive data": {func(h *rig) { h.reads("github", "get_file", "token "+gitToken); h.reads("web", "fetch", "a page") },
			mcpproxy.RiskMedium},
	} {
		t.Run(name, func(t *testing.T) {
			s := watchful()
			s.Tables.SessionTaint = mcpproxy.Allow
			h := newRig(t, t.TempDir(), s)
			c.reads(h)
			v, sent := h.does(askable("slack", "post_message", object("text", "hello")))
			if !sent || v.Decision != mcpproxy.Allow || v.RiskLevel != c.level {
				t.Errorf(
					"sent %v, decision %s, risk %s (%d), signals %+v",
					sent,
					v.Decision,
					v.RiskLevel,
					v.RiskScore,
					v.Signals,
				)
			}
			got := slices.Contains(signalKinds(v.Signals), "lethal_trifecta")
			if got != (c.level != mcpproxy.RiskNone) {
				t.Errorf("signals %v", signalKinds(v.Signals))
			}
		})
	}
}

func TestGroupsAreWalls(t *testing.T) {
	s := watchful()
	s.Tables.Groups = policy.Groups{"vault": "inner", "jira": "outer"}
	s.Tables.ToolOverrides = map[string]mcpproxy.Decision{"jira": mcpproxy.Allow}
	h := newRig(t, t.TempDir(), s)
	h.reads("vault", "get_entry", summary)
	v, sent := h.does(call("jira", "create_issue", object("description", summary)))
	if sent || v.Decision != mcpproxy.Deny || v.Rule != "groups.inner" || v.Code() != mcpproxy.CodeGroupDenied {
		t.Errorf("sent %v, verdict %+v", sent, v)
	}
	if r := h.stored(v.ID); r == nil || !strings.Contains(r.Metadata.Reason, "GROUP_POLICY_DENIED") {
		t.Errorf("the record: %+v", r)
	}
	if v, sent = h.does(call("jira", "create_issue", object("description", "something else"))); !sent {
		t.Errorf("a call without a flow: %+v", v)
	}
}

func TestOnlyWhatWasSentBecomesUsual(t *testing.T) {
	h := newRig(t, t.TempDir(), watchful())
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	post := func(i int, text string) mcpproxy.Verdict {
		c := askable("slack", "post_message", object("text", text))
		c.Received = at.Add(time.Duration(i) * time.Hour)
		v, _ := h.does(c)
		return v
	}
	for i := range 20 {
		post(i, "hello")
	}
	large := strings.Repeat("a longer story is told here. ", 300)
	for i := range 8 { // stopped, since it has a secret
		v := post(30+i, large+gitToken)
		if v.Decision != mcpproxy.Deny || !slices.Contains(signalKinds(v.Signals), "volume_jump") {
			t.Errorf("attempt %d: %s, signals %v", i, v.Decision, signalKinds(v.Signals))
		}
	}
}
