package risk

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mcpproxy"
)

// Limits are the thresholds of security.exfiltration (RFC-004, Exfiltration Detection). They apply to one session and
// any period of the length Window; zero means no limit.
type Limits struct {
	CallsPerMinute int
	SensitiveSends int // calls that carry secrets or personal data
	Bytes          int
	Destinations   int // different destinations
	Window         time.Duration
}

// KindSensitiveSend is the kind of signals about sensitive data in calls to the outside.
const KindSensitiveSend = "pii_to_external"

// Limits of what is kept of one session within its window; the oldest sends are dropped first.
const (
	maxSends        = 1000
	maxDestinations = 1000
)

// session holds the recent sends of one session.
type session struct {
	sends        []sent
	destinations map[string]time.Time // with the time of the last send
	sizes        sizes
}

type sent struct {
	at        time.Time
	bytes     int
	sensitive bool
}

// add counts s and drops what is outside every window.
func (n *session) add(s Send, l Limits) {
	oldest := s.At.Add(-max(l.Window, time.Minute))
	n.sends = slices.DeleteFunc(n.sends, func(old sent) bool { return !old.at.After(oldest) })
	if len(n.sends) >= maxSends {
		n.sends = slices.Delete(n.sends, 0, len(n.sends)-maxSends+1)
	}
	n.sends = append(n.sends, sent{s.At, s.Bytes, s.Sensitive})
	if n.destinations == nil {
		n.destinations = map[string]time.Time{}
	}
	maps.DeleteFunc(n.destinations, func(_ string, at time.Time) bool { return !at.After(oldest) })
	for _, d := range s.Destinations {
		if _, known := n.destinations[d]; known || len(n.destinations) < maxDestinations {
			n.destinations[d] = s.At
		}
	}
}

// sums are the totals of a session within its window.
type sums struct{ lastMinute, sensitive, bytes, destinations int }

func (n *session) sums(now time.Time, window time.Duration) sums {
	var sum sums
	for _, old := range n.sends {
		if old.at.After(now.Add(-time.Minute)) {
			sum.lastMinute++
		}
		if !old.at.After(now.Add(-window)) {
			continue
		}
		sum.bytes += old.bytes
		if old.sensitive {
			sum.sensitive++
		}
	}
	for _, at := range n.destinations {
		if at.After(now.Add(-window)) {
			sum.destinations++
		}
	}
	return sum
}

// exceeded returns signals for the limits that the session exceeds with s, its last call.
func (n *session) exceeded(s Send, l Limits) []mcpproxy.Signal {
	sum := n.sums(s.At, l.Window)
	var out []mcpproxy.Signal
	if over(sum.lastMinute, l.CallsPerMinute) {
		out = append(
			out,
			behavioural(mcpproxy.KindRapidSends, mcpproxy.SeverityHigh, excess(sum.lastMinute, l.CallsPerMinute),
				fmt.Sprintf("%d external calls within a minute; the limit is %d", sum.lastMinute, l.CallsPerMinute)),
		)
	}
	if over(sum.sensitive, l.SensitiveSends) {
		out = append(out, behavioural(
			KindSensitiveSend,
			mcpproxy.SeverityCritical,
			0.9,
			fmt.Sprintf(
				"%d external calls with sensitive data within %s; the limit is %d",
				sum.sensitive,
				minutes(l.Window),
				l.SensitiveSends,
			),
		))
	} else if s.Sensitive {
		out = append(
			out,
			behavioural(KindSensitiveSend, mcpproxy.SeverityHigh, 0.6, "sensitive data in an external call"),
		)
	}
	severity := mcpproxy.SeverityMedium
	if s.Tainted {
		severity = mcpproxy.SeverityHigh
	}
	if over(sum.bytes, l.Bytes) {
		out = append(out, behavioural(mcpproxy.KindExternalVolume, severity, excess(sum.bytes, l.Bytes),
			fmt.Sprintf("%d bytes sent out within %s; the limit is %d", sum.bytes, minutes(l.Window), l.Bytes)))
	}
	if over(sum.destinations, l.Destinations) {
		out = append(out, behavioural(
			mcpproxy.KindManyDestinations,
			severity,
			excess(sum.destinations, l.Destinations),
			fmt.Sprintf(
				"%d destinations within %s; the limit is %d",
				sum.destinations,
				minutes(l.Window),
				l.Destinations,
			),
		))
	}
	return out
}

func over(n, limit int) bool { return limit > 0 && n > limit }

// excess returns the confidence that n exceeds the limit: one half at the limit, rising to one at twice the limit.
func excess(n, limit int) float64 { return between(0.5, 0.5*float64(n)/float64(limit), 0.95) }

func minutes(d time.Duration) string {
	if d == time.Minute {
		return "a minute"
	}
	return fmt.Sprintf("%.0f minutes", d.Minutes())
}
