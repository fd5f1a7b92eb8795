package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

// figures are the results of one load.
type figures struct {
	calls    int
	p50, p95 time.Duration
	cpu      time.Duration // of the measured process, per call
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// way says whether the text is in the call, in its answer or in both. Its value is the name of the tool.
type way string

const (
	echoes way = "echo" // the text is in the call and in the answer
	reads  way = "read"
	writes way = "write"
)

// load calls a tool from several clients for the given time.
func load(ctx context.Context, p *process, w way, size, clients int, duration time.Duration) (figures, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	before := p.cpu()
	stop := time.Now().Add(duration)
	for i := range clients {
		wg.Go(func() {
			took, err := one(ctx, p.url, w, size, uint64(i), stop)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return figures{}, failed
	}
	if len(all) == 0 {
		return figures{}, fmt.Errorf("no call ended within %v", duration)
	}
	slices.Sort(all)
	return figures{
		calls: len(all),
		p50:   all[len(all)/2],
		p95:   all[len(all)*95/100],
		cpu:   (p.cpu() - before) / time.Duration(len(all)),
	}, nil
}

// one runs one client: it opens a session and makes calls until the time is over.
func one(ctx context.Context, url string, w way, size int, seed uint64, stop time.Time) ([]time.Duration, error) {
	session, err := initialize(ctx, url)
	if err != nil {
		return nil, err
	}
	words := rand.New(rand.NewPCG(seed, uint64(size)))
	var took []time.Duration
	for n := 0; time.Now().Before(stop); n++ {
		body := w.call(words, n, size)
		begin := time.Now()
		if _, err := post(ctx, url, session, body); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}

func initialize(ctx context.Context, url string) (string, error) {
	body := []byte(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
	)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		session, err := post(ctx, url, "", body)
		if err == nil {
			_, err = post(ctx, url, session, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
			return session, err
		}
		if time.Now().After(deadline) {
			return "", err
		}
	}
}

func post(ctx context.Context, url, session string, body []byte) (string, error) {
	next, _, err := exchange(ctx, url, session, body)
	return next, err
}

// answered sends a request and returns its result.
func answered(ctx context.Context, url, session, method string, params []byte) ([]byte, error) {
	_, raw, err := exchange(ctx, url, session, wire.NewRequest([]byte("1"), method, params).Raw)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(raw) { // an answer in an event stream is one event
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			raw = data
		}
	}
	m, err := wire.Parse(bytes.TrimSpace(raw))
	if err != nil {
		return nil, err
	}
	return m.Result, nil
}

// tokenKey is the key under which a context holds a token.
type tokenKey struct{}

// as returns a context whose requests send a token instead of the owner's key.
func as(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, tokenKey{}, token)
}

// errRefused is the error if a message is answered with an error.
var errRefused = errors.New("refused")

// exchange posts a message. It returns the session id that the response sets, and the response.
func exchange(ctx context.Context, url, session string, body []byte) (next string, raw []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token, ok := ctx.Value(tokenKey{}).(string); ok {
		req.Header.Set("Authorization", "Bearer "+token)
	} else {
		req.Header.Set("X-API-Key", benchKey)
	}
	if session != "" {
		req.Header.Set(wire.HeaderSession, session)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	if raw, err = io.ReadAll(resp.Body); err != nil {
		return "", nil, err
	}
	if resp.StatusCode >= 400 || bytes.Contains(raw[:min(len(raw), 200)], []byte(`"error"`)) {
		return "", nil, fmt.Errorf("%w: HTTP status %s: %s", errRefused, resp.Status, raw[:min(len(raw), 300)])
	}
	return resp.Header.Get(wire.HeaderSession), raw, nil
}

// call returns a call whose text, or the text of its answer, has the given size. No two calls are the same.
func (w way) call(words *rand.Rand, n, size int) []byte {
	var arguments []byte
	if w == reads {
		arguments = fmt.Appendf(nil, `{"page":%d,"bytes":%d}`, words.Int32(), size)
	} else {
		arguments = wire.Set(nil, wire.Quote(prose(words, size)), "text")
	}
	params := wire.Set(wire.Set(nil, wire.Quote(string(w)), "name"), arguments, "arguments")
	return wire.NewRequest(wire.IntID(int64(n+1)), "tools/call", params).Raw
}

var vocabulary = strings.Fields(
	`the of and to in for is on that with by this from at are as be or an was have it not will can has
	report customer invoice shipment contract review meeting deadline budget quarter team project release branch server database
	query index table column schema error warning timeout request response payload client session deploy rollback cluster region`,
)

// prose returns n bytes of random words, so that no two texts are the same.
func prose(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s ", vocabulary[r.IntN(len(vocabulary))])
		if r.IntN(12) == 0 {
			fmt.Fprintf(&b, "%d. ", r.IntN(10000))
		}
	}
	return b.String()[:n]
}
