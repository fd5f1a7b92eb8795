package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/state/valkey/valkeytest"
)

// fleet is two replicas over one state store, and a load balancer in front of them that sends every request
// to another one.
type fleet struct {
	store    *valkeytest.Server
	replicas []*daemon
	turn     atomic.Int64
	tokens   map[string]string // by agent
}

const fleetKey = "the key of the group of replicas, of no value"

// newFleet starts two replicas with the same tokens.
func newFleet(t *testing.T, durable bool, more object, agents ...string) *fleet {
	t.Helper()
	f := &fleet{store: valkeytest.Start(t, durable), tokens: map[string]string{}}
	for range 2 {
		address := rig.FreeAddress(t)
		state := object{"store": f.store.URL(), "key": fleetKey, "advertise": "http://" + address}
		for k, v := range more {
			state[k] = v
		}
		d := prepare(t, object{
			"listen": address,
			"state":  state,
			"security": object{
				"tool_quarantine": object{"auto_quarantine_new_tools": false},
				"flow_policy":     object{"internal_to_external": "deny"},
			},
			"mcpServers": []object{
				ownServer("database", "diary"),
				{"name": "slack", "command": bin.race, "args": []string{"demo-server", "chat"}},
			},
		})
		f.replicas = append(f.replicas, d)
	}
	first, second := f.replicas[0], f.replicas[1]
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
	if err := os.WriteFile(filepath.Join(second.dir, "tokens.json"), raw, 0o600); err != nil {
		t.Fatal(err)
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

// diaryEntry returns twelve words that stand in no other entry.
func diaryEntry() string {
	words := make([]string, 12)
	for i := range words {
		words[i] = strings.ToLower(rand.Text()[:7])
	}
	return strings.Join(words, " ")
}

var diaryLine = regexp.MustCompile(`entry: ([a-z0-9 ]+)`)

// read has an agent read an entry of a diary, which no call has brought before; "" if it did not get it.
func read(ctx context.Context, s *mcp.ClientSession) (note string, err error) {
	text, err := said(s.CallTool(ctx, &mcp.CallToolParams{Name: "call_tool_read", Arguments: object{
		"name": "database:read_thing", "args": object{},
	}}))
	if found := diaryLine.FindStringSubmatch(text); found != nil {
		note = found[1]
	}
	return note, err
}

// send has an agent post what it read, and reports whether it got through.
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
	f := newFleet(t, false, nil, append(agents, "honest")...)
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

func TestNoFlowIsMissedWhileAReplicaIsKilledAndTheStoreIsRestarted(t *testing.T) {
	t.Parallel()
	for name, durable := range map[string]bool{"a store that keeps what it had": true, "a store that forgets": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agents := []string{"ada", "bob", "cyd", "dee"}
			f := newFleet(t, durable, nil, agents...)
			ctx, end := context.WithCancel(rig.Within(t))
			defer end()
			var stopped, failed, before atomic.Int64
			var wg sync.WaitGroup
			for _, name := range agents {
				wg.Go(func() {
					for ctx.Err() == nil {
						a, b := f.round(ctx, t, name)
						stopped.Add(a)
						failed.Add(b)
					}
				})
			}
			progress := func(what string) {
				before.Store(stopped.Load())
				eventually.TrueWithin(t, 40*time.Second, what, func() bool { return stopped.Load() > before.Load()+40 })
			}
			progress("agents work with both replicas")
			f.replicas[0].kill()
			progress("agents work with the replica that is left")
			f.store.Stop()
			time.Sleep(time.Second)
			f.store.Start()
			progress("agents work with the store again")
			f.run(f.replicas[0])
			progress("agents work with both replicas again")
			end()
			wg.Wait()
			t.Logf("%d flows were stopped, %d requests failed", stopped.Load(), failed.Load())
		})
	}
}

// round reads and sends, and counts what was stopped and what failed. A send after a read may fail; it may not
// get through.
func (f *fleet) round(ctx context.Context, t *testing.T, name string) (stopped, failed int64) {
	s, err := f.agent(ctx, name, stateless)
	if err != nil {
		time.Sleep(20 * time.Millisecond)
		return 0, 1
	}
	defer s.Close()
	for range 5 {
		got, err := read(ctx, s)
		if err != nil || got == "" {
			failed++
			time.Sleep(10 * time.Millisecond)
			continue
		}
		through, was, err := send(ctx, s, got)
		switch {
		case through:
			t.Errorf("%s got through what it had read", name)
		case err != nil || !was:
			failed++
		default:
			stopped++
		}
	}
	return stopped, failed
}

func TestTheKillSwitchStopsTheCallsOfAllReplicas(t *testing.T) {
	t.Parallel()
	f := newFleet(t, false, nil, "ada")
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
}

func TestAnOutageOfTheStoreIsSaidAloudAndHeals(t *testing.T) {
	t.Parallel()
	for mode, works := range map[string]bool{"deny": false, "local": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, true, object{"on_outage": mode}, "ada")
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
