package ledger

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy"
)

// Page sizes of listings.
const (
	DefaultLimit = 50
	MaxLimit     = 100
)

// Filter selects records. Zero fields select everything.
type Filter struct {
	Types         []mcpproxy.RecordType
	Server        string
	Tool          string
	Session       string // session_id or flow_session_id
	Status        mcpproxy.Status
	FlowType      mcpproxy.FlowType
	RiskLevel     mcpproxy.RiskLevel // this level and above
	Start, End    time.Time
	RequestID     string
	ParentID      string
	Sensitive     *bool
	DetectionType string
	Severity      mcpproxy.Severity // this severity and above
	Decision      mcpproxy.Decision
	Rule          string
	Principal     string
	Before        string // cursor: records older than the one with this id
	After         string // cursor: records newer than the one with this id
	OldestFirst   bool
	Limit         int
	Offset        int
	Brief         bool // leave out arguments and response
	Own           bool // only records of this gateway, in a shared log
}

// FilterNames lists the query parameters that ParseFilter knows; each is also a
// flag of the command line, with dashes.
var FilterNames = []string{
	"type",
	"server",
	"tool",
	"session_id",
	"status",
	"flow_type",
	"risk_level",
	"start_time",
	"end_time",
	"request_id",
	"parent_id",
	"sensitive_data",
	"detection_type",
	"severity",
	"decision",
	"rule",
	"principal",
	"order",
	"limit",
	"offset",
	"cursor",
}

// detectionType converts a kind of sensitive data to the name in records. RFC-004 uses another name
// for one of them.
func detectionType(name string) string {
	if name == "ssn" {
		return "us_ssn"
	}
	return name
}

// ParseFilter reads a filter from query parameters. A malformed value is an
// error that names the parameter and what it accepts.
func ParseFilter(v url.Values) (Filter, error) {
	q := Filter{
		Server:        v.Get("server"),
		Tool:          v.Get("tool"),
		Session:       v.Get("session_id"),
		RequestID:     v.Get("request_id"),
		ParentID:      v.Get("parent_id"),
		DetectionType: detectionType(v.Get("detection_type")),
		Rule:          v.Get("rule"),
		Principal:     v.Get("principal"),
	}
	var errs []error
	keep := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	for _, t := range strings.Split(v.Get("type"), ",") {
		if t = strings.TrimSpace(t); t != "" {
			keep(oneOf("type", mcpproxy.RecordType(t), mcpproxy.RecordTypes))
			q.Types = append(q.Types, mcpproxy.RecordType(t))
		}
	}
	if s := v.Get("type"); s != "" && len(q.Types) == 0 { // an empty type would select every type
		keep(oneOf("type", mcpproxy.RecordType(s), mcpproxy.RecordTypes))
	}
	q.Status = mcpproxy.Status(v.Get("status"))
	keep(oneOf("status", q.Status, mcpproxy.Statuses))
	q.FlowType = mcpproxy.FlowType(strings.ReplaceAll(v.Get("flow_type"), "->", "→"))
	keep(oneOf("flow_type", q.FlowType, []mcpproxy.FlowType{mcpproxy.InternalToInternal, mcpproxy.ExternalToExternal,
		mcpproxy.ExternalToInternal, mcpproxy.InternalToExternal}))
	q.RiskLevel = mcpproxy.RiskLevel(v.Get("risk_level"))
	keep(oneOf("risk_level", q.RiskLevel, mcpproxy.RiskLevels))
	q.Severity = mcpproxy.Severity(v.Get("severity"))
	keep(oneOf("severity", q.Severity, mcpproxy.Severities))
	q.Decision = mcpproxy.Decision(v.Get("decision"))
	keep(oneOf("decision", q.Decision, Decisions))
	keep(oneOf("order", v.Get("order"), []string{"asc", "desc"}))
	keep(checkCursor(v.Get("cursor")))
	q.setOrder(v.Get("order"), v.Get("cursor"))
	var err error
	q.Start, err = timeOf(v, "start_time")
	keep(err)
	q.End, err = timeOf(v, "end_time")
	keep(err)
	if !q.Start.IsZero() && !q.End.IsZero() && q.End.Before(q.Start) {
		keep(errors.New("end_time is before start_time: swap them"))
	}
	if s := v.Get("sensitive_data"); s != "" {
		keep(oneOf("sensitive_data", s, []string{"true", "false"}))
		sensitive := s == "true"
		q.Sensitive = &sensitive
	}
	q.Limit, err = number(v, "limit", DefaultLimit, 1, MaxLimit)
	keep(err)
	q.Offset, err = number(v, "offset", 0, 0, 1<<31)
	keep(err)
	return q, errors.Join(errs...)
}

// setOrder sets the direction and the side of the cursor on which the next page lies. A session's
// records are listed from its beginning.
func (q *Filter) setOrder(order, cursor string) {
	q.OldestFirst = order == "asc" || order == "" && q.Session != ""
	if q.OldestFirst {
		q.After = cursor
	} else {
		q.Before = cursor
	}
}

// Decisions lists the decisions, mildest first.
var Decisions = []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Redact, mcpproxy.Ask, mcpproxy.Deny}

func oneOf[T ~string](name string, got T, all []T) error {
	if got == "" || slices.Contains(all, got) {
		return nil
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = string(a)
	}
	return fmt.Errorf("invalid %s %q: must be one of %s", name, string(got), strings.Join(names, ", "))
}

// idLetters are the characters of a record's id, a ULID.
const idLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// checkCursor returns an error if cursor cannot be the id of a record. The record itself may be gone.
func checkCursor(cursor string) error {
	if cursor == "" || len(cursor) == 26 && strings.Trim(cursor, idLetters) == "" {
		return nil
	}
	return fmt.Errorf("invalid cursor %q: use next_cursor of the previous page", cursor)
}

// ParseTime reads an RFC 3339 time strictly. Unlike [time.Parse], it refuses hours of one digit,
// commas before fractions, and zones of 24 hours or 60 minutes.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, err
	}
	const begin = "2006-01-02T15:04:05"
	rest := s[min(len(s), len(begin)):]
	zone, numeric := strings.LastIndexAny(s, "+-"), !strings.HasSuffix(s, "Z")
	switch {
	case len(rest) == 0, strings.Index(s, ":") != len("2006-01-02T15"), rest[0] == ',',
		numeric && (s[zone+1:] >= "24" || s[zone+len("+07:"):] >= "60"):
		return t, fmt.Errorf("%q is not an RFC 3339 time", s)
	}
	return t, nil
}

func timeOf(v url.Values, name string) (time.Time, error) {
	s := v.Get(name)
	if s == "" {
		return time.Time{}, nil
	}
	t, err := ParseTime(s)
	if err == nil {
		return t, nil
	}
	hint := ""
	if strings.Contains(s, " ") {
		hint = "; in a URL, write + as %2B"
	}
	return t, fmt.Errorf("%s: %q is not an RFC 3339 time; write 2026-01-31T15:04:05Z%s", name, s, hint)
}

func number(v url.Values, name string, without, low, high int) (int, error) {
	s := v.Get(name)
	if s == "" {
		return without, nil
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n < uint64(low) || n > uint64(high) {
		return without, fmt.Errorf("%s: %q is not a whole number from %d to %d", name, s, low, high)
	}
	return int(n), nil
}
