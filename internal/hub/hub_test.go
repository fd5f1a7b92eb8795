package hub_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/hub"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/ledger/postgres/pgtest"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/ship"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// service is a hub that can be stopped and started again.
type service struct {
	t        testing.TB
	database string
	address  string
	store    *postgres.Receiver
	server   *http.Server
}

func newService(t testing.TB) *service {
	t.Helper()
	s := &service{t: t, database: pgtest.Schema(t), address: "127.0.0.1:0"}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *service) start() {
	s.t.Helper()
	store, err := postgres.OpenReceiver(context.Background(), s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address, s.store = l.Addr().String(), store
	s.server = &http.Server{Handler: hub.New(store), ReadHeaderTimeout: time.Minute}
	go func(server *http.Server) { _ = server.Serve(l) }(s.server)
}

// stop stops the hub at once, without waiting for the requests that it serves.
func (s *service) stop() {
	s.server.Close()
	s.store.Close()
}

func (s *service) url() string { return "http://" + s.address }

func (s *service) token() string {
	s.t.Helper()
	secret, err := s.store.MakeToken(context.Background(), "test", time.Hour)
	if err != nil {
		s.t.Fatal(err)
	}
	return secret
}

// number returns the number that a query returns.
func (s *service) number(sql string, args ...any) (n int64) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// execute runs a statement on the hub's database.
func (s *service) execute(sql string) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
}

