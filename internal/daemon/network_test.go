package daemon

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/egress"
	"mcpproxy/internal/policy"
)

// network returns the part of the daemon that records connections. Listens is the address of the daemon.
func (r *partRig) network(listens string) *network {
	hide := func(s string) string { return strings.ReplaceAll(s, "sk-secret", "****") }
	return newNetwork(r.log.monitor, hide, func() string { return listens })
}

func attempt(host string, port uint16, why egress.Reason) egress.Attempt {
	return egress.Attempt{
		Target:  egress.Target{Host: host, Port: port},
		Refused: why,
		Why:     host + " is not on the list",
	}
}

func TestARefusedConnectionIsOneRecordForAWhile(t *testing.T) {
	t.Parallel()
	r := newPartRig(t)
	n := r.network("127.0.0.1:8377")
	for range 50 {
		n.attempt("wiki", attempt("sk-secret.evil.example", 443, egress.NotListed))
	}
	n.attempt("wiki", attempt("evil.example", 22, egress.OtherPort))
	n.attempt("wiki", attempt("good.example", 443, ""))
	all := r.records(mcpproxy.RecordPolicyDecision, 2)
	first := all[0]
	if first.ServerName != "wiki" || first.Rule != mcpproxy.NetworkRule || first.Decision != mcpproxy.Deny ||
		first.Status != mcpproxy.StatusBlocked || first.Metadata.Detail["host"] != "****.evil.example" ||
		first.Metadata.Detail["refused"] != "not_listed" || first.Metadata.Reason != "****.evil.example is not on the list" {
		t.Errorf("the record is %+v", first)
	}
	remedy := policy.RemedyFor(first)
	if !strings.Contains(remedy.Meaning, `"****.evil.example:443"`) || !strings.Contains(remedy.Meaning, "wiki") {
		t.Errorf("the remedy is %+v", remedy)
	}
	w := wanted{"wiki", egress.Target{Host: "sk-secret.evil.example", Port: 443}, egress.NotListed}
	if more, due := n.due(w, time.Now().Add(networkWindow)); more != 49 || !due {
		t.Errorf("later: %d more, due: %t", more, due)
	}
	shown := string(r.log.monitor.registry.Text())
	for _, line := range []string{
		`mcpproxy_network_connections_total{server="wiki",result="not_listed"} 50`,
		`mcpproxy_network_connections_total{server="wiki",result="allowed"} 1`,
	} {
		if !strings.Contains(shown, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if strings.Contains(shown, `mcpproxy_calls_total{`) {
		t.Error("a refused connection is counted as a call")
	}
}

func TestAServerThatTriesManyHostsFillsNoLog(t *testing.T) {
	t.Parallel()
	r := newPartRig(t)
	n := r.network("127.0.0.1:8377")
	now := time.Now()
	recorded := 0
	for port := range uint16(3 * maxNetwork) {
		if _, due := n.due(wanted{target: egress.Target{Host: "a.example", Port: port}}, now); due {
			recorded++
		}
	}
	if recorded != maxNetwork {
		t.Errorf("%d records", recorded)
	}
	if _, due := n.due(wanted{target: egress.Target{Host: "b.example", Port: 1}}, now.Add(networkWindow)); !due {
		t.Error("nothing is recorded any more")
	}
}

func TestAnObservedHostIsARecord(t *testing.T) {
	t.Parallel()
	r := newPartRig(t)
	n := r.network("127.0.0.1:8377")
	for range 3 {
		n.observed("wiki", egress.Target{Host: "api.example", Port: 443})
	}
	got := r.records(mcpproxy.RecordServerChange, 1)[0]
	if got.ServerName != "wiki" || got.Metadata.Detail["network"] != "observed" || got.Metadata.Detail["host"] != "api.example" {
		t.Errorf("the record is %+v", got)
	}
}

func TestMcpproxysOwnPortIsKnownAtEveryAddressOfThisMachine(t *testing.T) {
	t.Parallel()
	r := newPartRig(t)
	n := r.network("127.0.0.1:8377")
	for address, want := range map[string]bool{
		"127.0.0.1:8377":          true,
		"127.9.9.9:8377":          true,
		"[::1]:8377":              true,
		"0.0.0.0:8377":            true,
		"[::ffff:127.0.0.1]:8377": true,
		"127.0.0.1:8378":          false,
		"192.0.2.1:8377":          false,
	} {
		if got := n.own(netip.MustParseAddrPort(address)); got != want {
			t.Errorf("%s is mcpproxy: %t", address, got)
		}
	}
}
