package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy/internal/ledger/postgres/pgtest"
	"mcpproxy/internal/porttest"
)

// sharedKey is the prefix of the key with which replicas encrypt their shared state.
const sharedKey = "the key of the replicas that are measured"

// callers is the number of tokens. Each token is a different caller, and the callers are distributed over the
// replicas.
const callers = 12

// stores are the stores that replicas share.
type stores struct {
	valkey   string // address
	database *pgtest.Server
}

// startStores starts a Valkey or Redis server that writes each change to its disk, and a PostgreSQL server.
func startStores(ctx context.Context, dir string) (s *stores, stop func(), err error) {
	program, err := exec.LookPath("valkey-server")
	if err != nil {
		if program, err = exec.LookPath("redis-server"); err != nil {
			return nil, nil, errors.New("neither valkey-server nor redis-server is installed")
		}
	}
	address, _, err := porttest.Reserve()
	if err != nil {
		return nil, nil, err
	}
	_, port, _ := strings.Cut(address, ":")
	folder := filepath.Join(dir, "valkey")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, program, "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "",
		"--appendonly", "yes", "--appendfsync", "always")
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	database, err := pgtest.New()
	if err != nil {
		return nil, nil, err
	}
	return &stores{address, database}, func() { _ = database.Remove() }, nil
}

// settings returns the settings of a replica. The replica shares its state, its log or both with the other replicas of
// the group.
func (s *stores) settings(group string, state, log bool) (map[string]any, error) {
	out := map[string]any{"activity": map[string]any{"durability": "all"}}
	if log {
		out["activity"] = map[string]any{"durability": "all", "store": s.database.URL}
	}
	if !state {
		return out, nil
	}
	address, _, err := porttest.Reserve()
	out["listen"] = address
	out["state"] = map[string]any{
		"store":     "valkey://" + s.valkey + "/0",
		"key":       sharedKey + " of " + group,
		"advertise": "http://" + address,
	}
	return out, err
}

var madeToken = regexp.MustCompile(`mcp_agt_\S+`)

// replicas starts n gateways with the same tokens.
func (s *stores) replicas(ctx context.Context, dir, name, upstream string, n int, state, log bool) (
	all []*process, tokens []string, err error) {
	var raw []byte
	for i := range n {
		more, err := s.settings(name, state, log)
		if err != nil {
			return nil, nil, err
		}
		data := fmt.Sprint(name, i)
		if raw != nil {
			at := filepath.Join(dir, data, "tokens.json")
			if err := errors.Join(os.Mkdir(filepath.Dir(at), 0o700), os.WriteFile(at, raw, 0o600)); err != nil {
				return nil, nil, err
			}
		}
		p, _, err := startProxyWith(ctx, dir, data, echoBehind(upstream), more)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, p)
		if raw != nil {
			continue
		}
		for c := range callers {
			out, err := exec.CommandContext(ctx, filepath.Join(dir, "mcpproxy"), "token", "create", fmt.Sprint("caller", c),
				"--config", filepath.Join(dir, data, "mcp_config.json")).CombinedOutput()
			if err != nil {
				return nil, nil, fmt.Errorf("token create: %w\n%s", err, out)
			}
			tokens = append(tokens, madeToken.FindString(string(out)))
		}
		if raw, err = os.ReadFile(filepath.Join(dir, data, "tokens.json")); err != nil {
			return nil, nil, err
		}
	}
	return all, tokens, nil
}

// traffic is what the stores have received and written so far, in bytes.
type traffic struct{ in, out, wal int64 }

func (s *stores) traffic(ctx context.Context) (t traffic, err error) {
	conn, err := net.DialTimeout("tcp", s.valkey, time.Second)
	if err != nil {
		return t, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "INFO stats\r\nQUIT\r\n"); err != nil {
		return t, err
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		return t, err
	}
	value := func(name string) int64 {
		_, rest, _ := strings.Cut(string(said), name+":")
		digits, _, _ := strings.Cut(rest, "\r")
		n, _ := strconv.ParseInt(digits, 10, 64)
		return n
	}
	t.in, t.out = value("total_net_input_bytes"), value("total_net_output_bytes")
	db, err := pgx.Connect(ctx, s.database.URL)
	if err != nil {
		return t, err
	}
	defer db.Close(ctx)
	err = db.QueryRow(ctx, "SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint").Scan(&t.wal)
	return t, err
}

