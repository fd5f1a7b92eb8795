package ship

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/version"
)

// requestTimeout is how long one request may take.
const requestTimeout = time.Minute

// maxAnswer is how many bytes of an answer are read at most.
const maxAnswer = 64 << 10

// Refusal is the answer of a hub that refuses a request.
type Refusal struct {
	Status int
	Answer Answer
}

// Error returns the hub's answer in words.
func (r *Refusal) Error() string {
	if r.Answer.Error == "" {
		return fmt.Sprintf("the hub answered %d %s", r.Status, http.StatusText(r.Status))
	}
	return "the hub answered: " + r.Answer.Error
}

// client sends requests to a hub.
type client struct {
	http   *http.Client
	hub    string
	signer *ledger.Signer
	last   int64         // number of the last request
	ahead  time.Duration // by how much the hub's clock is ahead of this machine's
}

// newClient returns a client of a hub. The file ca has the certificates of the authorities that are
// trusted for the hub; if it is "", the system's are.
func newClient(hub, ca string, signer *ledger.Signer) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("reading the CA certificate for the hub: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("reading the CA certificate for the hub: %s has no certificate in PEM form", ca)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	refuse := func(*http.Request, []*http.Request) error {
		return errors.New("the hub redirects to another address: enroll with that address")
	}
	return &client{
		http:   &http.Client{Transport: transport, Timeout: requestTimeout, CheckRedirect: refuse},
		hub:    clean(hub),
		signer: signer,
	}, nil
}

// post sends a body and returns the answer. If the hub says that the machine's clock is wrong or the
// request's number is too low, it tries once more.
func (c *client) post(ctx context.Context, path string, body []byte) (*Answer, error) {
	a, err := c.once(ctx, path, body)
	var refused *Refusal
	if !errors.As(err, &refused) || refused.Answer.Now == 0 {
		return a, err
	}
	switch refused.Answer.Code {
	case CodeClock:
		c.ahead = time.Until(time.UnixMicro(refused.Answer.Now))
		c.last = 0
	case CodeReplayed: // this machine's clock was ahead before, and has been set back
		c.last = max(c.last, refused.Answer.Now)
	default:
		return a, err
	}
	return c.once(ctx, path, body)
}

func (c *client) once(ctx context.Context, path string, body []byte) (*Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.hub+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	c.last = max(c.last+1, time.Now().Add(c.ahead).UnixMicro())
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("User-Agent", "mcpproxy/"+version.String())
	Sign(r, c.signer, path, c.last, body)
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("reaching the hub: %w", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the hub's answer: %w", err)
	}
	var a Answer
	unreadable := json.Unmarshal(raw, &a)
	if resp.StatusCode != http.StatusOK {
		return nil, &Refusal{resp.StatusCode, a} // a is empty if something other than a hub answered
	}
	if unreadable != nil {
		return nil, fmt.Errorf("reading the hub's answer: %w", unreadable)
	}
	return &a, nil
}

// Enroll enrolls the machine with the given signer at a hub, and returns what the machine must save.
func Enroll(ctx context.Context, hub, ca, token, name string, signer *ledger.Signer) (e Enrolled, err error) {
	if err := CheckHub(hub); err != nil {
		return e, err
	}
	c, err := newClient(hub, ca, signer)
	if err != nil {
		return e, err
	}
	body, err := json.Marshal(Enrolment{
		Token:   token,
		Key:     signer.Keys()[0],
		Name:    name,
		Program: version.String(),
		Begin:   signer.Sign(ledger.Checkpoint{Reason: ledger.ReasonHead}, time.Now()),
	})
	if err != nil {
		return e, err
	}
	a, err := c.post(ctx, PathEnroll, body)
	if err != nil {
		return e, err
	}
	return Enrolled{
		Hub:     clean(hub),
		CA:      ca,
		Machine: signer.ID(),
		At:      time.Now().UTC(),
		Seq:     a.Seq,
		Hash:    a.Hash,
		Request: c.last,
	}, nil
}
