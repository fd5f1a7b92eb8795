package sqlite

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Summarize counts the matching records by their fields.
func (s *Store) Summarize(ctx context.Context, q ledger.Filter) (ledger.Breakdown, error) {
	sum := newSums()
	p, err := s.plan(ctx, uncut(q))
	if err != nil || p.empty {
		return sum.summary(), err
	}
	kinds, err := s.findKinds(ctx, kindConditions(q))
	if err != nil {
		return sum.summary(), err
	}
	byNumber := map[int64]*recordKind{}
	for i := range kinds {
		byNumber[kinds[i].number] = &kinds[i].recordKind
	}
	per := map[int64]int{}
	add := func(at, number, n int64) {
		if k := byNumber[number]; k != nil { // skip kinds that were added meanwhile
			per[number] += int(n)
			sum.addTime(at, k, int(n))
		}
	}
	if sum.width, err = s.width(ctx, p); err != nil {
		return sum.summary(), err
	}
	if p.narrow() {
		err = walk(ctx, s.reads, p, func(r *row) bool { add(r.ts, r.kind, 1); return true })
	} else {
		err = s.eachStretch(ctx, p, sum.width, add)
	}
	for number, n := range per {
		sum.addKind(byNumber[number], n)
	}
	return sum.summary(), err
}

// width returns the length of the buckets for the possible matches, in microseconds.
func (s *Store) width(ctx context.Context, p *queryPlan) (int64, error) {
	start, end := int64(math.MinInt64), int64(math.MaxInt64)
	if p.timed {
		start, end = p.start, p.end
	}
	tail, err := firstOpen(ctx, s.reads)
	if err != nil {
		return 0, err
	}
	var low, high int64
	err = s.db.QueryRowContext(ctx, `SELECT coalesce(min(low), 0), coalesce(max(high), 0) FROM (
		SELECT low, high FROM segments WHERE high >= ?1 AND low <= ?2 UNION ALL
		SELECT low, high FROM blocks WHERE block >= ?3 AND high >= ?1 AND low <= ?2)`, start, end, tail).Scan(&low, &high)
	span := time.Duration(min(high, end)-max(low, start)) * time.Microsecond
	return ledger.BucketWidth(span).Microseconds(), err
}

// sums collects the counts of a summary.
type sums struct {
	ledger.Breakdown
	lists map[string]map[string]int
	width int64 // width of a bucket, in microseconds
	times map[int64]*ledger.Bucket
}

func newSums() *sums {
	s := &sums{lists: map[string]map[string]int{}, times: map[int64]*ledger.Bucket{}}
	s.Status = map[mcpproxy.Status]int{}
	s.Risk = map[mcpproxy.RiskLevel]int{}
	s.AtLeastRisk = map[mcpproxy.RiskLevel]int{}
	for _, status := range mcpproxy.Statuses {
		s.Status[status] = 0
	}
	for _, level := range mcpproxy.RiskLevels {
		s.Risk[level], s.AtLeastRisk[level] = 0, 0
	}
	delete(s.AtLeastRisk, mcpproxy.RiskNone)
	return s
}

func (s *sums) list(name, value string, n int) {
	if value == "" {
		return
	}
	if s.lists[name] == nil {
		s.lists[name] = map[string]int{}
	}
	s.lists[name][value] += n
}

func (s *sums) addKind(k *recordKind, n int) {
	s.Total += n
	s.Status[mcpproxy.Status(k.Status)] += n
	for i, level := range mcpproxy.RiskLevels {
		if int64(i) == k.Risk {
			s.Risk[level] += n
		}
		if i > 0 && int64(i) <= k.Risk {
			s.AtLeastRisk[level] += n
		}
	}
	if k.Status == string(mcpproxy.StatusBlocked) {
		s.Blocked += n
	}
	s.Sensitive += n * int(k.Sensitive)
	s.list("type", k.Type, n)
	s.list("decision", k.Decision, n)
	s.list("flow_type", k.FlowType, n)
	s.list("server", k.Server, n)
	s.list("rule", k.Rule, n)
	if k.Tool != "" && k.Server != "" {
		s.list("tool", k.Server+":"+k.Tool, n)
	} else {
		s.list("tool", k.Tool, n)
	}
	for _, d := range strings.Split(k.Detections, ",") {
		s.list("detection", d, n)
	}
}

