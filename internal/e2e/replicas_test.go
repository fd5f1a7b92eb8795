package e2e

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger/postgres/pgtest"
	"mcpproxy/internal/porttest"
	"mcpproxy/internal/state/valkey/valkeytest"
)

// fleet is a group of replicas with one state store, and a load balancer in front of them that sends each request to
// the next replica.
type fleet struct {
	store    *valkeytest.Server
	database *pgtest.Server // holds the log of all replicas; nil if each has its own
	replicas []*daemon
	turn     atomic.Int64
	tokens   map[string]string // tokens by agent
}

const fleetKey = "the key of the group of replicas, of no value"

// plan describes a fleet.
type plan struct {
	replicas int    // number of replicas; 0 means 2
	durable  bool   // whether the state store keeps its data when it is restarted
	logged   bool   // whether the replicas write one log to a database
	state    object // further settings of state
}

// newFleet starts replicas with the same tokens.
func newFleet(t *testing.T, p plan, agents ...string) *fleet {
	t.Helper()
	f := &fleet{store: valkeytest.Start(t, p.durable), tokens: map[string]string{}}
	// The test searches the log for random entries. One entry in two thousand looks like the registration number of a
	// vehicle, so personal data is not masked.
	activity := object{"mask_personal": false}
	if p.logged {
		pgtest.Need(t)
		var err error
		if f.database, err = pgtest.New(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := f.database.Remove(); err != nil {
				t.Error(err)
			}
		})
		activity["store"], activity["durability"] = f.database.URL, "all"
	}
	for range cmp.Or(p.replicas, 2) {
		address := porttest.Free(t)
		state := object{"store": f.store.URL(), "key": fleetKey, "advertise": "http://" + address}
		maps.Copy(state, p.state)
		d := prepare(t, object{
			"listen":   address,
			"state":    state,
			"activity": activity,
			"security": object{
				"tool_quarantine": object{"auto_quarantine_new_tools": false},
				"flow_policy":     object{"internal_to_external": "deny"},
				"approvals":       object{"wait": "20s"},
				"policies": []object{{
					"name": "ask-about-ops",
					"when": `call.tool == "post_message" && call.args.channel == "#ops"`,
					"then": "ask",
				}},
			},
			"mcpServers": []object{
				ownServer("database", "diary"),
				{"name": "slack", "command": bin.race, "args": []string{"demo-server", "chat"}},
			},
		})
		f.replicas = append(f.replicas, d)
	}
	first := f.replicas[0]
	for _, agent := range agents {
		out, err := first.command("token", "create", agent)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f.tokens[agent] = tokenIn(out)
	}
	raw, err := os.ReadFile(filepath.Join(first.dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.replicas[1:] {
		if err := os.WriteFile(filepath.Join(d.dir, "tokens.json"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range f.replicas {
		f.run(d)
	}
	return f
}

func (f *fleet) run(d *daemon) {
	d.t.Helper()
	d.run()
	d.waitTools("database")
	d.waitTools("slack")
}

// RoundTrip sends a request to the next replica, or to the other one if nobody listens there.
func (f *fleet) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	n := int(f.turn.Add(1))
	for i := range f.replicas {
		r.URL.Host = f.replicas[(n+i)%len(f.replicas)].addr
		if conn, dialErr := net.DialTimeout("tcp", r.URL.Host, time.Second); dialErr != nil {
			err = dialErr
			continue
		} else {
			conn.Close()
		}
		return http.DefaultTransport.RoundTrip(r)
	}
	return nil, err
}

// agent connects an agent through the load balancer.
func (f *fleet) agent(ctx context.Context, name, revision string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e agent", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   "http://" + f.replicas[0].addr + "/mcp",
		HTTPClient: &http.Client{Transport: rig.Bearer{Key: f.tokens[name], Next: f}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
}

// diaryEntry returns twelve random words.
func diaryEntry() string {
	words := make([]string, 12)
	for i := range words {
		words[i] = strings.ToLower(rand.Text()[:7])
	}
	return strings.Join(words, " ")
}

var diaryLine = regexp.MustCompile(`entry: ([a-z0-9 ]+)`)

// read makes an agent read a new entry of a diary. It returns "" if the agent did not get the entry.
func read(ctx context.Context, s *mcp.ClientSession) (note string, err error) {
	text, err := said(s.CallTool(ctx, &mcp.CallToolParams{Name: "call_tool_read", Arguments: object{
		"name": "database:read_thing", "args": object{},
	}}))
	if found := diaryLine.FindStringSubmatch(text); found != nil {
		note = found[1]
	}
	return note, err
}

// send makes an agent post what it has read, and reports whether the message was posted.
func send(ctx context.Context, s *mcp.ClientSession, note string) (through, stopped bool, err error) {
	text, err := said(s.CallTool(ctx, &mcp.CallToolParams{Name: "call_tool_write", Arguments: object{
		"name": "slack:post_message", "args": object{"channel": "#general", "text": "About a customer: " + note},
	}}))
	return strings.Contains(text, "posted to"), strings.Contains(text, "internal source (database)"), err
}

func said(r *mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return textOf(r), nil
}

func TestWhatIsReadOnOneReplicaDoesNotLeaveByAnother(t *testing.T) {
	t.Parallel()
	agents := []string{"ada", "bob", "cyd", "dee", "eve", "fay"}
	f := newFleet(t, plan{}, append(agents, "honest")...)
	for _, revision := range []string{stateful, stateless} {
		ctx := rig.Within(t)
		honest, err := f.agent(ctx, "honest", revision)
		if err != nil {
			t.Fatal(err)
		}
		if through, _, err := send(ctx, honest, diaryEntry()); !through || err != nil {
			t.Errorf("%s: the message of an agent that has read nothing is stopped (%v)", revision, err)
		}
		honest.Close()
		var rounds atomic.Int64
		var wg sync.WaitGroup
		for _, name := range agents {
			wg.Go(func() {
				for range 5 {
					s, err := f.agent(ctx, name, revision)
					if err != nil {
						t.Errorf("%s: connecting: %v", revision, err)
						return
					}
					for range 10 {
						got, readErr := read(ctx, s)
						through, stopped, sendErr := send(ctx, s, got)
						if got == "" || readErr != nil || through || !stopped || sendErr != nil {
							t.Errorf("%s: read %q (%v), sent %t, stopped %t (%v)", revision, got, readErr, through, stopped, sendErr)
						}
						rounds.Add(1)
					}
					s.Close()
				}
			})
		}
		wg.Wait()
		t.Logf("%s: %d rounds", revision, rounds.Load())
	}
}

func TestNoFlowIsMissedWhileAReplicaIsKilledAndTheStoresAreRestarted(t *testing.T) {
	t.Parallel()
	few, many := []string{"ada", "bob", "cyd", "dee"}, []string{}
	for n := range 20 {
		many = append(many, fmt.Sprint("agent", n))
	}
	for name, c := range map[string]struct {
		plan   plan
		agents []string
	}{
		"three replicas, and stores that keep what they had": {plan{replicas: 3, durable: true, logged: true}, many},
		"a store that forgets":                               {plan{}, few},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, c.plan, append(c.agents, "operator")...)
			ctx, end := context.WithCancel(rig.Within(t))
			defer end()
			h := &outcome{t: t, fleet: f}
			var wg sync.WaitGroup
			for _, name := range c.agents {
				wg.Go(func() {
					for ctx.Err() == nil {
						h.round(ctx, name)
					}
				})
			}
			if f.database != nil {
				wg.Go(func() { h.operate(ctx, "operator") })
				wg.Go(func() { h.approve(ctx) })
			}
			progress := func(what string) {
				before := h.count()
				eventually.TrueWithin(t, 40*time.Second, what, func() bool { return h.count() > before+20 })
			}
			progress("agents work with all replicas")
			f.replicas[0].kill()
			progress("agents work with the replicas that are left")
			f.store.Stop()
			time.Sleep(time.Second)
			f.store.Start()
			progress("agents work with the state store again")
			if f.database != nil {
				if err := errors.Join(f.database.Stop(), f.database.Start()); err != nil {
					t.Error(err)
				}
				progress("agents work with the database again")
			}
			f.run(f.replicas[0])
			progress("agents work with all replicas again")
			end()
			wg.Wait()
			t.Logf("%d flows were stopped, %d requests failed", h.count(), h.failed.Load())
			for _, d := range f.replicas {
				d.expectModest(t)
			}
			if f.database != nil {
				h.complete()
				h.singleUse()
			}
		})
	}
}

// outcome is the result of calls while replicas and stores failed.
type outcome struct {
	t      *testing.T
	fleet  *fleet
	failed atomic.Int64

	mu        sync.Mutex
	got       []string       // texts that agents have received
	stopped   []string       // texts that agents were denied to send
	delivered map[string]int // messages to #ops that were posted, by text
	approved  map[string]int // approvals, by text
}

func (h *outcome) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.stopped)
}

