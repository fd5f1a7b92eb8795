package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/gateway"
)

// upload opens a connection, announces a body and sends its beginning.
func upload(t *testing.T, address string, announced, sent int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	go func() { // the server may have stopped reading
		fmt.Fprintf(
			conn,
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			announced,
		)
		_, _ = io.WriteString(conn, strings.Repeat(" ", sent))
	}()
	return conn
}

// status returns the status of the answer on a connection.
func status(t *testing.T, conn net.Conn) int {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// reading returns a server that reads bodies and answers with 200, or with the reason of a failure. Requests wait a
// second for memory.
func reading(t *testing.T, budget int64, after http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(
		gateway.BodiesWaiting(budget, time.Second, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				if status, message, ok := gateway.BodyFailure(w, err); ok {
					http.Error(w, message, status)
				}
				return
			}
			after(w, r)
		})),
	)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.Listener.Addr().String()
}

func TestBodiesHaveABudgetAndADeadline(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	address := reading(t, 4*mb, func(http.ResponseWriter, *http.Request) {})
	held := make([]net.Conn, 2)
	for i := range held {
		held[i] = upload(t, address, 2*mb, mb) // which takes half of the budget
	}
	started := time.Now()
	eventually.SucceedsWithin(t, 10*time.Second, "a large body beside them is refused", func() error {
		if got := status(t, upload(t, address, 3*mb/2, 3*mb/2)); got != http.StatusServiceUnavailable {
			return fmt.Errorf("it is answered with %d", got)
		}
		return nil
	})
	if got := status(t, upload(t, address, 10<<10, 10<<10)); got != http.StatusOK {
		t.Errorf("a small body beside them is answered with %d", got)
	}
	for _, conn := range held {
		if got := status(t, conn); got != http.StatusRequestTimeout {
			t.Errorf("a body that stops is answered with %d", got)
		}
	}
	if took := time.Since(started); took > 40*time.Second {
		t.Errorf("they were held for %s", took)
	}
	if got := status(t, upload(t, address, 3*mb, 3*mb)); got != http.StatusOK {
		t.Errorf("when they are gone, a large body is answered with %d", got)
	}
}

func TestALargeRequestKeepsItsMemoryUntilItIsAnswered(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	began, let := make(chan struct{}), make(chan struct{})
	address := reading(t, 2*mb, func(_ http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 2*mb {
			close(began)
			<-let
		}
	})
	first := upload(t, address, 2*mb, 2*mb)
	<-began
	if got := status(t, upload(t, address, 3*mb/2, 3*mb/2)); got != http.StatusServiceUnavailable {
		t.Errorf("a second large request while the first is being served is answered with %d", got)
	}
	if got := status(t, upload(t, address, mb, mb)); got != http.StatusOK {
		t.Errorf("one of a megabyte, which does not wait for larger ones, is answered with %d", got)
	}
	close(let)
	if got := status(t, first); got != http.StatusOK {
		t.Errorf("the first is answered with %d", got)
	}
	if got := status(t, upload(t, address, 3*mb/2, 3*mb/2)); got != http.StatusOK {
		t.Errorf("when it is answered, another is answered with %d", got)
	}
}

// An agent may disconnect before its call has ended, and results are indexed after the answer.
func TestALargeRequestKeepsItsMemoryUntilItsWorkHasEnded(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	let, ended := make(chan struct{}), make(chan struct{})
	address := reading(t, 3*mb, func(_ http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 2*mb {
			end := gateway.Holding(context.WithoutCancel(r.Context()))
			go func() {
				<-let
				end()
				close(ended)
			}()
		}
	})
	if got := status(t, upload(t, address, 2*mb, 2*mb)); got != http.StatusOK {
		t.Fatalf("a large request is answered with %d", got)
	}
	if got := status(t, upload(t, address, 3*mb/2, 3*mb/2)); got != http.StatusServiceUnavailable {
		t.Errorf("a second one while the work of the first goes on is answered with %d", got)
	}
	close(let)
	<-ended
	if got := status(t, upload(t, address, 3*mb, 3*mb)); got != http.StatusOK {
		t.Errorf("when it has ended, another is answered with %d", got)
	}
}

func TestLargeRequestsAtOnceDoNotWaitForEachOthersRest(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	address := reading(t, 4*mb, func(http.ResponseWriter, *http.Request) {})
	conns := make([]net.Conn, 6) // each of which takes most of the budget
	for i := range conns {
		conns[i] = upload(t, address, 3*mb, 3*mb)
	}
	for _, conn := range conns {
		if got := status(t, conn); got != http.StatusOK {
			t.Errorf("a large request beside others is answered with %d", got)
		}
	}
}

// The deadline for a body does not limit the answer or the next request on the connection.
func TestTheDeadlineOfABodyEndsWithIt(t *testing.T) {
	t.Parallel()
	address := reading(t, 1<<20, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 100 {
			return
		}
		select {
		case <-r.Context().Done():
			http.Error(w, "it was given up", http.StatusInternalServerError)
		case <-time.After(17 * time.Second):
		}
	})
	conn := upload(t, address, 100<<10, 100<<10)
	if got := status(t, conn); got != http.StatusOK {
		t.Errorf("a slow answer is %d", got)
	}
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
	if got := status(t, conn); got != http.StatusOK {
		t.Errorf("the next request on the connection is answered with %d", got)
	}
}
