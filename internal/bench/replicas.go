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
	valkey   map[string]string // the address of each Valkey server, by its policy
	database *pgtest.Server
}

// The policies of a Valkey server (appendfsync): it writes each change to the disk before it answers, or all changes
// once a second.
const (
	always   = "always"
	everysec = "everysec"
)

// startStores starts a Valkey or Redis server for each policy, and a PostgreSQL server.
func startStores(ctx context.Context, dir string) (s *stores, stop func(), err error) {
	program, err := exec.LookPath("valkey-server")
	if err != nil {
		if program, err = exec.LookPath("redis-server"); err != nil {
			return nil, nil, errors.New("neither valkey-server nor redis-server is installed")
		}
	}
	s = &stores{valkey: map[string]string{}}
	for _, policy := range []string{always, everysec} {
		if s.valkey[policy], err = startValkey(ctx, program, filepath.Join(dir, "valkey-"+policy), policy); err != nil {
			return nil, nil, err
		}
	}
	if s.database, err = pgtest.New(); err != nil {
		return nil, nil, err
	}
	return s, func() { _ = s.database.Remove() }, nil
}

// startValkey starts a Valkey or Redis server with its data in a new folder. It returns the address.
func startValkey(ctx context.Context, program, folder, policy string) (string, error) {
	address, _, err := porttest.Reserve()
	if err != nil {
		return "", err
	}
	_, port, _ := strings.Cut(address, ":")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, program, "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "",
		"--appendonly", "yes", "--appendfsync", policy)
	return address, cmd.Start()
}

// shared says what replicas share.
type shared struct {
	state string // the policy of the Valkey server, or "" if the state is not shared
	log   bool
}

// settings returns the settings of a replica. The replica shares its state, its log or both with the other replicas of
// the group.
func (s *stores) settings(group string, share shared) (map[string]any, error) {
	out := map[string]any{"activity": map[string]any{"durability": "all"}}
	if share.log {
		out["activity"] = map[string]any{"durability": "all", "store": s.database.URL}
	}
	if share.state == "" {
		return out, nil
	}
	address, _, err := porttest.Reserve()
	out["listen"] = address
	out["state"] = map[string]any{
		"store":     "valkey://" + s.valkey[share.state] + "/0",
		"key":       sharedKey + " of " + group,
		"advertise": "http://" + address,
	}
	return out, err
}

var madeToken = regexp.MustCompile(`mcp_agt_\S+`)

