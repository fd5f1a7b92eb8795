package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	strict "github.com/go-json-experiment/json"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/policy/replay"
)

// Policies gives access to the policy in force.
type Policies interface {
	// With returns the policy in force after merging a part of a configuration into it. The error
	// says what is wrong with the part.
	With(part []byte) (replay.Policy, error)
	// WithBundle returns the policy that results from the configuration file and a bundle, which
	// may be unsigned. The error says what is wrong with the bundle.
	WithBundle(source []byte) (replay.Policy, error)
	// Rules returns the names of the user's own rules in force.
	Rules() []string
}

// Limits of a simulation.
const (
	maxPolicy      = 1 << 20 // bytes of the request
	defaultChanges = 100     // listed calls
)

// simulation is the request for a simulation.
type simulation struct {
	Policy json.RawMessage `json:"policy"`          // a configuration, or a part of one
	Bundle json.RawMessage `json:"bundle"`          // content of a bundle, instead of policy
	Since  string          `json:"since,omitempty"` // a time, or how long ago: 7d, 12h
	Until  string          `json:"until,omitempty"`
	Limit  *int            `json:"limit,omitempty"` // changes listed; 0 for all, 100 when absent
}

// Simulation is the answer of a policy simulation.
type Simulation struct {
	replay.Sum
	Changes []replay.Change `json:"changes" doc:"Calls that would have been decided differently, newest first"`
}

