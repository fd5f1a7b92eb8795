package daemon

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/egress"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/upstream"
)

// Limits of the records about servers' connections, because a server can make any number of them.
const (
	networkWindow = 5 * time.Minute // with one record for each kind of attempt
	maxNetwork    = 1024            // remembered kinds; beyond it, attempts are not recorded
)

// network records and counts the connections of servers that have a list of hosts.
type network struct {
	log     *monitor
	mask    func(string) string
	address func() string // address of mcpproxy's own listener
	tries   metrics.Counter
	bytes   metrics.Counter

	mu   sync.Mutex
	seen map[wanted]*repeated
}

// wanted is a kind of attempt. Attempts of one kind share a record for a while.
type wanted struct {
	server  string
	target  egress.Target
	refused egress.Reason
}

// repeated counts attempts of a kind since a time.
type repeated struct {
	since time.Time
	more  int // attempts without a record
}

func newNetwork(log *monitor, mask func(string) string, address func() string) *network {
	return &network{
		log:     log,
		mask:    mask,
		address: address,
		tries: log.registry.Counter(
			"mcpproxy_network_connections_total",
			"Connections that servers with isolation.network attempted, by server and result.",
			1000,
			"server",
			"result",
		),
		bytes: log.registry.Counter(
			"mcpproxy_network_bytes_total",
			"Bytes that moved in connections of servers with isolation.network, by server and direction.",
			500,
			"server",
			"direction",
		),
		seen: map[wanted]*repeated{},
	}
}

// watch subscribes to the manager's connection attempts.
func (n *network) watch(m *upstream.Manager) {
	m.WatchNetwork(upstream.Network{
		Attempt: n.attempt,
		Moved: func(server string, sent, received int64) {
			n.bytes.Add(float64(sent), server, "sent")
			n.bytes.Add(float64(received), server, "received")
		},
		Observed: n.observed,
		Own:      n.own,
	})
}

// attempt records a refused connection. Allowed connections are only counted.
func (n *network) attempt(server string, a egress.Attempt) {
	if a.Refused == "" {
		n.tries.Add(1, server, "allowed")
		return
	}
	n.tries.Add(1, server, string(a.Refused))
	more, due := n.due(wanted{server, a.Target, a.Refused}, time.Now())
	if !due {
		return
	}
	slog.Warn("a connection of a server was refused", "server", server, "host", n.mask(a.Target.Host),
		"port", a.Target.Port, "reason", string(a.Refused))
	detail := n.detail(a.Target)
	detail["refused"] = string(a.Refused)
	if more > 0 {
		detail["more_before"] = more
	}
	r := SystemRecord(mcpproxy.RecordPolicyDecision, server, detail)
	r.Status = mcpproxy.StatusBlocked
	r.Decision = mcpproxy.Deny
	r.Rule = mcpproxy.NetworkRule
	r.Metadata.Reason = n.mask(a.Why)
	r.ErrorMessage = r.Metadata.Reason
	n.log.Add(r)
	n.log.publishRecord(journal.EventPolicyDecision, r)
}

// observed records a host that a server without a list has reached.
func (n *network) observed(server string, t egress.Target) {
	if _, due := n.due(wanted{server: server, target: t}, time.Now()); due {
		detail := n.detail(t)
		detail["network"] = "observed"
		n.log.record(mcpproxy.RecordServerChange, server, detail)
	}
}

// detail returns the destination of a connection.
func (n *network) detail(t egress.Target) map[string]any {
	return map[string]any{"host": n.mask(t.Host), "port": int(t.Port)}
}

// due reports whether an attempt of a kind gets a record, and the number of attempts without one
// since the last record.
func (n *network) due(w wanted, now time.Time) (more int, due bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k := n.seen[w]; k != nil && now.Sub(k.since) < networkWindow {
		k.more++
		return 0, false
	} else if k != nil {
		more = k.more
	} else if len(n.seen) >= maxNetwork {
		for other, k := range n.seen {
			if now.Sub(k.since) >= networkWindow {
				delete(n.seen, other)
			}
		}
		if len(n.seen) >= maxNetwork {
			return 0, false
		}
	}
	n.seen[w] = &repeated{since: now}
	return more, true
}

// own reports whether an address is one of mcpproxy's own listeners.
func (n *network) own(at netip.AddrPort) bool {
	listens, err := netip.ParseAddrPort(n.address())
	if err != nil || listens.Port() != at.Port() {
		return false
	}
	ip := at.Addr().Unmap()
	if ip == listens.Addr().Unmap() || ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	here, err := net.InterfaceAddrs()
	if err != nil {
		slog.Log(context.Background(), slog.LevelWarn, "the addresses of this machine cannot be read", "error", err)
		return true
	}
	for _, a := range here {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == ip {
			return true
		}
	}
	return false
}