// replicas starts n gateways with the same tokens.
func (s *stores) replicas(ctx context.Context, dir, name, upstream string, n int, share shared) (
	all []*process, tokens []string, err error) {
	var raw []byte
	for i := range n {
		more, err := s.settings(name, share)
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
	for _, address := range s.valkey {
		if err := t.add(address); err != nil {
			return t, err
		}
	}
	db, err := pgx.Connect(ctx, s.database.URL)
	if err != nil {
		return t, err
	}
	defer db.Close(ctx)
	err = db.QueryRow(ctx, "SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint").Scan(&t.wal)
	return t, err
}

// add adds the traffic of a Valkey server.
func (t *traffic) add(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "INFO stats\r\nQUIT\r\n"); err != nil {
		return err
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	value := func(name string) int64 {
		_, rest, _ := strings.Cut(string(said), name+":")
		digits, _, _ := strings.Cut(rest, "\r")
		n, _ := strconv.ParseInt(digits, 10, 64)
		return n
	}
	t.in += value("total_net_input_bytes")
	t.out += value("total_net_output_bytes")
	return nil
}

// measureReplicas prints what the shared stores add to the latency of a call, and how many calls a second the replicas
// handle. Before is another build of mcpproxy to compare with, or "".
func measureReplicas(ctx context.Context, dir, before string, duration time.Duration, rounds int) error {
	direct, err := start(ctx, self(), "-role", "echo")
	if err != nil {
		return err
	}
	s, stop, err := startStores(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	if before, err = linkBefore(dir, before); err != nil {
		return err
	}
	if err := s.added(ctx, dir, before, direct.url, duration, rounds); err != nil {
		return err
	}
	fmt.Println()
	return s.throughput(ctx, dir, direct.url, duration)
}

// linkBefore makes a new folder in dir with a link to the build of mcpproxy that the measurement is compared with, and
// returns the folder. It returns "" if program is "", and no build is compared.
func linkBefore(dir, program string) (string, error) {
	if program == "" {
		return "", nil
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(dir, "before")
	return folder, errors.Join(os.Mkdir(folder, 0o700), os.Symlink(program, filepath.Join(folder, "mcpproxy")))
}

// kind is a way in which gateways keep their state and their log.
type kind struct {
	name string
	shared
	over bool   // calls are forwarded by another replica
	dir  string // of the program
	base int    // index of the kind with nothing shared
}

// kinds returns what is measured: with the program in dir, and with the one in before if that is not "".
func kinds(dir, before string) []kind {
	out := []kind{
		{name: "memory and SQLite"},
		{name: "state in Valkey", shared: shared{state: always}},
		{name: "log in PostgreSQL", shared: shared{log: true}},
		{name: "both", shared: shared{state: always, log: true}},
		{name: "both, through another replica", shared: shared{state: always, log: true}, over: true},
		{name: "state in Valkey, " + everysec, shared: shared{state: everysec}},
		{name: "both, " + everysec, shared: shared{state: everysec, log: true}},
	}
	for i := range out {
		out[i].dir = dir
	}
	if before == "" {
		return out
	}
	n := len(out)
	for _, k := range out {
		k.name += " (the other build)"
		k.dir, k.base = before, n
		out = append(out, k)
	}
	return out
}

// added compares gateways that have their own stores with gateways that share stores, one call at a time.
func (s *stores) added(ctx context.Context, dir, before, upstream string, duration time.Duration, rounds int) error {
	fmt.Println("| one call of 32 B at a time | p50 ms | p95 ms | p50 added ms | p95 added ms | CPU of the gateways, ms | to and from Valkey, bytes a call | WAL, bytes a call |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	kinds := kinds(dir, before)
	urls, keys := make([]string, len(kinds)), make([]string, len(kinds))
	processes := make([][]*process, len(kinds))
	for i, k := range kinds {
		n := 1
		if k.over {
			n = 2
		}
		all, tokens, err := s.replicas(ctx, k.dir, fmt.Sprint("kind", i, "-"), upstream, n, k.shared)
		if err != nil {
			return err
		}
		urls[i], keys[i] = all[n-1].url, tokens[0]
		processes[i] = all
		if k.over { // so that the first replica owns the caller
			if _, err := initialize(as(ctx, tokens[0]), all[0].url); err != nil {
				return err
			}
		}
	}
	best := make([]added, len(kinds))
	var disk added
	// The best round of each counts, because other programs disturb a measurement.
	for round := range rounds {
		took, err := diskWrites(dir)
		if err != nil {
			return err
		}
		disk.better(took)
		for i := range kinds {
			before, err := s.traffic(ctx)
			if err != nil {
				return err
			}
			used := cpu(processes[i])
			stop := time.Now().Add(duration / time.Duration(rounds))
			took, err := one(as(ctx, keys[i]), urls[i], echoes, 32, uint64(round), stop)
			if err != nil {
				return fmt.Errorf("%s: %w", kinds[i].name, err)
			}
			after, err := s.traffic(ctx)
			if err != nil {
				return err
			}
			best[i].cpu += cpu(processes[i]) - used
			best[i].calls += len(took)
			if best[i].better(took) {
				perCall := func(from, to int64) int64 { return (to - from) / int64(len(took)) }
				best[i].in = perCall(before.in, after.in)
				best[i].out = perCall(before.out, after.out)
				best[i].wal = perCall(before.wal, after.wal)
			}
		}
	}
	for i, k := range kinds {
		b, alone := best[i], best[k.base]
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %d / %d | %d |\n", k.name, ms(b.p50), ms(b.p95),
			ms(b.p50-alone.p50), ms(b.p95-alone.p95), ms(b.cpu)/float64(b.calls), b.in, b.out, b.wal)
	}
	fmt.Printf("\nTo write 10 KB and wait for the disk takes %.2f ms (p50) and %.2f ms (p95) in the same rounds.\n",
		ms(disk.p50), ms(disk.p95))
	return nil
}

// diskWrites measures how long it takes to append 10 KB to a file and to wait for the disk, as Valkey does for a call
// with the policy always.
func diskWrites(dir string) (took []time.Duration, err error) {
	f, err := os.Create(filepath.Join(dir, "disk"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, 10<<10)
	for range 200 {
		began := time.Now()
		if _, err := f.Write(text); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// added is the cost of a call with some stores: its latency, the bytes sent to and received from Valkey, and the bytes
// written to PostgreSQL's write-ahead log.
type added struct {
	p50, p95     time.Duration
	in, out, wal int64

	cpu   time.Duration // of the gateways, in all rounds
	calls int           // in all rounds
}

// cpu returns the user and system time that processes have used.
func cpu(all []*process) (sum time.Duration) {
	for _, p := range all {
		sum += p.cpu()
	}
	return sum
}

// better replaces the latencies if those of another round are better at the 95th percentile. It reports whether they
// are.
func (a *added) better(took []time.Duration) bool {
	slices.Sort(took)
	n := len(took)
	if a.p95 > 0 && took[n*95/100] > a.p95 {
		return false
	}
	a.p50, a.p95 = took[n/2], took[n*95/100]
	return true
}

// throughput measures how many calls a second one, two and three replicas handle.
func (s *stores) throughput(ctx context.Context, dir, upstream string, duration time.Duration) error {
	fmt.Println("| replicas | calls a second | p50 ms | p95 ms | CPU of the replicas, ms a call |")
	fmt.Println("|---|---|---|---|---|")
	for n := 1; n <= 3; n++ {
		all, tokens, err := s.replicas(ctx, dir, fmt.Sprint("fleet", n, "-"), upstream, n, shared{state: always, log: true})
		if err != nil {
			return err
		}
		var mu sync.Mutex
		var took []time.Duration
		var failed error
		var wg sync.WaitGroup
		used := cpu(all)
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
		used = cpu(all) - used
		elapsed, count := time.Since(began).Seconds(), len(took)
		slices.Sort(took)
		fmt.Printf("| %d | %.0f | %.2f | %.2f | %.2f |\n", n, float64(count)/elapsed, ms(took[count/2]),
			ms(took[count*95/100]), ms(used)/float64(count))
		for _, p := range all {
			p.end()
		}
	}
	return nil
}
