package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

// holding is how long the clients keep their connections open.
const holding = 20 * time.Second

// greetings sends n requests to initialize, ten at a time. Each declares capabilities of size bytes. The answers are
// ignored.
func greetings(ctx context.Context, url string, n, size int) error {
	params := wire.Set(nil, []byte(`"2025-11-25"`), "protocolVersion")
	params = wire.Set(params, []byte(`{"name":"flood","version":"1"}`), "clientInfo")
	large := fmt.Appendf(nil, `{"experimental":{"x":{"y":"%s"}}}`, bytes.Repeat([]byte("x"), size))
	params = wire.Set(params, large, "capabilities")
	body := wire.NewRequest(wire.IntID(1), "initialize", params).Raw
	var clients sync.WaitGroup
	for range 10 {
		clients.Go(func() {
			for range n / 10 {
				_, _, _ = exchange(ctx, url, "", body)
			}
		})
	}
	clients.Wait()
	return ctx.Err()
}

// stalledBodies opens n connections and sends on each a request whose body should have size bytes. It omits the last
// megabyte and sends nothing more. The server may stop reading earlier.
func stalledBodies(ctx context.Context, at string, n, size int) error {
	return held(ctx, at, n, func(conn net.Conn, _ int) error {
		if _, err := io.WriteString(conn, head(at, "", size)); err != nil {
			return err
		}
		_, _ = conn.Write(bytes.Repeat([]byte(" "), size-1<<20))
		return nil
	})
}

// slowReaders opens n connections. Each asks for a result of size bytes and reads only its first bytes.
func slowReaders(ctx context.Context, at string, n, size int) error {
	return held(ctx, at, n, func(conn net.Conn, i int) error {
		session, err := initialize(ctx, at)
		if err != nil {
			return err
		}
		body := reads.call(rand.New(rand.NewPCG(uint64(i), uint64(size))), i, size)
		if _, err := io.WriteString(conn, head(at, session, len(body))+string(body)); err != nil {
			return err
		}
		_, _ = conn.Read(make([]byte, 64))
		return nil
	})
}

// held opens n connections at once and calls do for each. It keeps them open for the time holding.
func held(ctx context.Context, at string, n int, do func(conn net.Conn, i int) error) error {
	to, err := url.Parse(at)
	if err != nil {
		return err
	}
	until := time.Now().Add(holding)
	failed := make(chan error, n)
	for i := range n {
		go func() {
			conn, err := net.Dial("tcp", to.Host)
			if err != nil {
				failed <- err
				return
			}
			defer conn.Close()
			if err = conn.SetDeadline(until); err == nil {
				err = do(conn, i)
			}
			if err == nil {
				select {
				case <-ctx.Done():
				case <-time.After(time.Until(until)):
				}
			}
			failed <- err
		}()
	}
	for range n {
		if one := <-failed; one != nil {
			err = one
		}
	}
	return err
}

// head returns the head of a request whose body has the given length.
func head(at, session string, length int) string {
	to, _ := url.Parse(at)
	h := http.Header{
		"Content-Type":   {"application/json"},
		"Accept":         {"application/json, text/event-stream"},
		"X-Api-Key":      {benchKey},
		"Content-Length": {fmt.Sprint(length)},
	}
	if session != "" {
		h.Set(wire.HeaderSession, session)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", to.Path, to.Host)
	_ = h.Write(&b) // cannot fail: b is in memory
	b.WriteString("\r\n")
	return b.String()
}
