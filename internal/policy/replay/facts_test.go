package replay_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/replay"
)

// The endpoint that stopped a call stops it again in a replay, even if the arguments do not contain it. The record
// stores the endpoint; in old records the reason ends with it.
func TestAnEndpointOutsideTheArgumentsStopsTheCallAgain(t *testing.T) {
	for name, change := range map[string]func(*mcpproxy.Record){
		"kept as a fact":   func(r *mcpproxy.Record) { r.Metadata.Endpoint = "webhook.site" },
		"only in a reason": func(r *mcpproxy.Record) { r.Metadata.Reason = "Data sent to a suspicious endpoint (webhook.site)." },
	} {
		t.Run(name, func(t *testing.T) {
			r := &mcpproxy.Record{
				ID:        "1",
				Type:      mcpproxy.RecordPolicyDecision,
				Arguments: []byte(`{"text":"hello"}`),
				Metadata: mcpproxy.Metadata{
					Facts: mcpproxy.Facts{Classification: &mcpproxy.Class{Side: mcpproxy.External}},
					Ruled: &mcpproxy.Ruled{Decision: mcpproxy.Deny, Rule: policy.RuleSuspicious},
				},
			}
			change(r)
			f, ok := replay.Facts(r)
			p := replay.Policy{Tables: policy.Tables{SuspiciousEndpoints: []string{"webhook.site"}}}
			if got := p.Ask(f); !ok || got.Rule != policy.RuleSuspicious {
				t.Errorf("%+v, %t", got, ok)
			}
		})
	}
}
