package inspect

import (
	"testing"

	"mcpproxy"
)

// Marking edges does not change the edges that flow tracking found.
func TestEdgesAreMarkedInACopy(t *testing.T) {
	found := []mcpproxy.Edge{
		{Match: "secret", Sensitive: []string{"api_token"}, Risk: mcpproxy.RiskCritical},
		{Match: "secret", Sensitive: []string{"api_token", "credit_card"}, Risk: mcpproxy.RiskCritical},
		{Match: "shell", Sensitive: []string{"api_token"}, Risk: mcpproxy.RiskCritical},
	}
	for i, e := range (&traced{}).markOwn(found, nil) {
		if own := i == 0; e.Own != own || (e.Risk == mcpproxy.RiskNone) != own {
			t.Errorf("edge %d: %+v", i, e)
		}
		if found[i].Own || found[i].Risk != mcpproxy.RiskCritical {
			t.Errorf("edge %d of the trace has changed: %+v", i, found[i])
		}
	}
}
