package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/postgres/pgtest"
	"mcpproxy/internal/ship"
)

// call returns a random record of a tool call with 1 KB of arguments and response, as busy machines send them.
func call(i int, rng *rand.Rand) *mcpproxy.Record {
	server := rng.IntN(20)
	r := &mcpproxy.Record{
		ID:            ulid.Make().String(),
		Type:          mcpproxy.RecordToolCall,
		Source:        "mcp",
		Principal:     "local",
		Timestamp:     time.Now().UTC().Truncate(time.Microsecond),
		SessionID:     fmt.Sprint("session-", i/2000),
		FlowSessionID: fmt.Sprint("flow-", i/5000),
		RequestID:     strconv.Itoa(i),
		ServerName:    fmt.Sprint("server-", server),
		ToolName:      fmt.Sprint("tool-", server, "-", rng.IntN(6)),
		Status:        mcpproxy.StatusSuccess,
		Decision:      mcpproxy.Allow,
		RiskLevel:     mcpproxy.RiskNone,
		Arguments:     json.RawMessage(fmt.Sprintf(`{"text":"%x"}`, prose(250, rng))),
		Response:      json.RawMessage(fmt.Sprintf(`"%x"`, prose(250, rng))),
	}
	r.Metadata.Kind = mcpproxy.KindTool
	r.Metadata.Operation = mcpproxy.Read
	r.Metadata.Classification = &mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 0.9, Method: mcpproxy.ByHeuristic}
	switch luck := rng.IntN(1000); {
	case luck < 5:
		r.Type = mcpproxy.RecordPolicyDecision
		r.Status = mcpproxy.StatusBlocked
		r.Decision = mcpproxy.Deny
		r.Rule = "security.flow_policy.sensitive_data_external"
		r.RiskLevel = mcpproxy.RiskCritical
		r.RiskScore = 90
		r.FlowType = mcpproxy.InternalToExternal
	case luck < 130:
		r.Status, r.ErrorMessage = mcpproxy.StatusError, "not found"
	case luck < 330:
		r.Type, r.ParentID = mcpproxy.RecordHookEvaluation, r.ID
	}
	return r
}

// prose returns n random bytes.
func prose(n int, rng *rand.Rand) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(rng.Uint32())
	}
	return out
}

// sender is an enrolled machine with batches that are already encoded.
type sender struct {
	signer  *ledger.Signer
	last    int64
	batches [][]byte
}

// batches returns n records in the batches in which a machine sends them.
func batches(tb testing.TB, signer *ledger.Signer, n int) (all []*ship.Batch) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	prev := ""
	for from := 0; from < n; from += ship.MaxRecords {
		b := &ship.Batch{Program: "1.0", First: int64(from) + 1, Prev: prev}
		head := ledger.Checkpoint{Reason: ledger.ReasonHead}
		for i := from; i < min(from+ship.MaxRecords, n); i++ {
			r := call(i, rng)
			s, err := ledger.Seal(prev, r)
			if err != nil {
				tb.Fatal(err)
			}
			prev = s.Hash
			head.Seq = int64(i) + 1
			head.Count = head.Seq
			head.ID, head.Hash = r.ID, s.Hash
			b.Records = append(b.Records, ship.Record{
				Body:      s.Body,
				Salt:      s.Salt,
				Arguments: s.Arguments,
				Response:  s.Response,
			})
		}
		b.Head = signer.Sign(head, time.Now())
		all = append(all, b)
	}
	return all
}

func newSender(s *service, folder string, n int) (*sender, error) {
	signer, err := ledger.OpenSigner(folder)
	if err != nil {
		return nil, err
	}
	e, err := ship.Enroll(context.Background(), s.url(), "", s.token(), "simulated", signer)
	if err != nil {
		return nil, err
	}
	out := &sender{signer: signer, last: e.Request}
	for _, b := range batches(s.t, signer, n) {
		raw, err := b.Encode()
		if err != nil {
			return nil, err
		}
		out.batches = append(out.batches, raw)
	}
	return out, nil
}

