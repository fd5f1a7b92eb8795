package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/ledger/postgres/pgtest"
)

// write appends n records whose ids begin with a name, each in a transaction of its own.
func write(t *testing.T, s *postgres.Store, name string, n int) {
	t.Helper()
	for i := range n {
		r := ledgertest.Full()
		r.ID = fmt.Sprintf("%s-%03d", name, i)
		if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
}

// statement runs SQL, as an attacker could who has write access to the database.
func statement(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// closeAll closes stores, which signs rolls.
func closeAll(t *testing.T, all ...*postgres.Store) {
	t.Helper()
	for _, s := range all {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// verifyAs verifies a log with the key of the gateway that has a folder.
func verifyAs(t *testing.T, url, folder string) (ledger.Report, string) {
	t.Helper()
	keys, err := ledger.ReadKeys(filepath.Join(folder, ledger.PublicFile))
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgres.OpenReader(t.Context(), url, keys)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rep, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	heads, err := ledger.ReadHeads(filepath.Join(folder, ledger.HeadsFile), keys)
	if err != nil {
		t.Fatal(err)
	}
	problem, err := s.Against(t.Context(), heads)
	if err != nil {
		t.Fatal(err)
	}
	return rep, problem
}

func TestGatewaysWriteOneLogAtOnce(t *testing.T) {
	url := pgtest.Schema(t)
	folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	var stores []*postgres.Store
	var opening sync.WaitGroup
	var mu sync.Mutex
	for _, folder := range folders { // at the same time, so that both try to migrate
		opening.Go(func() {
			s, err := postgres.Open(context.Background(), url, folder)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			stores = append(stores, s)
		})
	}
	opening.Wait()
	if t.Failed() {
		return
	}
	var writing sync.WaitGroup
	for i, s := range stores {
		writing.Go(func() { write(t, s, fmt.Sprint("gateway-", i), 50) })
	}
	writing.Wait()
	if n, err := stores[0].Count(t.Context(), ledger.Filter{Server: "slack"}); n != 150 || err != nil {
		t.Errorf("one gateway counts %d records of all, %v", n, err)
	}
	if n, err := stores[0].Count(t.Context(), ledger.Filter{Own: true}); n != 50 || err != nil {
		t.Errorf("one gateway counts %d records of its own, %v", n, err)
	}
	if _, err := stores[1].Get(t.Context(), "gateway-0-007"); err != nil {
		t.Errorf("a record of another gateway: %v", err)
	}
	seen := map[string]bool{}
	before := ""
	for {
		n := 0
		err := stores[2].Scan(t.Context(), ledger.Filter{Limit: 40, Before: before}, func(r *mcpproxy.Record) error {
			if seen[r.ID] {
				t.Errorf("%s is on two pages", r.ID)
			}
			seen[r.ID], before = true, r.ID
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n < 40 {
			break
		}
	}
	if len(seen) != 150 {
		t.Errorf("%d records are on the pages", len(seen))
	}
	closeAll(t, stores...)
	for _, folder := range folders {
		rep, problem := verifyAs(t, url, folder)
		if !rep.OK || rep.Records != 150 || len(rep.Replicas) != 3 || problem != "" {
			t.Errorf("%+v, %s", rep, problem)
		}
	}
}

// Each change is made by an attacker who has write access to the database but no key.
func TestVerifyFindsEveryChangeInTheChainOfAnotherGateway(t *testing.T) {
	const other = "(SELECT writer FROM mcpproxy_records WHERE id = 'other-000')"
	last := "DELETE FROM mcpproxy_records WHERE id = 'other-009';"
	for name, c := range map[string]struct{ sql, want string }{
		"a changed body": {
			"UPDATE mcpproxy_records SET body = replace(convert_from(body, 'UTF8'), 'alice', 'mallo')::bytea WHERE id = 'other-004'",
			"changed after it was written",
		},
		"a changed response": {"UPDATE mcpproxy_records SET response = '\"x\"' WHERE id = 'other-004'", "response were changed"},
		"removed bodies": {
			"UPDATE mcpproxy_records SET salt = NULL, arguments = NULL, response = NULL WHERE id = 'other-004'",
			"no checkpoint says why",
		},
		"a changed column":              {"UPDATE mcpproxy_records SET server = 'x' WHERE id = 'other-004'", "the column server"},
		"a removed record":              {"DELETE FROM mcpproxy_records WHERE id = 'other-004'", "removed, inserted or moved"},
		"a removed first":               {"DELETE FROM mcpproxy_records WHERE id = 'other-000'", "removed, inserted or moved"},
		"a removed last":                {last, "after this one were removed"},
		"a record in another partition": {"UPDATE mcpproxy_records SET pos = 1000000 WHERE id = 'other-004'", "moved to another place"},
		"a removed tail, with its end": {
			last + "UPDATE mcpproxy_heads SET seq = 9, hash = (SELECT hash FROM mcpproxy_records WHERE id = 'other-008') WHERE writer = " + other,
			"older copy",
		},
		"a forged end": {"UPDATE mcpproxy_heads SET count = 3 WHERE writer = " + other, "not signed"},
		"hidden days":  {"UPDATE mcpproxy_days SET high = low - 1", "do not agree"},
		"all records of the gateway": {
			"DELETE FROM mcpproxy_heads WHERE writer = " + other + "; DELETE FROM mcpproxy_checkpoints WHERE writer = " + other +
				"; DELETE FROM mcpproxy_rolls WHERE writer = " + other + "; DELETE FROM mcpproxy_days WHERE writer = " + other +
				"; DELETE FROM mcpproxy_writers WHERE writer = " + other + "; DELETE FROM mcpproxy_records WHERE id LIKE 'other-%'",
			"removed or emptied",
		},
		"a changed roll":              {"UPDATE mcpproxy_rolls SET body = replace(convert_from(body, 'UTF8'), '\"seq\":10', '\"seq\":9')::bytea", "not signed"},
		"a replaced key":              {"UPDATE mcpproxy_writers SET key = '\\x00' WHERE writer = " + other, "was replaced"},
		"records that nobody wrote":   {"INSERT INTO mcpproxy_records SELECT day, 77777, 'nobody', seq, 'x' || id, ts, type, session, flow, request, parent, principal, server, tool, status, decision, rule, flow_type, risk, sensitive, detections, severity, form, prev, hash, body, salt, arguments, response FROM mcpproxy_records WHERE id = 'other-004'", "no gateway has written"},
		"a gateway that nobody knows": {"INSERT INTO mcpproxy_writers VALUES ('0123', '\\x00', 'x', now() - interval '1 day')", "was replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.Schema(t)
			mine, others := t.TempDir(), t.TempDir()
			a := open(t, url, mine)
			b := open(t, url, others)
			write(t, b, "other", 10)
			write(t, a, "own", 3)
			closeAll(t, b, a)
			if rep, problem := verifyAs(t, url, mine); !rep.OK || problem != "" || rep.Records != 13 {
				t.Fatalf("before: %+v, %s", rep, problem)
			}
			statement(t, url, c.sql)
			rep, problem := verifyAs(t, url, mine)
			if rep.OK || !strings.Contains(rep.Problem, c.want) {
				t.Errorf("%+v; the test expects %q", rep, c.want)
			}
			if name == "all records of the gateway" && !strings.Contains(problem, "removed or emptied") {
				t.Errorf("held against the heads of the first gateway: %q", problem)
			}
		})
	}
}

func TestTheChainIsRemovedWithAllRollsAndTheHeadsKnowIt(t *testing.T) {
	url := pgtest.Schema(t)
	mine, others := t.TempDir(), t.TempDir()
	a := open(t, url, mine)
	b := open(t, url, others)
	write(t, b, "other", 5)
	write(t, a, "own", 5)
	closeAll(t, b, a)
	statement(t, url, "TRUNCATE mcpproxy_machines, mcpproxy_writers, mcpproxy_heads, mcpproxy_rolls, mcpproxy_checkpoints, mcpproxy_days; TRUNCATE mcpproxy_records")
	again := open(t, url, mine)
	breaks := again.Heads().Heads().Breaks
	if len(breaks) != 1 || !strings.Contains(breaks[0].Problem, "removed or emptied") {
		t.Errorf("breaks: %+v", breaks)
	}
	write(t, again, "more", 1)
}

func TestRetentionOfOneGatewayDropsThePartitionsOfAll(t *testing.T) {
	url, mine := pgtest.Schema(t), t.TempDir()
	a, b := open(t, url, mine), open(t, url, t.TempDir())
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for i := range 20 {
		for j, s := range []*postgres.Store{a, b} {
			r := ledgertest.Record(fmt.Sprintf("%d-%03d", j, i))
			r.Timestamp = now.AddDate(0, 0, i-20)
			if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
				t.Fatal(err)
			}
		}
	}
	done, err := a.Tidy(t.Context(), now, ledger.Rules{MaxAge: 5 * 24 * time.Hour})
	if err != nil || done.Removed != 30 {
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err = b.Tidy(t.Context(), now, ledger.Rules{MaxRecords: 7}); err != nil || done.Removed != 3 {
		t.Fatalf("%+v, %v", done, err)
	}
	write(t, b, "after", 2)
	closeAll(t, b, a)
	rep, problem := verifyAs(t, url, mine)
	if !rep.OK || rep.Records != 9 || rep.Removed != 33 || problem != "" {
		t.Errorf("%+v, %s", rep, problem)
	}
}

func TestTwoProcessesCannotWriteWithOneKey(t *testing.T) {
	url, folder := pgtest.Schema(t), t.TempDir()
	open(t, url, folder)
	if _, err := postgres.Open(t.Context(), url, folder); !errors.Is(err, postgres.ErrSharedKey) {
		t.Errorf("the second: %v", err)
	}
}

func TestWhatPostgreSQLCannotHoldIsWrittenAllTheSame(t *testing.T) {
	s := open(t, pgtest.Schema(t), t.TempDir())
	r := ledgertest.Record("odd")
	r.ToolName, r.ServerName = "a\x00b", "\xff"
	r.Principal = strings.Repeat("x", 5000)
	r.Arguments = []byte(`{"a":"\u0000"}`)
	if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Count(t.Context(), ledger.Filter{Tool: "a\x00b"}); n != 1 || err != nil {
		t.Errorf("found %d, %v", n, err)
	}
	if rep, err := s.Verify(t.Context()); !rep.OK || err != nil {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestErrorsSayWhatToDoAndHoldNoPassword(t *testing.T) {
	url := pgtest.Schema(t)
	statement(t, url, "CREATE ROLE poor LOGIN")
	for name, c := range map[string]struct{ url, want string }{
		"a role without rights": {strings.Replace(url, "postgres@", "poor:hunter2-secret@", 1), "GRANT"},
		"a schema that is missing": {
			url[:strings.Index(url, "search_path=")] + "search_path=nowhere",
			"CREATE SCHEMA",
		},
		"an address that cannot be read": {"postgres://u:hunter2-secret@h:port/x", "activity.store"},
		"a server that is not there":     {"postgres://u:hunter2-secret@127.0.0.1:1/x?connect_timeout=1", "refused"},
		"a bad value":                    {"postgres://u:hunter2-secret@h/x?sslmode=perhaps", "sslmode"},
	} {
		_, err := postgres.Open(t.Context(), c.url, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An attacker with write access to the database can choose the stored keys.
func TestAKeyOfAnotherLengthIsRefused(t *testing.T) {
	url, folder := pgtest.Schema(t), t.TempDir()
	s := open(t, url, folder)
	short := []byte{1}
	id := ledger.KeyID(short)
	statement(t, url, "INSERT INTO mcpproxy_writers VALUES ('"+id+"', '\\x01', 'x', now()); "+
		"INSERT INTO mcpproxy_heads VALUES ('"+id+"', '2026-01-01', 0, '', '', 0, 0, '', '')")
	rep, err := s.Verify(t.Context())
	if err != nil || rep.OK || !strings.Contains(rep.Problem, "not signed") {
		t.Errorf("%+v, %v", rep, err)
	}
	closeAll(t, s)
	open(t, url, folder)
}

func TestAGatewayHearsOfTheRecordsThatOthersWrite(t *testing.T) {
	t.Parallel()
	url := pgtest.Schema(t)
	ours, theirs := open(t, url, t.TempDir()), open(t, url, t.TempDir())
	elsewhere := open(t, pgtest.Schema(t), t.TempDir()) // another log in the same database
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var wanted atomic.Bool
	var asked atomic.Int64
	wants := func() bool {
		defer asked.Add(1)
		return wanted.Load()
	}
	got := make(chan *mcpproxy.Record, 100)
	var following sync.WaitGroup
	following.Go(func() {
		ours.Follow(ctx, wants, func(r *mcpproxy.Record) { got <- r })
	})
	put := func(s ledger.Store, id string) {
		t.Helper()
		r := ledgertest.Full()
		r.ID = id
		if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	wanted.Store(true)
	statement(t, url, "SELECT pg_notify('mcpproxy_' || md5(current_schema()), 'nonsense')")
	// The connection may not listen yet, so only later records must be announced.
	var first *mcpproxy.Record
	for n := 0; first == nil; n++ {
		put(theirs, fmt.Sprintf("theirs %03d", n))
		select {
		case first = <-got:
		case <-time.After(50 * time.Millisecond):
		}
	}
	if !strings.HasPrefix(first.ID, "theirs ") || len(first.Arguments) > 0 || first.ToolName == "" {
		t.Errorf("heard of %+v", first)
	}
	before := asked.Load()
	for { // until the announcements so far have arrived
		time.Sleep(300 * time.Millisecond)
		if now := asked.Load(); now != before {
			before = now
			continue
		}
		break
	}
	wanted.Store(false)
	put(theirs, "while nobody wants to know")
	eventually.True(t, "the announcement arrives", func() bool { return asked.Load() > before })
	wanted.Store(true)
	put(ours, "our own")
	put(elsewhere, "of another log")
	put(theirs, "the last")
	for {
		select {
		case r := <-got:
			if r.ID == "the last" {
				end()
				following.Wait()
				return
			}
			if !strings.HasPrefix(r.ID, "theirs ") {
				t.Errorf("heard of %q", r.ID)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the record of another gateway was not heard of")
		}
	}
}