// round reads an entry and tries to send it. The sending may fail, but it must not succeed.
func (h *outcome) round(ctx context.Context, name string) {
	s, err := h.fleet.agent(ctx, name, stateless)
	if err != nil {
		h.failed.Add(1)
		time.Sleep(20 * time.Millisecond)
		return
	}
	defer s.Close()
	for range 5 {
		got, err := read(ctx, s)
		if err != nil || got == "" {
			h.failed.Add(1)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		through, was, err := send(ctx, s, got)
		h.mu.Lock()
		h.got = append(h.got, got)
		switch {
		case through:
			h.t.Errorf("%s got through what it had read", name)
		case err != nil || !was:
			h.failed.Add(1)
		default:
			h.stopped = append(h.stopped, got)
		}
		h.mu.Unlock()
	}
}

// operate sends messages about which a person must decide. Each contains a secret, so that an approval is valid for
// one call only, and is sent three times at once.
func (h *outcome) operate(ctx context.Context, name string) {
	for n := 0; ctx.Err() == nil; n++ {
		text := fmt.Sprintf("deploy %d with AKIA%s", n, rand.Text()[:16])
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				s, err := h.fleet.agent(ctx, name, stateless)
				if err != nil {
					time.Sleep(20 * time.Millisecond)
					return
				}
				defer s.Close()
				answer, err := said(s.CallTool(ctx, &mcp.CallToolParams{Name: "call_tool_write", Arguments: object{
					"name": "slack:post_message", "args": object{"channel": "#ops", "text": text},
				}}))
				if err == nil && strings.Contains(answer, "posted to") {
					h.mu.Lock()
					defer h.mu.Unlock()
					if h.delivered == nil {
						h.delivered = map[string]int{}
					}
					h.delivered[fmt.Sprint("deploy ", n)]++
				}
			})
		}
		wg.Wait()
	}
}