// measureReplicas prints what the shared stores add to the latency of a call, and how many calls a second the replicas
// handle.
func measureReplicas(ctx context.Context, dir string, duration time.Duration) error {
	direct, err := start(ctx, self(), "-role", "echo")
	if err != nil {
		return err
	}
	s, stop, err := startStores(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.added(ctx, dir, direct.url, duration); err != nil {
		return err
	}
	fmt.Println()
	return s.throughput(ctx, dir, direct.url, duration)
}

// added compares gateways that have their own stores with gateways that share stores, one call at a time.
func (s *stores) added(ctx context.Context, dir, upstream string, duration time.Duration) error {
	fmt.Println("| one call of 32 B at a time | p50 ms | p95 ms | p95 added ms | to and from Valkey, bytes a call | WAL, bytes a call |")
	fmt.Println("|---|---|---|---|---|---|")
	kinds := []struct {
		name             string
		state, log, over bool
	}{
		{"memory and SQLite", false, false, false},
		{"state in Valkey", true, false, false},
		{"log in PostgreSQL", false, true, false},
		{"both", true, true, false},
		{"both, through another replica", true, true, true},
	}
	urls, keys := make([]string, len(kinds)), make([]string, len(kinds))
	for i, k := range kinds {
		n := 1
		if k.over {
			n = 2
		}
		all, tokens, err := s.replicas(ctx, dir, fmt.Sprint("kind", i, "-"), upstream, n, k.state, k.log)
		if err != nil {
			return err
		}
		urls[i], keys[i] = all[n-1].url, tokens[0]
		if k.over { // so that the first replica owns the caller
			if _, err := initialize(as(ctx, tokens[0]), all[0].url); err != nil {
				return err
			}
		}
	}
	best := make([]added, len(kinds))
	const rounds = 8
	// The best round of each counts, because other programs disturb a measurement.
	for round := range rounds {
		for i := range kinds {
			before, err := s.traffic(ctx)
			if err != nil {
				return err
			}
			took, err := one(as(ctx, keys[i]), urls[i], echoes, 32, uint64(round), time.Now().Add(duration/rounds))
			if err != nil {
				return fmt.Errorf("%s: %w", kinds[i].name, err)
			}
			after, err := s.traffic(ctx)
			if err != nil {
				return err
			}
			n := len(took)
			slices.Sort(took)
			if round > 0 && took[n*95/100] > best[i].p95 {
				continue
			}
			perCall := func(from, to int64) int64 { return (to - from) / int64(n) }
			best[i] = added{
				p50: took[n/2],
				p95: took[n*95/100],
				in:  perCall(before.in, after.in),
				out: perCall(before.out, after.out),
				wal: perCall(before.wal, after.wal),
			}
		}
	}
	for i, k := range kinds {
		b := best[i]
		more := ms(b.p95 - best[0].p95)
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %d / %d | %d |\n", k.name, ms(b.p50), ms(b.p95), more, b.in, b.out, b.wal)
	}
	return nil
}

// added is the cost of a call with some stores: its latency, the bytes sent to and received from Valkey, and the bytes
// written to PostgreSQL's write-ahead log.
type added struct {
	p50, p95     time.Duration
	in, out, wal int64
}

// throughput measures how many calls a second one, two and three replicas handle.
func (s *stores) throughput(ctx context.Context, dir, upstream string, duration time.Duration) error {
	fmt.Println("| replicas | calls a second | p50 ms | p95 ms | CPU of the replicas, ms a call |")
	fmt.Println("|---|---|---|---|---|")
	for n := 1; n <= 3; n++ {
		all, tokens, err := s.replicas(ctx, dir, fmt.Sprint("fleet", n, "-"), upstream, n, true, true)
		if err != nil {
			return err
		}
		var mu sync.Mutex
		var took []time.Duration
		var failed error
		var wg sync.WaitGroup
		cpu := time.Duration(0)
		for _, p := range all {
			cpu -= p.cpu()
		}
		began := time.Now()
		for i, key := range tokens {
			wg.Go(func() {
				got, err := one(as(ctx, key), all[i%n].url, echoes, 32, uint64(i), began.Add(duration))
				mu.Lock()
				defer mu.Unlock()
				took, failed = append(took, got...), errors.Join(failed, err)
			})
		}
		wg.Wait()
		if failed != nil {
			return failed
		}
		for _, p := range all {
			cpu += p.cpu()
		}
		elapsed, count := time.Since(began).Seconds(), len(took)
		slices.Sort(took)
		fmt.Printf("| %d | %.0f | %.2f | %.2f | %.2f |\n", n, float64(count)/elapsed, ms(took[count/2]),
			ms(took[count*95/100]), ms(cpu)/float64(count))
		for _, p := range all {
			p.end()
		}
	}
	return nil
}
