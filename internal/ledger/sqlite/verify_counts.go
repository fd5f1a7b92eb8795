package sqlite

import (
	"context"
	"fmt"
	"maps"
)

// checkCounts holds the counts by kind, session and block against what was
// walked: a wrong one hides records from those who look for them.
func (v *verifier) checkCounts(ctx context.Context) error {
	if v.rep.Since != "" {
		return nil
	}
	kinds, scopes, blocks := map[string]string{}, map[string]string{}, map[string]string{}
	for k, n := range v.sum.kinds {
		kinds[fmt.Sprint(k)] = fmt.Sprint(n.records, " ", n.last)
	}
	for s, n := range v.sum.scopes {
		scopes[fmt.Sprint(s)] = fmt.Sprint(n)
	}
	for b, s := range v.sum.blocks {
		blocks[fmt.Sprint(b)] = fmt.Sprintf("%d %d %X", s.low, s.high, s.counts())
	}
	for _, t := range []struct {
		name, query string
		want        map[string]string
	}{
		{"kinds", "SELECT kind, records || ' ' || last FROM kinds", kinds},
		{"scopes", "SELECT scope, records FROM scopes", scopes},
		{"blocks", "SELECT block, low || ' ' || high || ' ' || hex(counts) FROM blocks", blocks},
	} {
		got, err := v.pairs(ctx, t.query)
		if err != nil {
			return err
		}
		if !maps.Equal(got, t.want) {
			return v.fail("", "the table %s does not agree with the records: searches may miss some", t.name)
		}
	}
	return nil
}

// pairs reads two columns.
func (v *verifier) pairs(ctx context.Context, query string) (map[string]string, error) {
	rows, err := v.tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, rows.Err()
}