func (s *sums) addTime(at int64, k *recordKind, n int) {
	number := floor(at, s.width)
	b := s.times[number]
	if b == nil {
		b = &ledger.Bucket{}
		s.times[number] = b
	}
	b.Total += n
	if k.Status == string(mcpproxy.StatusBlocked) {
		b.Blocked += n
	}
	if k.Risk >= int64(mcpproxy.RiskHigh.Rank()) {
		b.Risky += n
	}
}

func (s *sums) summary() ledger.Breakdown {
	for name, to := range map[string]*[]ledger.Value{"type": &s.Types, "decision": &s.Decisions, "flow_type": &s.FlowTypes} {
		*to = ranked(s.lists[name], 0)
	}
	for name, to := range map[string]*[]ledger.Value{
		"server":    &s.Servers,
		"tool":      &s.Tools,
		"rule":      &s.Rules,
		"detection": &s.Detections,
	} {
		*to = ranked(s.lists[name], ledger.Top)
	}
	s.Buckets = []ledger.Bucket{}
	if len(s.times) == 0 {
		return s.Breakdown
	}
	numbers := slices.Collect(maps.Keys(s.times))
	low := slices.Min(numbers)
	s.Width = int(s.width / 1_000_000)
	s.Buckets = make([]ledger.Bucket, slices.Max(numbers)-low+1)
	for i := range s.Buckets {
		at := low + int64(i)
		if b := s.times[at]; b != nil {
			s.Buckets[i] = *b
		}
		s.Buckets[i].Start = time.UnixMicro(at * s.width).UTC()
	}
	return s.Breakdown
}

// ranked returns the values, most frequent first, at most limit unless limit is 0.
func ranked(counts map[string]int, limit int) []ledger.Value {
	out := []ledger.Value{}
	for v, n := range counts {
		out = append(out, ledger.Value{Value: v, Records: n})
	}
	slices.SortFunc(out, func(a, b ledger.Value) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Value, b.Value))
	})
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out
}

// Values lists the values of a field in the log.
func (s *Store) Values(ctx context.Context, field string, limit int) ([]ledger.Value, error) {
	if field == "session_id" {
		return s.sessions(ctx, limit)
	}
	kinds, err := s.findKinds(ctx, &where{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i := range kinds {
		values, ok := kinds[i].values(field)
		if !ok {
			return nil, ledger.ErrNoSuchField
		}
		for _, v := range values {
			if v != "" {
				counts[v] += int(kinds[i].records)
			}
		}
	}
	if len(kinds) == 0 {
		if _, ok := (&recordKind{}).values(field); !ok {
			return nil, ledger.ErrNoSuchField
		}
	}
	return ranked(counts, limit), nil
}

// values returns the values of a field of the filter.
func (k *recordKind) values(field string) (values []string, ok bool) {
	switch field {
	case "type":
		return []string{k.Type}, true
	case "principal":
		return []string{k.Principal}, true
	case "server":
		return []string{k.Server}, true
	case "tool":
		return []string{k.Tool}, true
	case "status":
		return []string{k.Status}, true
	case "decision":
		return []string{k.Decision}, true
	case "rule":
		return []string{k.Rule}, true
	case "flow_type":
		return []string{k.FlowType}, true
	case "risk_level":
		if k.Risk < 0 {
			return nil, true // the record is not about a call
		}
		return []string{string(mcpproxy.RiskLevels[k.Risk])}, true
	case "detection_type":
		return strings.Split(k.Detections, ","), true
	case "severity":
		if k.Severity < 0 {
			return nil, true
		}
		return []string{string(mcpproxy.Severities[k.Severity])}, true
	}
	return nil, false
}

// sessions returns the sessions with the most records.
func (s *Store) sessions(ctx context.Context, limit int) ([]ledger.Value, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT name, records FROM scopes ORDER BY records DESC, name LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []ledger.Value{}
	for rows.Next() {
		var v ledger.Value
		if err := rows.Scan(&v.Value, &v.Records); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