// send sends all batches.
func (s *sender) send(hub string) error {
	for _, body := range s.batches {
		r, err := http.NewRequest(http.MethodPost, hub+ship.PathRecords, bytes.NewReader(body))
		if err != nil {
			return err
		}
		s.last = max(s.last+1, time.Now().UnixMicro())
		ship.Sign(r, s.signer, ship.PathRecords, s.last, body)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("the hub answered %d %s (%w)", resp.StatusCode, raw, err)
		}
	}
	return nil
}

// used returns the processor time that this process has used.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkIngest measures a hub and its database while they receive batches of records over HTTP. The environment
// variable MACHINES is the number of machines that send at once; 4 by default. BenchmarkEncode measures the
// machine's side.
func BenchmarkIngest(b *testing.B) {
	machines, err := strconv.Atoi(os.Getenv("MACHINES"))
	if err != nil {
		machines = 4
	}
	s := newService(b)
	each := (b.N + machines - 1) / machines
	senders := make([]*sender, machines)
	bytes := 0
	for i := range senders {
		if senders[i], err = newSender(s, b.TempDir(), each); err != nil {
			b.Fatal(err)
		}
		for _, batch := range senders[i].batches {
			bytes += len(batch)
		}
	}
	database, err := pgtest.CPU()
	if err != nil {
		b.Fatal(err)
	}
	own := used(b)
	b.ResetTimer()
	var group errgroup.Group
	for _, sender := range senders {
		group.Go(func() error { return sender.send(s.url()) })
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	n := float64(each * machines)
	own = used(b) - own
	after, err := pgtest.CPU()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(n/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(own.Microseconds())/n, "hub-µs/record")
	b.ReportMetric(float64((after-database).Microseconds())/n, "postgres-µs/record")
	b.ReportMetric(float64(bytes)/n, "B/record")
}

// BenchmarkEncode measures how long a machine takes to encode a batch of sealed records.
func BenchmarkEncode(b *testing.B) {
	signer, err := ledger.OpenSigner(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	batch := batches(b, signer, ship.MaxRecords)[0]
	for b.Loop() {
		if _, err := batch.Encode(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(batch.Records)), "µs/record")
}

// BenchmarkNewTools measures the query for new tools in a log of 30 days with 20 servers and 2,400 tools. The
// environment variable RECORDS is the number of records; 1,000,000 by default.
func BenchmarkNewTools(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("RECORDS"))
	if err != nil {
		n = 1_000_000
	}
	s := newService(b)
	conn, err := pgx.Connect(b.Context(), s.database)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	for day := range 30 {
		at := time.Now().UTC().AddDate(0, 0, day-29)
		name := "mcpproxy_records_" + at.Format("20060102")
		_, err := conn.Exec(b.Context(), fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s PARTITION OF mcpproxy_records
			FOR VALUES FROM ('%s') TO ('%s')`, name, at.Format(time.DateOnly), at.AddDate(0, 0, 1).Format(time.DateOnly)))
		if err != nil {
			b.Fatal(err)
		}
		_, err = conn.Exec(b.Context(), `INSERT INTO mcpproxy_records (day, writer, seq, id, ts, type, session, flow, request,
			parent, principal, server, tool, status, decision, rule, flow_type, risk, sensitive, detections, severity, form,
			prev, hash, body) SELECT $1::date, 'w' || i % 100, $2::bigint * 1000000 + i, $2::text || '-' || i,
			extract(epoch FROM $1::date)::bigint * 1000000 + i, 'tool_call', 's' || i / 1000, '', '', '', 'local',
			'server-' || i % 20, CASE WHEN $2 = 28 AND i % 10000 = 0 THEN 'new' ELSE 'tool-' || i % 2400 END, 'success', 'allow',
			'', '', 0, false, ',', -1, 4, '', '', convert_to(repeat('x', 500), 'UTF8') FROM generate_series(1, $3) i`,
			at.Truncate(24*time.Hour), day, n/30)
		if err != nil {
			b.Fatal(err)
		}
	}
	if _, err := conn.Exec(b.Context(), "ANALYZE mcpproxy_records"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found, err := s.store.NewTools(b.Context(), time.Now().Add(-7*24*time.Hour))
		if err != nil || len(found) == 0 || found[0].Tool != "new" {
			b.Fatalf("%+v, %v", found, err)
		}
	}
}
