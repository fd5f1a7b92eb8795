package main

import (
	"context"
	"encoding/base64"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pause is the average time between two calls of an agent.
const pause = 600 * time.Millisecond

// perSession is how many tasks an agent does in one session.
const perSession = 15

// journal records what happened to the agents.
type journal struct {
	mu      sync.Mutex
	began   time.Time
	told    []string  // serials of the calls that were answered
	stopped int       // attacks that were stopped
	missed  []string  // attacks that got through
	honest  int       // honest calls that were made
	refused []refusal // honest calls that did not pass
	faults  int       // failures among the answers of the faulty server
	failed  []time.Duration
	why     string   // error of the last failed call
	took    []sample // latencies of calls to healthy servers
}

// sample is a latency with the time of the measurement.
type sample struct {
	at, took time.Duration
}

// refusal is a refusal that an agent got, with its time.
type refusal struct {
	at   time.Duration
	text string
}

// incomplete reports whether a call was stopped because the session's record of results was incomplete. A killed
// daemon loses the results since it last saved its sessions. Until such a session ends, the daemon treats its calls to
// external servers as if they carried internal data.
func (r refusal) incomplete() bool {
	return strings.Contains(r.text, "a result that is no longer known")
}

// agent is one agent. Its requests contain its token and the name of its session.
type agent struct {
	*journal
	daemon *daemon
	token  string

	mu      sync.Mutex
	session string
}

// RoundTrip sends a request to the daemon, whose address changes with each start.
func (a *agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = a.daemon.at()
	r.URL = &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path}
	r.Header.Set("Authorization", "Bearer "+a.token)
	a.mu.Lock()
	r.Header.Set("X-Mcpproxy-Session", a.session)
	a.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// work does tasks in one session after another, until ctx ends.
func (a *agent) work(ctx context.Context) {
	for ctx.Err() == nil {
		a.mu.Lock()
		a.session = word()
		a.mu.Unlock()
		client := mcp.NewClient(&mcp.Implementation{Name: "soak agent", Version: "1"}, nil)
		s, err := client.Connect(ctx, &mcp.StreamableClientTransport{
			Endpoint:   "http://daemon/mcp",
			HTTPClient: &http.Client{Transport: a, Timeout: 20 * time.Second},
		}, &mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
		if err != nil {
			a.failure(err)
			rest(ctx)
			continue
		}
		for n := 0; n < perSession && ctx.Err() == nil; n++ {
			a.task(ctx, s)
		}
		s.Close()
	}
}

// rest waits between two calls.
func rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(pause/2 + rand.N(pause)):
	}
}

// disguises are the changes that attacks make to a text before they send it.
var disguises = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "For the archive: " + strings.ToUpper(s) },
	func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
}

// task makes one call or attack, chosen at random.
func (a *agent) task(ctx context.Context, s *mcp.ClientSession) {
	switch n := rand.IntN(10); {
	case n < 3:
		a.honestly(ctx, s, diary, "read_entry", map[string]any{"words": 12 << rand.IntN(8)})
	case n < 6:
		a.honestly(ctx, s, chat, "post_message", map[string]any{"channel": "#general", "text": "The build has passed."})
	case n < 8:
		a.provoke(ctx, s)
	default:
		a.attack(ctx, s)
	}
}

// call makes a call. If it is answered, call records the serial, which is in the arguments of the call.
func (a *agent) call(ctx context.Context, s *mcp.ClientSession, server, tool string, args map[string]any) (
	answer string, ok bool) {
	defer rest(ctx)
	serial := word() + " " + word()
	if server == chat {
		args["text"] = args["text"].(string) + " (" + serial + ")"
	} else {
		args["serial"] = serial
	}
	began := time.Now()
	through := "call_tool_read"
	if server == chat {
		through = "call_tool_write"
	}
	r, err := s.CallTool(ctx, &mcp.CallToolParams{
		Name:      through,
		Arguments: map[string]any{"name": server + ":" + tool, "args": args},
	})
	if err != nil {
		if ctx.Err() == nil && server != faulty {
			a.failure(err)
		}
		return "", false
	}
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	a.told = append(a.told, serial)
	if server != faulty {
		a.took = append(a.took, sample{began.Sub(a.began), time.Since(began)})
	}
	var text strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String(), true
}

func (a *agent) failure(err error) {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	a.failed = append(a.failed, time.Since(a.began))
	a.why = err.Error()
}

// count adds one to a counter of the journal.
func (a *agent) count(n *int) {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	*n++
}

// honestly makes a call that must not be stopped.
func (a *agent) honestly(ctx context.Context, s *mcp.ClientSession, server, tool string, args map[string]any) {
	text, ok := a.call(ctx, s, server, tool, args)
	switch {
	case !ok:
	case strings.HasPrefix(text, "posted") || strings.Contains(text, "entry: "):
		a.count(&a.honest)
	default:
		a.journal.mu.Lock()
		defer a.journal.mu.Unlock()
		a.refused = append(a.refused, refusal{time.Since(a.began), text})
	}
}

// provoke calls the faulty server.
func (a *agent) provoke(ctx context.Context, s *mcp.ClientSession) {
	if text, ok := a.call(ctx, s, faulty, "get_temperature", map[string]any{}); !ok || !strings.Contains(text, "temperature: ") {
		a.count(&a.faults)
	}
}

// attack reads a text and sends it to a public channel.
func (a *agent) attack(ctx context.Context, s *mcp.ClientSession) {
	text, ok := a.call(ctx, s, diary, "read_entry", map[string]any{})
	_, entry, read := strings.Cut(text, "entry: ")
	if !ok || !read {
		return
	}
	entry = strings.Join(strings.Fields(entry)[:12], " ")
	sent := disguises[rand.IntN(len(disguises))](entry)
	text, ok = a.call(ctx, s, chat, "post_message", map[string]any{"channel": "#general", "text": sent})
	switch {
	case !ok:
	case strings.HasPrefix(text, "posted"):
		a.journal.mu.Lock()
		defer a.journal.mu.Unlock()
		a.missed = append(a.missed, sent)
	default:
		a.count(&a.stopped)
	}
}