var deployed = regexp.MustCompile(`deploy [0-9]+`)

// approve plays a person who approves every question about an even number, on whichever replica it waits, and denies
// the others.
func (h *outcome) approve(ctx context.Context) {
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		for _, d := range h.fleet.replicas {
			api := rig.API{Socket: filepath.Join(d.dir, "mcpproxy.sock"), Timeout: 5 * time.Second}
			var waiting []struct {
				ID        string
				Arguments string
				Approved  bool
			}
			if api.Get("/api/v1/approvals", &waiting) != nil {
				continue
			}
			for _, w := range waiting {
				about := deployed.FindString(w.Arguments)
				yes := about != "" && strings.ContainsAny(about[len(about)-1:], "02468")
				if w.Approved {
					continue
				}
				if yes { // count it first, because the answer to a successful approval can be lost
					h.mu.Lock()
					if h.approved == nil {
						h.approved = map[string]int{}
					}
					h.approved[about]++
					h.mu.Unlock()
				}
				_, _, _ = api.Request(http.MethodPost, "/api/v1/approvals", object{"id": w.ID, "approve": yes})
			}
		}
	}
}

// complete checks that the log has a record of every answer to an agent, and that its chains are intact.
func (h *outcome) complete() {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.fleet.database.URL)
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close(h.t.Context())
	var arguments, responses string
	err = conn.QueryRow(h.t.Context(), `SELECT
		coalesce(string_agg(convert_from(arguments, 'UTF8'), ' ') FILTER (WHERE decision = 'deny'), ''),
		coalesce(string_agg(convert_from(response, 'UTF8'), ' ') FILTER (WHERE server = 'database'), '')
		FROM mcpproxy_records`).Scan(&arguments, &responses)
	if err != nil {
		h.t.Fatal(err)
	}
	for what, c := range map[string]struct {
		log  string
		told []string
	}{"a call that was stopped": {arguments, h.stopped}, "a result that was delivered": {responses, h.got}} {
		lost := 0
		for _, note := range c.told {
			if !strings.Contains(c.log, note) {
				lost++
			}
		}
		if lost > 0 || len(c.told) == 0 {
			h.t.Errorf("%d of %d times, the log has no record of %s", lost, len(c.told), what)
		}
	}
	if out, err := h.fleet.replicas[1].command("activity", "verify"); err != nil {
		h.t.Errorf("the log cannot be verified: %v\n%s", err, out)
	}
}

