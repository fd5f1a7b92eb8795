package postgres_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/postgres/pgtest"
)

// benchDays is the number of partitions.
const benchDays = 90

// many fills a log with copies of one record: RECORDS of them (90,000 by default), spread over 90 days.
func many(b *testing.B, url string) (total int) {
	b.Helper()
	total = 1000 * benchDays
	if said := os.Getenv("RECORDS"); said != "" {
		var err error
		if total, err = strconv.Atoi(said); err != nil {
			b.Fatal(err)
		}
	}
	s := open(b, url, b.TempDir())
	r := ledgertest.Full()
	r.Timestamp = time.Now().UTC()
	if err := s.Append(b.Context(), []*mcpproxy.Record{r}); err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	const columns = `type, session, flow, parent, principal, server, tool, status, decision, rule, flow_type, risk, sensitive,
		detections, severity, form, prev, hash, body, salt, arguments, response`
	for d := range benchDays {
		day := time.Now().UTC().AddDate(0, 0, -d)
		name := "mcpproxy_bench_" + strconv.Itoa(d)
		if d > 0 { // the partitions of today and the next days are there
			_, err = conn.Exec(b.Context(), "CREATE TABLE "+name+" PARTITION OF mcpproxy_records FOR VALUES FROM ('"+
				day.Format(time.DateOnly)+"') TO ('"+day.AddDate(0, 0, 1).Format(time.DateOnly)+"')")
			if err != nil {
				b.Fatal(err)
			}
		}
		at := day.Truncate(24 * time.Hour).UnixMicro()
		n := total / benchDays
		_, err := conn.Exec(b.Context(), `INSERT INTO mcpproxy_records (day, writer, seq, id, ts, request, `+columns+`)
			SELECT $1::date, 'bench', $2::bigint + n, $1::text || '-' || n, $3::bigint + n, '', `+columns+`
			FROM (SELECT * FROM mcpproxy_records WHERE writer <> 'bench' LIMIT 1) AS one, generate_series(1, $4::bigint) AS n`,
			day.Format(time.DateOnly), int64(d)*int64(n), at, n)
		if err == nil {
			_, err = conn.Exec(b.Context(), `INSERT INTO mcpproxy_writers VALUES ('bench', '', 'bench') ON CONFLICT DO NOTHING`)
		}
		if err == nil {
			_, err = conn.Exec(b.Context(), "INSERT INTO mcpproxy_days VALUES ($1, 'bench', $2, $3, $4, '')",
				day.Format(time.DateOnly), n, at, at+int64(n))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if _, err := conn.Exec(b.Context(), "ANALYZE mcpproxy_records"); err != nil {
		b.Fatal(err)
	}
	return total
}

// A page of the records of one day is read from one of ninety partitions.
func BenchmarkPageOfManyDays(b *testing.B) {
	url := pgtest.Schema(b)
	total := many(b, url)
	s := open(b, url, b.TempDir())
	middle := time.Now().UTC().AddDate(0, 0, -benchDays/2).Truncate(24 * time.Hour)
	for name, f := range map[string]ledger.Filter{
		"newest":         {},
		"a day":          {Start: middle, End: middle.Add(24*time.Hour - time.Microsecond)},
		"a server's day": {Start: middle, End: middle.Add(24*time.Hour - time.Microsecond), Server: "slack"},
	} {
		b.Run(name, func(b *testing.B) {
			f.Limit, f.Brief = 50, true
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				n := 0
				if err := s.Scan(b.Context(), f, func(*mcpproxy.Record) error { n++; return nil }); err != nil || n != f.Limit {
					b.Fatalf("%d records, %v", n, err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100])/1e6, "p95-ms")
			b.ReportMetric(float64(total), "records")
		})
	}
	b.Run("partitions of a day", func(b *testing.B) {
		conn, err := pgx.Connect(b.Context(), url)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close(context.Background())
		rows, err := conn.Query(b.Context(), "EXPLAIN SELECT id FROM mcpproxy_records WHERE day BETWEEN $1 AND $2 AND ts >= $3",
			middle, middle, middle.UnixMicro())
		if err != nil {
			b.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			b.Fatal(err)
		}
		read := strings.Count(strings.Join(plan, "\n"), " on mcpproxy_")
		if b.ReportMetric(float64(read), "partitions"); read != 1 {
			b.Errorf("%d partitions are read:\n%s", read, strings.Join(plan, "\n"))
		}
	})
}
