package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Found is the answer of search_activity.
type Found struct {
	Records []Entry `json:"activities"`
	Total   int     `json:"total" jsonschema:"Records that match, on all pages; 10000 is that or more"`
	Next    string  `json:"next_cursor,omitempty" jsonschema:"The cursor to ask for what comes after; absent at the end"`
}

// countedTo is the largest exact total; counting more matches takes too long.
const countedTo = 10_000

// described holds the descriptions of the filters whose name alone does not explain them.
var described = map[string]string{
	"type":           "Record types, separated by commas: tool_call, policy_decision, hook_evaluation, flow_summary, …",
	"session_id":     "Protocol or flow session",
	"status":         "success, error, blocked or rejected",
	"flow_type":      "Such as internal->external",
	"risk_level":     "This level and above: low, medium, high, critical",
	"start_time":     "RFC 3339",
	"end_time":       "RFC 3339",
	"decision":       "allow, warn, redact, ask or deny",
	"rule":           "Exact name of the rule that decided",
	"principal":      "Who called: local, or a token's name",
	"order":          "asc is oldest first, desc is newest first; desc when absent",
	"severity":       "Of sensitive data, this severity and above",
	"detection_type": "Of sensitive data, such as github_token",
	"cursor":         "The next_cursor of the page before",
}

// filters are the arguments of search_activity: the filters of the log's listing.
var filters = slices.DeleteFunc(slices.Clone(ledger.FilterNames), func(name string) bool { return name == "offset" })

func searchIn() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, name := range filters {
		p := &jsonschema.Schema{Type: "string", Description: described[name]}
		switch name {
		case "limit":
			low, high := 1.0, float64(ledger.MaxLimit)
			p = &jsonschema.Schema{
				Type:        "integer",
				Minimum:     &low,
				Maximum:     &high,
				Description: "How many records at most",
			}
		case "sensitive_data":
			p = &jsonschema.Schema{Type: "boolean", Description: "Whether sensitive data was seen"}
		}
		s.Properties[name] = p
	}
	return s
}

func (b *Toolset) search(ctx context.Context, arguments json.RawMessage) (any, error) {
	var in map[string]any
	if err := read(arguments, &in); err != nil {
		return nil, err
	}
	v := url.Values{}
	for name, value := range in {
		if !slices.Contains(filters, name) {
			return nil, fmt.Errorf("there is no filter %q: there are %s", cut(name), strings.Join(filters, ", "))
		}
		switch value.(type) {
		case string, bool, float64:
			v.Set(name, fmt.Sprint(value))
		case nil:
		default:
			return nil, fmt.Errorf("%s must be a single value", name)
		}
	}
	if v.Get("order") == "" {
		v.Set("order", "desc")
	}
	q, err := ledger.ParseFilter(v)
	if err != nil {
		return nil, err
	}
	q.Brief = true
	p, more := page{entries: []Entry{}, left: MaxAnswer - 1024}, false
	asked := q.Limit
	q.Limit++ // one more record shows whether another page follows
	err = b.Store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		if len(p.entries) == asked || !p.add(r) {
			more = true
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, broken(err)
	}
	out := Found{Records: p.entries}
	if out.Total, err = b.Store.CountUpTo(ctx, q, countedTo); err != nil {
		return nil, broken(err)
	}
	if more && len(p.entries) > 0 {
		out.Next = p.entries[len(p.entries)-1].ID
	}
	return out, nil
}

// errEnough stops a scan early.
var errEnough = errors.New("enough")

// Suggestions is the answer of suggest_policies.
type Suggestions struct {
	Since       time.Time `json:"since"`
	Suggestions any       `json:"suggestions"`
	Omitted     int       `json:"omitted,omitempty" jsonschema:"Suggestions that did not fit; ask about a shorter time"`
}

func (b *Toolset) suggest(ctx context.Context, arguments json.RawMessage) (any, error) {
	since, err := sinceOf(arguments)
	if err != nil {
		return nil, err
	}
	if b.Suggest == nil {
		return nil, errors.New(
			"this daemon cannot derive rules from its log",
		)
	}
	got, err := b.Suggest(ctx, since)
	if err != nil {
		return nil, broken(err)
	}
	raw, err := marshal(got)
	if err != nil {
		return nil, broken(err)
	}
	out := Suggestions{Since: since, Suggestions: json.RawMessage(raw)}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return out, nil
	}
	left, kept := MaxAnswer-1024, []json.RawMessage{}
	for i, one := range list {
		if left -= len(one) + 1; left < 0 {
			out.Omitted = len(list) - i
			break
		}
		kept = append(kept, one)
	}
	out.Suggestions = kept
	return out, nil
}
