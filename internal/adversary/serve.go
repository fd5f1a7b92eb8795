package adversary

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxMessage is the maximum length of a message that the server reads, in bytes.
const maxMessage = 16 << 20

// ErrCrash is returned when the attack makes the server crash.
var ErrCrash = errors.New("the server crashed, as the attack demands")

// ServeStdio answers the messages in in, one on each line, until in or ctx ends. It writes the answers to out. A slow
// answer does not delay others. The error is [ErrCrash], or the error of reading or writing.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	send := func(r Reply) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range r.Messages {
			if _, err := out.Write(append(bytes.Clone(m), '\n')); err != nil {
				cancel(err)
			}
		}
	}
	done := make(chan error, 1)
	go func() { done <- s.readLines(ctx, in, send) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
}

func (s *Server) readLines(ctx context.Context, in io.Reader, send func(Reply)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		r := s.Answer(lines.Bytes())
		switch {
		case r.Crash:
			return ErrCrash
		case r.Hang:
		case r.Delay > 0:
			time.AfterFunc(r.Delay, func() {
				if ctx.Err() == nil {
					send(r)
				}
			})
		default:
			send(r)
		}
	}
	return lines.Err()
}

// ServeHTTP answers one POSTed message, with JSON or, if it sends several messages, with server-sent events. A
// simulated crash closes the connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "this server is reached by POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, "the message could not be read", http.StatusBadRequest)
		return
	}
	reply := s.Answer(body)
	if reply.Crash {
		panic(http.ErrAbortHandler)
	}
	if reply.Hang {
		<-r.Context().Done()
		return
	}
	if reply.Delay > 0 {
		select {
		case <-time.After(reply.Delay):
		case <-r.Context().Done():
			return
		}
	}
	writeReply(w, reply)
}

func writeReply(w http.ResponseWriter, reply Reply) {
	switch len(reply.Messages) {
	case 0:
		w.WriteHeader(http.StatusAccepted)
	case 1:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(reply.Messages[0])
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		for _, m := range reply.Messages {
			_, _ = w.Write(append(append([]byte("event: message\ndata: "), m...), "\n\n"...))
		}
	}
}

// Handler serves each attack at /NAME, its benign variant at /benign/NAME, and its peer, if it has one, at /peer/NAME.
// Every path counts its calls and lists separately.
func Handler(attacks []Attack) http.Handler {
	servers := map[string]*Server{}
	for _, a := range attacks {
		servers["/"+a.Name], servers["/benign/"+a.Name] = NewServer(a.Harm), NewServer(a.Benign)
		if a.Harm.Peer != nil {
			servers["/peer/"+a.Name] = NewServer(*a.Harm.Peer)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s := servers[strings.TrimSuffix(r.URL.Path, "/")]; s != nil {
			s.ServeHTTP(w, r)
			return
		}
		http.Error(w, "there is no attack at this path; mcp-adversary --list names all", http.StatusNotFound)
	})
}
