package api

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

var allRecords ledger.Filter

// Filters are the query parameters of everything that reads the log. They are
// plain strings here; ledger.ParseFilter decides what they mean.
type Filters struct {
	Type          string `query:"type" doc:"Record types, separated by commas"`
	Server        string `query:"server" doc:"Name of the server"`
	Tool          string `query:"tool" doc:"Name of the tool"`
	SessionID     string `query:"session_id" doc:"Protocol or flow session"`
	Status        string `query:"status" doc:"success, error, blocked or rejected"`
	FlowType      string `query:"flow_type" doc:"Such as internal→external, or internal->external"`
	RiskLevel     string `query:"risk_level" doc:"This level and above"`
	StartTime     string `query:"start_time" doc:"RFC 3339"`
	EndTime       string `query:"end_time" doc:"RFC 3339"`
	RequestID     string `query:"request_id"`
	ParentID      string `query:"parent_id"`
	SensitiveData string `query:"sensitive_data" doc:"true or false"`
	DetectionType string `query:"detection_type" doc:"Such as github_token"`
	Severity      string `query:"severity" doc:"This severity and above"`
	Limit         string `query:"limit" doc:"1 to 100, 50 when empty"`
	Offset        string `query:"offset"`
	Cursor        string `query:"cursor" doc:"Records older than the one with this id"`
}

// Values are the parameters that are set.
func (f *Filters) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"type": f.Type, "server": f.Server, "tool": f.Tool, "session_id": f.SessionID,
		"status": f.Status, "flow_type": f.FlowType, "risk_level": f.RiskLevel, "start_time": f.StartTime, "end_time": f.EndTime,
		"request_id": f.RequestID, "parent_id": f.ParentID, "sensitive_data": f.SensitiveData, "detection_type": f.DetectionType,
		"severity": f.Severity, "limit": f.Limit, "offset": f.Offset, "cursor": f.Cursor} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Page is a part of the log.
type Page struct {
	Records []*mcpproxy.Record `json:"activities"`
	Total   int                `json:"total" doc:"Records that match, on all pages"`
	Limit   int                `json:"limit"`
	Offset  int                `json:"offset"`
	Next    string             `json:"next_cursor,omitempty" doc:"Cursor of the next page"`
}

func (s *server) activity(ctx context.Context, in *Filters) (*answer[Page], error) {
	q, err := ledger.ParseFilter(in.Values())
	if err != nil {
		return nil, newError(400, err.Error())
	}
	page := Page{Records: []*mcpproxy.Record{}, Limit: q.Limit, Offset: q.Offset}
	err = s.Store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		r.Arguments, r.Response = nil, nil // one record at a time has its body
		page.Records = append(page.Records, r)
		return nil
	})
	if err == nil {
		page.Total, err = s.Store.Count(ctx, q)
	}
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	if len(page.Records) == q.Limit {
		page.Next = page.Records[len(page.Records)-1].ID
	}
	return success(page)
}

type byID struct {
	ID string `path:"id" doc:"Activity id"`
}

func (s *server) record(ctx context.Context, in *byID) (*answer[*mcpproxy.Record], error) {
	r, err := s.Store.Get(ctx, in.ID)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, newError(404, "there is no activity "+strconv.Quote(in.ID))
	}
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	return success(r)
}

// Counts counts records.
type Counts struct {
	Total   int                        `json:"total"`
	Status  map[mcpproxy.Status]int    `json:"by_status"`
	Risk    map[mcpproxy.RiskLevel]int `json:"at_least_risk" doc:"Records of this level and above"`
	Blocked int                        `json:"blocked"`
}

func (s *server) summary(ctx context.Context, in *Filters) (*answer[Counts], error) {
	q, err := ledger.ParseFilter(in.Values())
	if err != nil {
		return nil, newError(400, err.Error())
	}
	sum := Counts{Status: map[mcpproxy.Status]int{}, Risk: map[mcpproxy.RiskLevel]int{}}
	if sum.Total, err = s.Store.Count(ctx, q); err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	for _, status := range mcpproxy.Statuses {
		part := q
		part.Status = status
		if q.Status != "" && q.Status != status {
			continue
		}
		if sum.Status[status], err = s.Store.Count(ctx, part); err != nil {
			return nil, newError(500, "the activity log cannot be read", err)
		}
	}
	for _, level := range mcpproxy.RiskLevels[1:] {
		part := q
		if level.Rank() > q.RiskLevel.Rank() {
			part.RiskLevel = level
		}
		if sum.Risk[level], err = s.Store.Count(ctx, part); err != nil {
			return nil, newError(500, "the activity log cannot be read", err)
		}
	}
	sum.Blocked = sum.Status[mcpproxy.StatusBlocked]
	return success(sum)
}

type field struct {
	Field string `path:"field" enum:"type,server,tool,status,flow_type,risk_level,severity" doc:"A filter whose values are few"`
}

// options lists the values that a filter can usefully take.
func (s *server) options(ctx context.Context, in *field) (*answer[[]string], error) {
	out := []string{}
	switch in.Field {
	case "type":
		out = names(mcpproxy.RecordTypes)
	case "status":
		out = names(mcpproxy.Statuses)
	case "risk_level":
		out = names(mcpproxy.RiskLevels)
	case "severity":
		out = names(ledger.Severities)
	case "flow_type":
		out = names([]mcpproxy.FlowType{mcpproxy.InternalToInternal, mcpproxy.ExternalToExternal, mcpproxy.ExternalToInternal, mcpproxy.InternalToExternal})
	case "server":
		for _, st := range s.statuses() {
			out = append(out, st.Name)
		}
	case "tool":
		for _, t := range s.Catalog.All() {
			if !slices.Contains(out, t.Name) {
				out = append(out, t.Name)
			}
		}
	}
	return success(out)
}

func names[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
