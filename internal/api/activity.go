package api

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/explain"
	"mcpproxy/internal/ledger"
)

var allRecords ledger.Filter

// Filters are the query parameters of all operations that read the log. [ledger.ParseFilter] parses
// the strings.
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
	Decision      string `query:"decision" doc:"allow, warn, redact, ask or deny"`
	Rule          string `query:"rule" doc:"Exact name of the rule that decided"`
	Principal     string `query:"principal" doc:"Who called"`
	Order         string `query:"order" doc:"asc is oldest first, desc is newest first; asc when empty and session_id is given, else desc"`
	Limit         string `query:"limit" doc:"1 to 100, 50 when empty"`
	Offset        string `query:"offset"`
	Cursor        string `query:"cursor" doc:"Records that come after the one with this id"`
}

// Values returns the parameters that are set.
func (f *Filters) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"type":           f.Type,
		"server":         f.Server,
		"tool":           f.Tool,
		"session_id":     f.SessionID,
		"status":         f.Status,
		"flow_type":      f.FlowType,
		"risk_level":     f.RiskLevel,
		"start_time":     f.StartTime,
		"end_time":       f.EndTime,
		"request_id":     f.RequestID,
		"parent_id":      f.ParentID,
		"sensitive_data": f.SensitiveData,
		"detection_type": f.DetectionType,
		"severity":       f.Severity,
		"decision":       f.Decision,
		"rule":           f.Rule,
		"principal":      f.Principal,
		"order":          f.Order,
		"limit":          f.Limit,
		"offset":         f.Offset,
		"cursor":         f.Cursor,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Page is one page of records from the log.
type Page struct {
	Records []*mcpproxy.Record `json:"activities"`
	Total   int                `json:"total" doc:"Records that match, on all pages"`
	More    bool               `json:"total_is_at_least,omitempty" doc:"Whether there may be more than total: beyond 10,000, records of one session, request, parent or time are not always counted to the end"`
	Limit   int                `json:"limit"`
	Offset  int                `json:"offset"`
	Next    string             `json:"next_cursor,omitempty" doc:"Cursor of the next page"`
	// Ran is omitted for readers who may not see the bodies of records.
	Ran map[string]string `json:"ran,omitempty" doc:"What calls of agents' own tools ran or used: the beginning of the command, or the file, the address or what was searched for, by the id of the record"`
}

// countedTo limits the total of a page if counting is slow.
const countedTo = 10_000

func (s *server) activity(ctx context.Context, in *Filters) (*answer[Page], error) {
	q, err := ledger.ParseFilter(in.Values())
	if err != nil {
		return nil, newError(400, err.Error())
	}
	page := Page{Records: []*mcpproxy.Record{}, Limit: q.Limit, Offset: q.Offset}
	q.Brief = true // read only one body at a time
	err = s.Store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		page.Records = append(page.Records, readable(ctx, r))
		return nil
	})
	if err == nil {
		page.Total, err = s.Store.CountUpTo(ctx, q, countedTo)
		page.More = page.Total == countedTo
	}
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	if page.Ran, err = s.ran(ctx, q, page.Records); err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	if len(page.Records) == q.Limit {
		page.Next = page.Records[len(page.Records)-1].ID
	}
	return success(page)
}

// ran returns what agents' own tools ran or used, for records that match q and were read
// without bodies. It reads the bodies only if the page can contain such a call.
func (s *server) ran(ctx context.Context, q ledger.Filter, records []*mcpproxy.Record) (map[string]string, error) {
	shown := map[string]bool{}
	for _, r := range records {
		if r.ServerName == "" && r.ToolName != "" {
			shown[r.ID] = true
		}
	}
	if len(shown) == 0 || !auth.From(ctx).IsOwner() {
		return nil, nil
	}
	out := map[string]string{}
	q.Brief = false
	err := s.Store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		if command := r.Ran(); command != "" && shown[r.ID] {
			out[r.ID] = command
		}
		return nil
	})
	return out, err
}

type byID struct {
	ID string `path:"id" doc:"Activity id"`
}

type shownByID struct {
	ID       string `path:"id" doc:"Activity id"`
	Personal string `query:"personal" enum:"mask,show" default:"mask" doc:"show: with the personal data that the log masks, for the owner"`
}

func (s *server) record(ctx context.Context, in *shownByID) (*answer[*mcpproxy.Record], error) {
	log := s.Store
	if in.Personal == "show" {
		log = s.clear(ctx)
	}
	r, err := log.Get(ctx, in.ID)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, newError(404, "there is no activity "+strconv.Quote(in.ID))
	}
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	return success(readable(ctx, r))
}

// clear returns the log with personal data if the request comes from the owner, and not from a process of an agent.
// Others get the log with personal data masked.
func (s *server) clear(ctx context.Context) ledger.Store {
	if s.Clear == nil || !auth.From(ctx).IsOwner() || s.Peers.MayDecide(ctx) != nil {
		return s.Store
	}
	return s.Clear
}

func (s *server) explain(ctx context.Context, in *byID) (*answer[explain.Explanation], error) {
	a, err := s.record(ctx, &shownByID{ID: in.ID, Personal: "show"})
	if err != nil {
		return nil, err
	}
	return success(explain.Of(a.Body.Data))
}
