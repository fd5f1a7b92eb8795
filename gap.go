package mcpproxy

import (
	"encoding/json"
	"fmt"
	"time"
)

// GapReason says why records are missing from the activity log.
type GapReason string

// The reasons for a gap.
const (
	GapLogFailure GapReason = "log_failure"     // writing to the log failed
	GapNoDaemon   GapReason = "no_daemon"       // hooks got no answer from the daemon and let calls through
	GapKilled     GapReason = "killed"          // the daemon crashed or was killed
	GapFrozen     GapReason = "frozen"          // the daemon's process was suspended
	GapStopped    GapReason = "stopped"         // the daemon was stopped and started again later
	GapUnsent     GapReason = "unsent"          // records were not sent to the hub
	GapUnstored   GapReason = "unstored"        // records were not stored in the bucket
	GapFlowState  GapReason = "flow_state_lost" // no record is missing, but what sessions had read was lost
)

// Outage reports whether the daemon did not run during the gap. The log then cannot say what happened, even if a hook
// reported calls.
func (r GapReason) Outage() bool { return r == GapKilled || r == GapFrozen || r == GapStopped }

// Gap is a period for which records are missing from the activity log.
type Gap struct {
	Reason GapReason `json:"reason"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Lost   int64     `json:"lost"` // number of records or calls that are known to be missing
}

// String describes g in one sentence.
func (g Gap) String() string {
	from, to := g.From.UTC().Format(time.RFC3339), g.To.UTC().Format(time.RFC3339)
	switch g.Reason {
	case GapLogFailure:
		return fmt.Sprintf("%s lost between %s and %s: the activity log could not be written",
			count(g.Lost, "record"), from, to)
	case GapNoDaemon:
		return fmt.Sprintf(
			"%s not seen between %s and %s: hooks got no answer from the daemon",
			count(g.Lost, "call"),
			from,
			to,
		)
	case GapKilled:
		return fmt.Sprintf("mcpproxy crashed or was killed: nothing was seen between %s and %s", from, to)
	case GapFrozen:
		return fmt.Sprintf("the process of mcpproxy was suspended: nothing was seen between %s and %s", from, to)
	case GapStopped:
		return fmt.Sprintf("no daemon ran between %s and %s", from, to)
	case GapUnsent:
		return fmt.Sprintf("%s not sent to the hub, the newest of them before %s", count(g.Lost, "record"), to)
	case GapUnstored:
		return fmt.Sprintf("%s not stored in the bucket, the newest of them before %s", count(g.Lost, "record"), to)
	}
	if g.Reason == GapFlowState {
		return fmt.Sprintf("no record is missing, but what some sessions had read before %s is no longer known", to)
	}
	return fmt.Sprintf("%s missing between %s and %s (%s)", count(g.Lost, "record"), from, to, g.Reason)
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return fmt.Sprintf("%d %ss were", n, what)
}

// Record returns a record with the given id that describes the gap. Its timestamp is the end of the gap.
func (g Gap) Record(id string) *Record {
	return &Record{
		ID:           id,
		Type:         RecordGap,
		Source:       "system",
		Timestamp:    g.To.UTC(),
		Status:       StatusError,
		CoverageMode: CoverageProxyOnly,
		Metadata: Metadata{
			Reason: g.String() + ".",
			Detail: map[string]any{
				"reason": string(g.Reason),
				"from":   g.From.UTC().Format(time.RFC3339Nano),
				"to":     g.To.UTC().Format(time.RFC3339Nano),
				"lost":   g.Lost,
			},
		},
	}
}

// GapOf returns the gap that a record describes. ok is false for records of other types, for records whose details
// cannot be read, and for records without a time, such as one that says that the log's file was replaced.
func GapOf(r *Record) (g Gap, ok bool) {
	if r.Type != RecordGap {
		return Gap{}, false
	}
	detail, err := json.Marshal(r.Metadata.Detail)
	if err != nil || json.Unmarshal(detail, &g) != nil || g.From.IsZero() {
		return Gap{}, false
	}
	return g, true
}
