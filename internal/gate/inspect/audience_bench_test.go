package inspect

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/home"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/state/memory"
)

// BenchmarkAudience measures the determination of the audience, including whether each destination is home. The
// budget is 20 µs.
func BenchmarkAudience(b *testing.B) {
	var own []home.Entry
	for _, s := range []string{"acme.example", "github.com/acme", "workspace:T0ACME", "@ana-k"} {
		e, err := home.Parse(s)
		if err != nil {
			b.Fatal(err)
		}
		e.State = home.Confirmed
		own = append(own, e)
	}
	settings := Settings{
		Classifier: classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Detector:   detect.New(detect.Rules()),
		Guard:      selfguard.New(selfguard.Protected{}),
		Home:       home.New(own),
	}
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	in := New(settings, flow.New(sessions, flow.Limits{Enabled: true, MaxOrigins: 100, MinLength: 20}))
	for _, c := range []struct{ name, server, tool, args string }{
		{"mail to four", "gmail", "send_email", `{"to":["ana@acme.example","bo@acme.example"],"cc":["eve@x.example","al@y.example"],"body":"hello"}`},
		{"issue", "github", "create_issue", `{"owner":"acme","repo":"shop","title":"Login","body":"It fails."}`},
		{"page", "fetch", "fetch", `{"url":"https://api.github.com/repos/acme/shop/issues?state=open"}`},
		{"message", "slack", "post_message", `{"team_id":"T0ACME","channel":"ops","text":"done"}`},
		{"command", "", "Bash", `{"command":"git push git@github.com:acme/shop.git HEAD && gh issue create -R acme/shop -t x -b y"}`},
	} {
		call := &mcpproxy.Call{
			Kind:      mcpproxy.KindTool,
			Server:    c.server,
			Tool:      c.tool,
			Arguments: []byte(c.args),
		}
		t := in.trace(in.do(in.hear(in.about(call), nil)))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.audience()
				t.destinations()
			}
		})
	}
}
