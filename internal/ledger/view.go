package ledger

import (
	"context"

	"mcpproxy"
)

// Viewed returns a store that passes each record through a view when it is read, such as one that masks a part of it.
func Viewed(s Store, view func(*mcpproxy.Record) *mcpproxy.Record) Store { return viewed{s, view} }

type viewed struct {
	Store
	view func(*mcpproxy.Record) *mcpproxy.Record
}

func (v viewed) Get(ctx context.Context, id string) (*mcpproxy.Record, error) {
	r, err := v.Store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return v.view(r), nil
}

func (v viewed) Scan(ctx context.Context, q Filter, f func(*mcpproxy.Record) error) error {
	return v.Store.Scan(ctx, q, func(r *mcpproxy.Record) error { return f(v.view(r)) })
}