// verify verifies the chains of all machines as the hub itself does.
func (s *service) verify() ledger.Report {
	s.t.Helper()
	own, err := postgres.Open(context.Background(), s.database, s.t.TempDir())
	if err != nil {
		s.t.Fatal(err)
	}
	defer own.Close()
	rep, err := own.Verify(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return rep
}

// machine is a machine with a log of its own.
type machine struct {
	t       testing.TB
	folder  string
	log     *sqlite.Store
	signer  *ledger.Signer
	bare    bool
	demands string
	written int
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{t: t, folder: t.TempDir()}
	m.open()
	t.Cleanup(func() { m.log.Close() })
	return m
}

func (m *machine) open() {
	m.t.Helper()
	var err error
	if m.log, err = sqlite.Open(context.Background(), filepath.Join(m.folder, "activity.db")); err == nil {
		m.signer, err = ledger.OpenSigner(m.folder)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// record returns the record of a call with arguments and a response.
func record() *mcpproxy.Record {
	r := ledgertest.Full()
	r.ID = ulid.Make().String()
	r.Timestamp = time.Now().UTC().Truncate(time.Microsecond)
	return r
}

// write appends n records to the machine's log, a few in each transaction.
func (m *machine) write(n int) {
	m.t.Helper()
	for n > 0 {
		var group []*mcpproxy.Record
		for range min(n, 7) {
			group = append(group, record())
		}
		if err := m.log.Append(context.Background(), group); err != nil {
			m.t.Fatal(err)
		}
		n -= len(group)
		m.written += len(group)
	}
}

func (m *machine) enroll(s *service, token string) error {
	e, err := ship.Enroll(m.t.Context(), s.url(), "", token, "laptop", m.signer)
	if err != nil {
		return err
	}
	return e.Save(m.folder)
}

func (m *machine) unsent(bytes int64) ledger.Unsent {
	m.t.Helper()
	u, err := ship.UnsentOf(m.t.Context(), m.folder, bucket.Place{}, bytes)
	if err != nil {
		m.t.Fatal(err)
	}
	return u
}

// forgetCursor removes the cursor, so that the machine sends its log from the first record.
func (m *machine) forgetCursor() {
	m.t.Helper()
	if err := os.Remove(filepath.Join(m.folder, ship.CursorFile)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) shipper() *ship.Shipper {
	m.t.Helper()
	s, err := ship.New(context.Background(), ship.Options{
		Folder:   m.folder,
		Source:   m.log,
		Signer:   m.signer,
		Bare:     func() bool { return m.bare },
		Demanded: func() string { return m.demands },
		Every:    10 * time.Millisecond,
		Record: func(ctx context.Context, r *mcpproxy.Record) error {
			m.written++
			return m.log.Append(ctx, []*mcpproxy.Record{r})
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// enrolled returns an enrolled machine and its shipper.
func enrolled(t testing.TB, s *service) (*machine, *ship.Shipper) {
	t.Helper()
	m := newMachine(t)
	if err := m.enroll(s, s.token()); err != nil {
		t.Fatal(err)
	}
	return m, m.shipper()
}

// sendAll sends until the hub has every record.
func sendAll(t testing.TB, s *ship.Shipper) {
	t.Helper()
	for {
		more, err := s.Send(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

func TestTwoMachinesShipWhileTheHubRestarts(t *testing.T) {
	s := newService(t)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var machines []*machine
	var shippers []*ship.Shipper
	for range 2 {
		m, shipper := enrolled(t, s)
		machines, shippers = append(machines, m), append(shippers, shipper)
		running.Go(func() { shipper.Keep(ctx) })
	}
	for round := range 4 {
		for _, m := range machines {
			m.write(150)
		}
		if round < 3 {
			s.stop()
			machines[round%2].write(50)
			s.start()
		}
	}
	for i, m := range machines {
		eventually.True(t, fmt.Sprintf("machine %d has sent all %d records", i, m.written), func() bool {
			return shippers[i].Cursor().Seq == int64(m.written)
		})
		id := m.signer.ID()
		if n := s.number("SELECT count(*) FROM mcpproxy_records WHERE writer = $1", id); n != int64(m.written) {
			t.Errorf("the hub has %d records of machine %d, which wrote %d", n, i, m.written)
		}
		disorder := s.number(`SELECT count(*) FROM (SELECT seq, row_number() OVER (ORDER BY day, pos) AS n
			FROM mcpproxy_records WHERE writer = $1) AS r WHERE seq <> n`, id)
		if disorder > 0 {
			t.Errorf("%d records of machine %d are not in their order", disorder, i)
		}
	}
	rep := s.verify()
	if !rep.OK || rep.Records != machines[0].written+machines[1].written || len(rep.Replicas) != 3 {
		t.Errorf("verify: %+v", rep)
	}
}

func TestThePageOfAHubIsNotifiedOfNewRecords(t *testing.T) {
	s := newService(t)
	own, err := postgres.Open(t.Context(), s.database, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var told atomic.Int64
	running.Go(func() { own.FollowMachines(ctx, func() { told.Add(1) }) })
	m, shipper := enrolled(t, s)
	eventually.True(t, "the hub is notified of a machine's records", func() bool {
		m.write(1)
		sendAll(t, shipper)
		time.Sleep(20 * time.Millisecond)
		return told.Load() > 0
	})
}

// intercept returns the next request that the shipper sends. The request does not reach the hub.
func intercept(t *testing.T, m *machine, shipper func() *ship.Shipper) (body []byte, header http.Header) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header.Clone()
		w.WriteHeader(http.StatusServiceUnavailable)
	})}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	there, err := ship.ReadEnrolled(t.Context(), m.folder)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := there
	elsewhere.Hub = "http://" + l.Addr().String()
	if err := elsewhere.Save(m.folder); err != nil {
		t.Fatal(err)
	}
	if _, err := shipper().Send(t.Context()); err == nil || body == nil {
		t.Fatalf("nothing was sent: %v", err)
	}
	if err := there.Save(m.folder); err != nil {
		t.Fatal(err)
	}
	return body, header
}

// post sends a request to the hub and returns its answer.
func (s *service) post(path string, body []byte, header http.Header) string {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.url()+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = header
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, raw)
}

// zipped returns the compressed head of a batch.
func zipped(t *testing.T, head string) []byte {
	t.Helper()
	zip, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return zip.EncodeAll(append(binary.AppendUvarint(nil, uint64(len(head))), head...), nil)
}

// signed returns the header of a request that the machine has signed with the current time.
func signed(m *machine, path string, body []byte) http.Header {
	r := &http.Request{Method: http.MethodPost, Header: http.Header{}}
	ship.Sign(r, m.signer, path, time.Now().UnixMicro(), body)
	return r.Header
}

func TestAHubRefuses(t *testing.T) {
	edit := func(change func(b *ship.Batch)) func(*testing.T, *service, *machine) string {
		return func(t *testing.T, s *service, m *machine) string {
			m.write(3)
			body, _ := intercept(t, m, m.shipper)
			b, err := ship.Decode(body)
			if err != nil {
				t.Fatal(err)
			}
			change(b)
			if body, err = b.Encode(); err != nil {
				t.Fatal(err)
			}
			return s.post(ship.PathRecords, body, signed(m, ship.PathRecords, body))
		}
	}
	for name, c := range map[string]struct {
		do   func(t *testing.T, s *service, m *machine) string
		want string
	}{
		"a record that was changed": {edit(func(b *ship.Batch) {
			b.Records[1].Body = bytes.Replace(b.Records[1].Body, []byte(`"alice"`), []byte(`"mallo"`), 1)
		}), `422 {"error":"the records are not signed by the machine`},
		"arguments that were changed": {edit(func(b *ship.Batch) { b.Records[1].Arguments = []byte(`{}`) }),
			`were changed after they were written`},
		"arguments that were left out without saying so": {edit(func(b *ship.Batch) {
			b.Records[1] = ship.Record{Body: b.Records[1].Body}
		}), `and the machine does not say so`},
		"a record that was left out": {edit(func(b *ship.Batch) { b.Records = b.Records[1:] }), `422`},
		"a record that was added": {edit(func(b *ship.Batch) { b.Records = append(b.Records, b.Records[0]) }),
			`422`},
		"records that do not begin where the chain ends": {edit(func(b *ship.Batch) {
			b.First++
			b.Head.Seq++
		}), `422`},
		"a batch whose head has a time that JSON cannot express": {edit(func(b *ship.Batch) {
			b.Head.Time = time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -23*60*60))
		}), `422`},
		"a batch with an unknown member": {func(t *testing.T, s *service, m *machine) string {
			body := zipped(t, `{"form":2,"program":"x","first":1,"count":0,"head":{},"more":1}`)
			return s.post(ship.PathRecords, body, signed(m, ship.PathRecords, body))
		}, `400`},
		"another log that is longer": {func(t *testing.T, s *service, m *machine) string {
			m.write(3)
			sendAll(t, m.shipper())
			m.log.Close()
			for _, name := range []string{"activity.db", "activity.db-wal", "activity.db-shm", ledger.HeadsFile} {
				_ = os.Remove(filepath.Join(m.folder, name))
			}
			m.open()
			m.write(5)
			if _, err := m.shipper().Send(t.Context()); err == nil || !strings.Contains(err.Error(), "does not continue") {
				t.Errorf("a machine sent a log that does not continue the one it sent before: %v", err)
			}
			m.forgetCursor()
			_, err := m.shipper().Send(t.Context())
			return fmt.Sprint(err)
		}, "the records contradict the records that the hub has"},
		"another log that is shorter": {func(t *testing.T, s *service, m *machine) string {
			m.write(5)
			sendAll(t, m.shipper())
			m.log.Close()
			for _, name := range []string{"activity.db", "activity.db-wal", "activity.db-shm", ledger.HeadsFile} {
				_ = os.Remove(filepath.Join(m.folder, name))
			}
			m.open()
			m.write(2)
			m.forgetCursor()
			_, err := m.shipper().Send(t.Context())
			return fmt.Sprint(err)
		}, "the records contradict the records that the hub has"},
		"a revoked machine": {func(t *testing.T, s *service, m *machine) string {
			m.write(3)
			if _, err := s.store.Revoke(t.Context(), m.signer.ID()); err != nil {
				t.Fatal(err)
			}
			_, err := m.shipper().Send(t.Context())
			return fmt.Sprint(err)
		}, "the enrolment of this machine was revoked"},
		"a token that was used": {func(t *testing.T, s *service, _ *machine) string {
			secret := s.token()
			if err := newMachine(t).enroll(s, secret); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(newMachine(t).enroll(s, secret))
		}, "the enrolment token is unknown, was used before or has expired"},
		"a token that has expired": {func(t *testing.T, s *service, _ *machine) string {
			secret, err := s.store.MakeToken(t.Context(), "", -time.Second)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(newMachine(t).enroll(s, secret))
		}, "the enrolment token is unknown, was used before or has expired"},
		"a request that was sent before": {func(t *testing.T, s *service, m *machine) string {
			m.write(3)
			body, header := intercept(t, m, m.shipper)
			if first := s.post(ship.PathRecords, body, header); !strings.HasPrefix(first, "200") {
				t.Errorf("the first time: %s", first)
			}
			return s.post(ship.PathRecords, body, header)
		}, `409 {"error":"this request is not newer`},
		"a request that is old": {func(_ *testing.T, s *service, m *machine) string {
			r := &http.Request{Method: http.MethodPost, Header: http.Header{}}
			ship.Sign(r, m.signer, ship.PathRecords, time.Now().Add(-6*time.Minute).UnixMicro(), nil)
			return s.post(ship.PathRecords, nil, r.Header)
		}, `401 {"error":"the time of the request differs`},
		"a request that another machine has signed": {func(t *testing.T, s *service, m *machine) string {
			m.write(3)
			body, header := intercept(t, m, m.shipper)
			other, _ := enrolled(t, s)
			header.Set("Mcpproxy-Signature", signed(other, ship.PathRecords, body).Get("Mcpproxy-Signature"))
			return s.post(ship.PathRecords, body, header)
		}, `401 {"error":"the request is not signed by a machine`},
		"a request without a signature": {func(_ *testing.T, s *service, _ *machine) string {
			return s.post(ship.PathRecords, nil, http.Header{})
		}, `401 {"error":"the request is not signed by a machine`},
		"a machine that is not enrolled": {func(t *testing.T, s *service, _ *machine) string {
			return s.post(ship.PathRecords, nil, signed(newMachine(t), ship.PathRecords, nil))
		}, `401 {"error":"this machine is not enrolled`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			m, _ := enrolled(t, s)
			if got := c.do(t, s, m); !strings.Contains(got, c.want) {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			before := s.number("SELECT count(*) FROM mcpproxy_records")
			if rep := s.verify(); !rep.OK || int64(rep.Records) != before {
				t.Errorf("the hub's log is not valid: %+v", rep)
			}
		})
	}
}

func TestAMachineThatWasRevokedEnrollsAgain(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	m.write(3)
	sendAll(t, shipper)
	if _, err := s.store.Revoke(t.Context(), "laptop"); err != nil {
		t.Fatal(err)
	}
	m.write(2)
	if err := m.enroll(s, s.token()); err != nil {
		t.Fatal(err)
	}
	again := m.shipper()
	if at := again.Cursor().Seq; at != 3 {
		t.Errorf("the machine continues after record %d, want 3", at)
	}
	sendAll(t, again)
	if rep := s.verify(); !rep.OK || rep.Records != 5 {
		t.Errorf("verify: %+v", rep)
	}
}

func TestARepeatedBatchIsStoredOnce(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	m.write(20)
	before := shipper.Cursor()
	sendAll(t, shipper)
	if err := before.Save(m.folder); err != nil { // as if the machine had crashed before it saved the hub's answer
		t.Fatal(err)
	}
	m.write(5)
	sendAll(t, m.shipper())
	if rep := s.verify(); !rep.OK || rep.Records != 25 {
		t.Errorf("verify: %+v", rep)
	}
}

func TestArgumentsStayOnTheMachineIfTheyMustNotBeSent(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	m.write(3)
	sendAll(t, shipper)
	m.bare = true
	m.write(4)
	sendAll(t, shipper)
	with := s.number("SELECT count(*) FROM mcpproxy_records WHERE arguments IS NOT NULL OR response IS NOT NULL OR salt IS NOT NULL")
	if with != 3 {
		t.Errorf("%d records have bodies, want the first 3", with)
	}
	if rep := s.verify(); !rep.OK || rep.Records != 7 || rep.Redacted != 4 {
		t.Errorf("verify: %+v", rep)
	}
}

func TestRetentionKeepsUnsentRecordsUntilTheLogIsTooLarge(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	m.write(20)
	sendAll(t, shipper)
	m.write(400)
	ctx, now := t.Context(), time.Now()
	rules := ledger.Rules{MaxRecords: 10, Unsent: m.unsent(1 << 30)}
	done, err := m.log.Tidy(ctx, now, rules)
	if err != nil || done.Removed != 20 {
		t.Fatalf("%d records were removed (%v), want the 20 that the hub has", done.Removed, err)
	}
	rules.Unsent = m.unsent(200 << 10)
	if done, err = m.log.Tidy(ctx, now, rules); err != nil || done.Removed != 0 {
		t.Fatalf("%d records that the hub does not have were removed because of their number (%v)", done.Removed, err)
	}
	rules.MaxBytes = 100 << 10
	if done, err = m.log.Tidy(ctx, now, rules); err != nil || done.Removed == 0 {
		t.Fatalf("the log is larger than MaxBytes, and nothing was removed: %+v, %v", done, err)
	}
	lost := int64(done.Removed)
	sendAll(t, shipper)
	var gaps []mcpproxy.Gap
	err = m.log.Scan(ctx, ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordGap}}, func(r *mcpproxy.Record) error {
		if gap, ok := mcpproxy.GapOf(r); ok {
			gaps = append(gaps, gap)
		}
		return nil
	})
	if err != nil || len(gaps) != 1 || gaps[0].Reason != mcpproxy.GapUnsent || gaps[0].Lost != lost {
		t.Fatalf("the log has the gaps %+v (%v), want one of %d records that were not sent", gaps, err, lost)
	}
	rep := s.verify()
	if want := m.written - int(lost); !rep.OK || rep.Records != want || rep.Gaps != 1 {
		t.Errorf("verify: %+v, want %d records", rep, want)
	}
}

func TestRecordsThatTheHubHasLostAreSentAgain(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	m.write(5)
	sendAll(t, shipper)
	older := newService(t) // as if the hub's database had been restored from a backup made before the first record
	if err := m.enroll(older, older.token()); err != nil {
		t.Fatal(err)
	}
	e, err := ship.ReadEnrolled(t.Context(), m.folder)
	if err != nil {
		t.Fatal(err)
	}
	cursor := shipper.Cursor()
	cursor.Enrolled = e.At
	if err := cursor.Save(m.folder); err != nil {
		t.Fatal(err)
	}
	m.write(2)
	shipper = m.shipper()
	for range 2 { // the first attempt finds out that the hub lacks records
		if _, err := shipper.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if rep := older.verify(); !rep.OK || rep.Records != 7 {
		t.Errorf("verify: %+v", rep)
	}
}

func TestAMachineWhoseClockWasSetBackSendsAfterRetentionHasDroppedItsLastDay(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	ago := func(days int) {
		r := record()
		r.Timestamp = r.Timestamp.AddDate(0, 0, -days)
		if err := m.log.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
			t.Fatal(err)
		}
		sendAll(t, shipper)
	}
	ago(5)
	last := time.Now().UTC().AddDate(0, 0, -5).Format("20060102")
	if n := s.number("SELECT count(*) FROM mcpproxy_records_" + last); n != 1 {
		t.Fatalf("%d records of the last day", n)
	}
	s.execute("DROP TABLE mcpproxy_records_" + last)
	ago(9)
	if n := s.number("SELECT count(*) FROM mcpproxy_records"); n != 1 {
		t.Errorf("the hub has %d records of the machine, want that of the earlier day", n)
	}
}

func TestAMachineSendsOnlyToTheHubInTheConfiguration(t *testing.T) {
	s := newService(t)
	m, shipper := enrolled(t, s)
	m.write(1)
	m.demands = "https://hub.example.com/"
	if _, err := shipper.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "ship.hub demands") {
		t.Errorf("it sends to another hub: %v", err)
	}
	m.demands = s.url() + "/"
	sendAll(t, shipper)
	if _, err := ship.New(t.Context(), ship.Options{Folder: t.TempDir(), Signer: m.signer}); !errors.Is(err, ship.ErrNotEnrolled) {
		t.Errorf("a machine without a hub: %v", err)
	}
}
