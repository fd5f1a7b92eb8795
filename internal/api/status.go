package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/alert"
	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/telemetry"
	"mcpproxy/internal/token"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// Overview is the answer of GET /status.
type Overview struct {
	Version  string                 `json:"version"`
	Started  time.Time              `json:"started"`
	Uptime   float64                `json:"uptime_seconds"`
	Listen   string                 `json:"listen"`
	Coverage mcpproxy.Coverage      `json:"security_coverage" doc:"proxy_only, or full when agent hooks are active"`
	Hooks    bool                   `json:"hooks_active"`
	Agents   []evaluate.AgentSeen   `json:"agents" doc:"The agents whose hooks are active"`
	Kill     KillState              `json:"kill_switch"`
	Waiting  int                    `json:"approvals_pending" doc:"Questions about calls that wait for an answer"`
	Servers  []upstream.Status      `json:"servers"`
	ByState  map[upstream.State]int `json:"servers_by_state"`
	Tools    int                    `json:"tools" doc:"Tools that agents can find and call"`
	Trust    trust.Tally            `json:"trust" doc:"State of the servers' definitions"`
	Clients  int                    `json:"mcp_sessions"`
	Sessions int                    `json:"flow_sessions"`
	Legs     LegCounts              `json:"flow_legs"`
	Lost     int                    `json:"flow_sessions_lost" doc:"Sessions whose record of earlier results was lost: their calls to external destinations are treated as if they carried internal data"`
	Records  int                    `json:"records"`
	Tokens   TokenCounts            `json:"tokens"`
	Readers  int                    `json:"event_readers" doc:"Open streams of /events"`
	Alerts   *alert.Webhook         `json:"alerts,omitempty" doc:"Outcomes of alerts to the webhook"`
	Exports  []telemetry.Target     `json:"exports,omitempty" doc:"Outcomes of records for collectors and syslog"`
	Hub      bool                   `json:"hub" doc:"Whether it takes the records of other machines"`
	Facts
}

// TokenCounts counts the existing tokens.
type TokenCounts struct {
	Agents   int `json:"agents"`
	Auditors int `json:"auditors"`
	Expired  int `json:"expired"`
}

// SharedName is a tool name that several servers use.
type SharedName struct {
	Name    string   `json:"name"`
	Servers []string `json:"servers"`
}

// maxShared limits the names in one message.
const maxShared = 10

