package api

import (
	"context"
	"errors"

	"mcpproxy/internal/ledger"
)

func (s *server) summary(ctx context.Context, in *Filters) (*answer[ledger.Breakdown], error) {
	q, err := ledger.ParseFilter(in.Values())
	if err != nil {
		return nil, newError(400, err.Error())
	}
	sum, err := s.Store.Summarize(ctx, q)
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	return success(sum)
}

type field struct {
	Field string `path:"field" enum:"type,server,tool,status,decision,rule,principal,flow_type,risk_level,detection_type,severity,session_id" doc:"A filter"`
}

// maxOptions limits the values listed for a filter.
const maxOptions = 200

// options lists the values of a filter that occur in the log.
func (s *server) options(ctx context.Context, in *field) (*answer[[]ledger.Value], error) {
	values, err := s.Store.Values(ctx, in.Field, maxOptions)
	if errors.Is(err, ledger.ErrNoSuchField) {
		return nil, newError(404, err.Error())
	}
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	return success(values)
}