// simulate replays the log with another policy. It streams the changes, so that neither side stores
// all of them.
func (s *server) simulate(w http.ResponseWriter, r *http.Request) {
	in, q, err := readSimulation(http.MaxBytesReader(w, r.Body, maxPolicy))
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	var p replay.Policy
	if len(in.Bundle) > 0 {
		p, err = s.Policies.WithBundle(in.Bundle)
	} else {
		p, err = s.Policies.With(in.Policy)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	limit := defaultChanges
	if in.Limit != nil {
		limit = *in.Limit
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err = io.WriteString(w, `{"success":true,"data":{"changes":[`); err == nil {
		err = s.simulated(r.Context(), w, q, p, limit)
	}
	if err != nil {
		slog.Warn("a simulation ended early", "error", err)
		panic(http.ErrAbortHandler) // the status is already sent; the client notices the aborted answer
	}
}

// simulated writes the changes and the totals.
func (s *server) simulated(ctx context.Context, w io.Writer, q ledger.Filter, p replay.Policy, limit int) error {
	n := 0
	sum, err := replay.Simulate(ctx, s.scan(ctx, q), p, func(c replay.Change) error {
		if n++; limit > 0 && n > limit {
			return nil
		}
		raw, err := json.Marshal(c)
		if err == nil && n > 1 {
			raw = append([]byte(","), raw...)
		}
		if err == nil {
			_, err = w.Write(raw)
		}
		return err
	})
	if err != nil {
		return err
	}
	raw, err := json.Marshal(sum)
	if err == nil {
		_, err = fmt.Fprintf(w, "],%s}\n", raw[1:]) // the members of the totals follow
	}
	return err
}

// scan reads the log for a replay.
func (s *server) scan(ctx context.Context, q ledger.Filter) replay.Scan {
	return func(f func(*mcpproxy.Record) error) error { return s.clear(ctx).Scan(ctx, q, f) }
}

// readSimulation parses a request.
func readSimulation(body io.Reader) (simulation, ledger.Filter, error) {
	var in simulation
	raw, err := io.ReadAll(body)
	if err == nil {
		err = checkJSON(raw)
	}
	if err != nil {
		return in, ledger.Filter{}, fmt.Errorf("the request cannot be read: %w", err)
	}
	if err := strict.Unmarshal(raw, &in, strict.RejectUnknownMembers(true)); err != nil {
		return in, ledger.Filter{}, fmt.Errorf(
			`the request cannot be read: %w; send {"policy": {"security": {…}}, "since": "7d"}`,
			err,
		)
	}
	switch {
	case in.Limit != nil && *in.Limit < 0:
		return in, ledger.Filter{}, errors.New("limit: must be a number of at least 0; 0 means all")
	case len(in.Bundle) > 0 && (len(in.Policy) > 0 || in.Bundle[0] != '{'):
		return in, ledger.Filter{}, errors.New("bundle: must be an object, and replaces policy")
	case len(in.Bundle) > 0:
	case len(in.Policy) == 0 || in.Policy[0] != '{':
		return in, ledger.Filter{}, errors.New(
			"policy: must be an object, such as the configuration file or a part of it",
		)
	case bytes.Contains(in.Policy, []byte("${")):
		return in, ledger.Filter{}, errors.New(
			"policy: references such as ${env:NAME} are not resolved here; write the value",
		)
	}
	q, err := period(in.Since, in.Until)
	return in, q, err
}

// period selects calls by time: a time, or how long ago.
func period(since, until string) (ledger.Filter, error) {
	q := ledger.Filter{
		Types: []mcpproxy.RecordType{
			mcpproxy.RecordToolCall,
			mcpproxy.RecordPolicyDecision,
			mcpproxy.RecordHookEvaluation,
		},
	}
	var err error
	if q.Start, err = moment("since", since, time.Now()); err != nil {
		return q, err
	}
	if q.End, err = moment("until", until, time.Now()); err != nil {
		return q, err
	}
	if !q.Start.IsZero() && !q.End.IsZero() && q.End.Before(q.Start) {
		return q, errors.New("until is before since: swap them")
	}
	return q, nil
}

// moment parses a time, or how long ago: in days, or a Go duration.
func moment(name, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := ledger.ParseTime(s); err == nil {
		return t, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf(
		"%s: %q is neither how long ago (7d, 12h) nor an RFC 3339 time such as 2026-01-31T15:04:05Z",
		name,
		s,
	)
}

// suggesting is the request for suggestions.
type suggesting struct {
	Since string `query:"since" doc:"A time, or how long ago: 30d, 12h; 30d when empty"`
}

func (s *server) suggestions(ctx context.Context, in *suggesting) (*answer[[]replay.Suggestion], error) {
	since := in.Since
	if since == "" {
		since = "30d"
	}
	q, err := period(since, "")
	if err != nil {
		return nil, newError(http.StatusBadRequest, err.Error())
	}
	out, err := Suggestions(ctx, s.clear(ctx), s.Policies, q.Start)
	if err != nil {
		return nil, newError(http.StatusInternalServerError, "the activity log cannot be read", err)
	}
	return success(out)
}

// Suggestions returns the policy changes that the records since a time suggest. The error says why
// the log cannot be read.
func Suggestions(ctx context.Context, log ledger.Store, p Policies, since time.Time) ([]replay.Suggestion, error) {
	q, err := period("", "")
	if err != nil {
		return nil, err
	}
	q.Start, q.Types = since, append(q.Types, mcpproxy.RecordApproval, mcpproxy.RecordServerChange)
	out, err := replay.Suggest(
		ctx,
		func(f func(*mcpproxy.Record) error) error { return log.Scan(ctx, q, f) },
		p.Rules()...)
	if out == nil {
		out = []replay.Suggestion{}
	}
	return out, err
}

// describePolicies documents the operations that are served without huma.
func (s *server) describePolicies(doc *huma.OpenAPI) {
	doc.AddOperation(&huma.Operation{
		OperationID: "simulate-policy",
		Method:      http.MethodPost,
		Path:        "/api/v1/policies/simulate",
		Summary:     "How another policy would have decided the calls in the log",
		RequestBody: &huma.RequestBody{
			Required: true,
			Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: "object",
				Properties: map[string]*huma.Schema{
					"policy": {
						Type:        "object",
						Description: "A configuration, or a part of one that is merged over the one in force (RFC 7396)",
					},
					"bundle": {
						Type:        "object",
						Description: "The content of a bundle for managed machines, in the place of policy",
					},
					"since": {Type: "string", Description: "A time, or how long ago: 7d, 12h"},
					"until": {Type: "string", Description: "A time, or how long ago"},
					"limit": {Type: "integer", Description: "Maximum number of listed changes: 0 for all, 100 when absent"},
				}}}},
		},
		Responses: map[string]*huma.Response{"200": {
			Description: "The changes, newest first, and the totals",
			Content: map[string]*huma.MediaType{
				"application/json": {
					Schema: huma.SchemaFromType(doc.Components.Schemas, reflect.TypeFor[envelope[Simulation]]()),
				},
			},
		}},
	})
}