// TellShared describes shared tool names with their servers, for people.
func TellShared(all []SharedName) string {
	var out []string
	for _, n := range all[:min(len(all), maxShared)] {
		out = append(out, fmt.Sprintf("%+q (%s)", n.Name, strings.Join(n.Servers, ", ")))
	}
	if more := len(all) - maxShared; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

// Facts is the daemon's own state.
type Facts struct {
	ConfigFile  string    `json:"config_file" doc:"Empty when there is none"`
	ConfigRead  time.Time `json:"config_read" doc:"When the configuration that is in force was read"`
	ConfigError string    `json:"config_error,omitempty" doc:"Why the present file cannot be used; the configuration that was read before is in force"`
	Idle        []string  `json:"idle_keys" doc:"Keys that are set and have no effect in this version"`
	MCPAuth     bool      `json:"require_mcp_auth" doc:"Whether agents need a key"`
	// Unmatched and Shared are about the tools of the servers that have been read.
	Unmatched []string     `json:"unmatched_overrides,omitempty" doc:"Overrides that match nothing, because the server has no such tool"`
	Shared    []SharedName `json:"shared_names,omitempty" doc:"Tool names that several servers use: only the server's name distinguishes these tools"`
	Log       LogFacts     `json:"log"`
	// State is nil while the shared state store works, or if there is none.
	State *StateFailure `json:"state_failure,omitempty" doc:"Why the state store that the replicas share cannot be used; absent while it can"`
	// Ship is nil if the machine is enrolled at no hub.
	Ship *Shipping `json:"ship,omitempty" doc:"How far the activity log was sent to the hub; absent on a machine that is enrolled at none"`
	// ShipBucket is nil if the configuration names no bucket.
	ShipBucket *Shipping `json:"ship_bucket,omitempty" doc:"How far the activity log was sent to the bucket of ship.bucket; absent where that is empty"`
	// Unseen describes calls of the last day whose hooks got no answer; nil if there were none.
	Unseen *mcpproxy.Gap `json:"unseen,omitempty" doc:"The last time within a day in which agents' hooks got no answer and let calls pass"`
	// Outage is nil if the daemon ran throughout the last day.
	Outage *mcpproxy.Gap `json:"outage,omitempty" doc:"The last time within a day in which the daemon did not run: it was killed or frozen, or it was stopped where hooks are installed. What happened meanwhile is not known"`
}

// LogFacts are facts about the activity log that are known without reading it.
type LogFacts struct {
	Bytes         int64 `json:"bytes" doc:"Size on disk, including data that is not in the main file yet"`
	RetentionDays int   `json:"retention_days"`
	MaxRecords    int   `json:"max_records"`
	MaxSizeMB     int   `json:"max_size_mb"`
	Lost          int64 `json:"lost" doc:"Records that could not be written since the daemon was started"`
	// Failure is nil while the log can be written.
	Failure *LogFailure `json:"failure,omitempty" doc:"Why the log cannot be written; absent while it can"`

	AgeHeld string `json:"age_held,omitempty" doc:"Why no records are removed by age at present: the clock may be wrong"`
}

// LogFailure says why the activity log cannot be written.
type LogFailure struct {
	Since  time.Time `json:"since" doc:"Time of the earliest lost record"`
	Lost   int64     `json:"lost" doc:"Records that this failure has lost"`
	Error  string    `json:"error"`
	Denies bool      `json:"denies" doc:"Whether every call is denied meanwhile (activity.on_failure)"`
}

// StateFailure is the reason why the state store of the replicas cannot be used.
type StateFailure struct {
	Since  time.Time `json:"since"`
	Error  string    `json:"error" doc:"The error, and its effect on calls"`
	Denies bool      `json:"denies" doc:"Whether every call is denied meanwhile (state.on_outage)"`
}

// Shipping says how far the activity log was sent to the hub, or to a bucket.
type Shipping struct {
	Hub    string    `json:"hub,omitempty" doc:"The address of the hub or the bucket"`
	Sent   int64     `json:"sent" doc:"Number of the last record that was received there"`
	Unsent int64     `json:"unsent" doc:"Records that were not received there yet"`
	Last   time.Time `json:"last,omitzero" doc:"When it confirmed records last"`
	Behind bool      `json:"behind" doc:"Whether many records wait, or some have waited for long"`
	Error  string    `json:"error,omitempty" doc:"Why nothing can be sent now; absent while records can be sent"`
	Since  time.Time `json:"since,omitzero" doc:"Since when nothing can be sent"`
}

// Failing says in a sentence why records do not reach their destination, or that they come late; "" if all is well.
func (f *Shipping) Failing() string {
	switch {
	case f == nil:
		return ""
	case f.Error != "":
		return fmt.Sprintf("since %s: %s; records that are not sent yet: %d", f.Since.Local().Format(time.DateTime), f.Error, f.Unsent)
	case f.Behind:
		return fmt.Sprintf("records that wait to be sent to %s: %d", f.Hub, f.Unsent)
	}
	return ""
}

// Consequence describes what the failure means for calls.
func (f *LogFailure) Consequence() string {
	if f.Denies {
		return "every call is denied until it can be written again (activity.on_failure)"
	}
	return "calls go on without a record (activity.on_failure)"
}

func (s *server) status(ctx context.Context, _ *struct{}) (*answer[Overview], error) {
	facts := s.facts()
	records, err := s.Store.Count(ctx, allRecords)
	if err != nil && facts.Log.Failure == nil { // otherwise the answer contains the failure
		return nil, newError(500, "the activity log cannot be read", err)
	}
	readers, _ := s.Events.Readers()
	covered := s.Hooks.Coverage(time.Now())
	out := Overview{
		Version:  s.Version,
		Started:  s.started.UTC(),
		Uptime:   time.Since(s.started).Seconds(),
		Listen:   s.Listen,
		Coverage: covered.Mode,
		Hooks:    covered.Active,
		Agents:   covered.Agents,
		Kill:     s.Kill.State(),
		Waiting:  len(s.Approvals.Pending()),
		Servers:  s.statuses(),
		ByState:  map[upstream.State]int{},
		Tools:    len(s.Catalog.All()),
		Trust:    s.Trust.Count(),
		Clients:  s.Clients(),
		Sessions: len(s.liveSessions()),
		Legs:     CountLegs(s.Sessions),
		Lost:     CountLost(s.Sessions),
		Records:  records,
		Tokens:   s.countTokens(),
		Readers:  readers,
		Hub:      s.Fleet != nil,
	}
	for _, server := range out.Servers {
		out.ByState[server.State]++
	}
	if s.Alerts != nil {
		stats := s.Alerts()
		out.Alerts = &stats
	}
	if s.Exports != nil {
		out.Exports = s.Exports()
	}
	out.Facts = facts
	return success(out)
}

func (s *server) facts() Facts {
	f := Facts{}
	if s.Facts != nil {
		f = s.Facts()
	}
	if f.Idle == nil {
		f.Idle = []string{}
	}
	return f
}

func (s *server) countTokens() (n TokenCounts) {
	for _, t := range s.Tokens.List() {
		switch {
		case t.Expired(time.Now()):
			n.Expired++
		case t.Role == token.Auditor:
			n.Auditors++
		default:
			n.Agents++
		}
	}
	return n
}

func (s *server) statuses() []upstream.Status {
	out := []upstream.Status{}
	for _, server := range s.Servers.All() {
		out = append(out, Masked(server.Status(), s.Mask))
	}
	return out
}

// Masked returns the status of a server with the secrets in its errors masked. An error can contain secrets because
// it quotes what the server has written. mask may be nil.
func Masked(st upstream.Status, mask func(string) string) upstream.Status {
	if mask == nil {
		return st
	}
	if st.Error != "" {
		st.Error = mask(st.Error)
	}
	if f := st.LastFault; f != nil {
		st.LastFault = &upstream.Fault{Time: f.Time, Code: f.Code, Error: mask(f.Error)}
	}
	return st
}