// singleUse checks that each approval let at most one call pass.
func (h *outcome) singleUse() {
	h.t.Helper()
	if len(h.delivered) == 0 {
		h.t.Error("no call that a person approved was made")
	}
	for about, n := range h.delivered {
		if n > h.approved[about] {
			h.t.Errorf("%q was posted %d times after %d approvals", about, n, h.approved[about])
		}
	}
	h.t.Logf("%d approved calls were made", len(h.delivered))
}

func TestWhatIsDecidedOnOneReplicaHoldsOnAll(t *testing.T) {
	t.Parallel()
	f := newFleet(t, plan{durable: true}, "ada", "bob")
	ctx := rig.Within(t)
	s, err := f.agent(ctx, "ada", stateless)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		if out, err := f.replicas[round%2].command("kill", "on"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for range 4 {
			if got, err := read(ctx, s); got != "" || err != nil {
				t.Fatalf("a call passed after the kill switch was turned on (%v)", err)
			}
		}
		if out, err := f.replicas[(round+1)%2].command("kill", "off"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for range 4 {
			if got, err := read(ctx, s); got == "" || err != nil {
				t.Fatalf("a call was stopped after the kill switch was turned off (%v)", err)
			}
		}
	}
	f.quarantines(ctx, s)
	f.answers(ctx)
}

// quarantines quarantines servers and tools on one replica and releases them on the other.
func (f *fleet) quarantines(ctx context.Context, s *mcp.ClientSession) {
	t := f.replicas[0].t
	t.Helper()
	for round, c := range []struct {
		hold, release []string
	}{
		{[]string{"trust", "quarantine", "database"}, []string{"trust", "unquarantine", "database"}},
		{[]string{"trust", "block", "database", "read_thing"}, []string{"trust", "approve", "database", "read_thing"}},
	} {
		if out, err := f.replicas[round%2].command(c.hold...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for range 4 {
			if got, err := read(ctx, s); got != "" || err != nil {
				t.Fatalf("a call passed after %v on one replica (%v)", c.hold, err)
			}
		}
		if out, err := f.replicas[(round+1)%2].command(c.release...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for range 4 {
			if got, err := read(ctx, s); got == "" || err != nil {
				t.Fatalf("a call was stopped after %v on the other replica (%v)", c.release, err)
			}
		}
	}
}

// answers approves a call of one agent for the session and permanently approves a call of another one. It then stops
// one replica after the other.
func (f *fleet) answers(ctx context.Context) {
	t := f.replicas[0].t
	t.Helper()
	post := func(agent, text string) string {
		s, err := f.agent(ctx, agent, stateless)
		if err != nil {
			return err.Error()
		}
		defer s.Close()
		answer, err := said(s.CallTool(ctx, &mcp.CallToolParams{Name: "call_tool_write", Arguments: object{
			"name": "slack:post_message", "args": object{"channel": "#ops", "text": text},
		}}))
		return fmt.Sprint(answer, err)
	}
	for agent, span := range map[string]string{"ada": "session", "bob": "always"} {
		answer := make(chan string, 1)
		go func() { answer <- post(agent, "the first of "+agent) }()
		eventually.TrueWithin(t, 20*time.Second, "a replica asks about the call of "+agent, func() bool {
			for _, d := range f.replicas {
				var waiting []struct{ ID string }
				if d.api("/approvals", &waiting) == nil && len(waiting) == 1 {
					out, err := d.command("approvals", "approve", waiting[0].ID, "--for", span)
					if err != nil {
						t.Errorf("%v\n%s", err, out)
					}
					return true
				}
			}
			return false
		})
		if got := <-answer; !strings.Contains(got, "posted to") {
			t.Fatalf("a call of %s that a person approved: %s", agent, got)
		}
	}
	for round, d := range f.replicas {
		d.stop()
		for _, agent := range []string{"ada", "bob"} {
			if got := post(agent, fmt.Sprint("another, in round ", round)); !strings.Contains(got, "posted to") {
				t.Errorf("after replica %d stopped, %s is asked again: %s", round, agent, got)
			}
		}
		if round == 0 {
			f.run(d)
		}
	}
	if out, err := f.replicas[0].command("approvals", "rules"); err != nil || !strings.Contains(out, "post_message") {
		t.Errorf("the rules are %s (%v)", out, err)
	}
}

func TestAnOutageOfTheStoreIsSaidAloudAndHeals(t *testing.T) {
	t.Parallel()
	for mode, works := range map[string]bool{"deny": false, "local": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, plan{durable: true, state: object{"on_outage": mode}}, "ada")
			ctx := rig.Within(t)
			s, err := f.agent(ctx, "ada", stateless)
			if err != nil {
				t.Fatal(err)
			}
			secret, err := read(ctx, s)
			if secret == "" || err != nil {
				t.Fatalf("before the outage: read %q (%v)", secret, err)
			}
			f.store.Stop()
			ready := func(d *daemon) (int, string) {
				resp, err := http.Get(d.url("/readyz"))
				if err != nil {
					return 0, err.Error()
				}
				defer resp.Body.Close()
				body := make([]byte, 4096)
				n, _ := resp.Body.Read(body)
				return resp.StatusCode, string(body[:n])
			}
			eventually.SucceedsWithin(t, 10*time.Second, "the outage is said aloud", func() error {
				want := http.StatusServiceUnavailable
				if works {
					want = http.StatusOK
				}
				for _, d := range f.replicas {
					if code, body := ready(d); code != want || !strings.Contains(body, "state.on_outage") {
						return fmt.Errorf("readyz: %d %s", code, body)
					}
				}
				return nil
			})
			if got, _ := read(ctx, s); got != "" != works {
				t.Errorf("during the outage, read %q", got)
			}
			f.store.Start()
			eventually.SucceedsWithin(t, 20*time.Second, "it heals", func() error {
				for _, d := range f.replicas {
					if code, body := ready(d); code != http.StatusOK || strings.Contains(body, "state.on_outage") {
						return fmt.Errorf("readyz: %d %s", code, body)
					}
				}
				return nil
			})
			s, err = f.agent(ctx, "ada", stateless)
			if err != nil {
				t.Fatal(err)
			}
			if through, stopped, err := send(ctx, s, secret); through || err != nil {
				t.Errorf("after the outage, what was read got through %t, stopped %t (%v)", through, stopped, err)
			}
			if got, err := read(ctx, s); got == "" || err != nil {
				t.Errorf("after the outage, read %q (%v)", got, err)
			}
		})
	}
}
