package gate_test

import (
	"context"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/rules"
)

// If nobody can be asked, an ask must not replace a redaction, which would still apply.
func TestARedactionAppliesIfNobodyCanBeAsked(t *testing.T) {
	broken, problems := rules.Compile(
		[]rules.Rule{{Name: "broken", When: `call.sends && call.args.amount > 100`, Then: mcpproxy.Allow}},
		rules.Known{},
	)
	if problems != nil {
		t.Fatal(problems)
	}
	for name, c := range map[string]struct {
		change func(*policy.Tables)
		rule   string
	}{
		"a session that has read sensitive data": {func(t *policy.Tables) {}, policy.RuleTaint},
		"a rule that cannot be evaluated":        {func(t *policy.Tables) { t.SessionTaint, t.Rules = mcpproxy.Allow, broken }, policy.RuleUser + "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			s := defaults()
			s.Tables.SensitiveDataExternal = mcpproxy.Redact
			c.change(&s.Tables)
			h := newRig(t, t.TempDir(), s)
			h.reads("github", "get_file", "token "+gitToken)
			args, _, v := h.sent(t, call("slack", "post_message", object("text", "here "+gitToken)), content("ok"))
			if v.Decision != mcpproxy.Redact || v.Rule != c.rule || !v.Asked || strings.Contains(args, gitToken) ||
				!strings.Contains(args, "here [") {
				t.Errorf("%s by %q, sent %s", v.Decision, v.Rule, args)
			}
			resource := call("slack", "https://slack.example/?q="+gitToken, "")
			resource.Kind = mcpproxy.KindResource
			resource.Arguments = []byte(object("uri", resource.Tool))
			if p := h.gate.Decides(context.Background(), resource); p.Verdict.Decision != mcpproxy.Deny {
				t.Errorf("a resource, in which nothing can be redacted: %+v", p.Verdict)
			}
		})
	}
}
