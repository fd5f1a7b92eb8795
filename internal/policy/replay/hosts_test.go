package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy/replay"
)

// seen returns the record of a connection of a server to a host. The port is a number, as in JSON.
func seen(server, host string, port float64, network any) *mcpproxy.Record {
	return &mcpproxy.Record{
		Type:       mcpproxy.RecordServerChange,
		ServerName: server,
		Metadata: mcpproxy.Metadata{Detail: map[string]any{
			"host":    host,
			"port":    port,
			"network": network,
		}},
	}
}

func TestTheHostsOfObservedServersAreSuggested(t *testing.T) {
	t.Parallel()
	records := []*mcpproxy.Record{
		seen("wiki", "b.example", 443, "observed"),
		seen("wiki", "a.example", 80, "observed"),
		seen("wiki", "b.example", 443, "observed"),
		seen("wiki", "git.example", 22, "observed"),
		seen("wiki", "2001:db8::1", 8443, "observed"),
		seen("other", "c.example", 443, nil),
		{Type: mcpproxy.RecordServerChange, ServerName: "third"},
	}
	for i := range 100 {
		records = append(records, seen("crawler", fmt.Sprintf("h%d.example", i), 443, "observed"))
	}
	got, err := replay.Suggest(context.Background(), scanOf(records))
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	const want = `"network": ["[2001:db8::1]:8443","a.example","b.example","git.example:22"]`
	if got[0].Server != "crawler" || !strings.Contains(got[0].Text, "more than 50") {
		t.Errorf("of a server that reaches many: %+v", got[0])
	}
	if got[1].Server != "wiki" || got[1].Kind != replay.KindHosts || !strings.Contains(got[1].Text, want) {
		t.Errorf("%+v", got[1])
	}
}
