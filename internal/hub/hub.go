package hub

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	strict "github.com/go-json-experiment/json"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/ship"
)

// maxEnrolment is the largest body of an enrolment request, in bytes.
const maxEnrolment = 64 << 10

// atOnce is how many requests are handled at once. Others wait until one has ended.
const atOnce = 8

// Handler serves the HTTP requests that machines send to a hub.
type Handler struct {
	store *postgres.Receiver
	turns chan struct{}
}

// New returns a handler that stores what machines send.
func New(store *postgres.Receiver) *Handler {
	return &Handler{store: store, turns: make(chan struct{}, atOnce)}
}

// Paths returns the paths that a Handler serves.
func Paths() []string { return []string{ship.PathRecords, ship.PathEnroll} }

// ServeHTTP serves a request of a machine.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, ship.Answer{Error: "machines send with POST"})
		return
	}
	var end ledger.Head
	var err error
	switch r.URL.Path {
	case ship.PathRecords:
		end, err = h.records(w, r)
	case ship.PathEnroll:
		end, err = h.enroll(w, r)
	default:
		answer(w, http.StatusNotFound, ship.Answer{Error: "this path does not exist on a hub"})
		return
	}
	a := ship.Answer{Seq: end.Seq, Hash: end.Hash}
	status := http.StatusOK
	if err != nil {
		status, a.Code, a.Error = outcome(err)
		if status == http.StatusServiceUnavailable {
			slog.Error("cannot store the records of a machine", "error", err)
		} else {
			slog.Warn("refused the request of a machine", "path", r.URL.Path, "error", err)
		}
	}
	answer(w, status, a)
}

// outcomes are the errors for which a machine is told the reason, each with the HTTP status and the
// code of the answer.
var outcomes = []struct {
	err    error
	status int
	code   string
}{
	{ship.ErrUnsigned, http.StatusUnauthorized, ship.CodeMachine},
	{ship.ErrClock, http.StatusUnauthorized, ship.CodeClock},
	{ship.ErrForm, http.StatusBadRequest, ship.CodeForm},
	{postgres.ErrNoMachine, http.StatusUnauthorized, ship.CodeMachine},
	{postgres.ErrRevoked, http.StatusForbidden, ship.CodeMachine},
	{postgres.ErrToken, http.StatusForbidden, ship.CodeToken},
	{postgres.ErrReplayed, http.StatusConflict, ship.CodeReplayed},
	{postgres.ErrForged, http.StatusUnprocessableEntity, ship.CodeForged},
	{postgres.ErrFork, http.StatusConflict, ship.CodeFork},
	{postgres.ErrAhead, http.StatusConflict, ship.CodeAhead},
}

// outcome returns the status, code and text with which an error is answered. Errors of the database
// are not disclosed.
func outcome(err error) (status int, code, text string) {
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.status, o.code, err.Error()
		}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge, ship.CodeForm, "the request is too large"
	}
	return http.StatusServiceUnavailable, ship.CodeBusy, "the hub cannot store records now; send them again later"
}

func answer(w http.ResponseWriter, status int, a ship.Answer) {
	a.Now = time.Now().UnixMicro()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // fails if the machine has disconnected
}

// body reads the body of a request and then waits until fewer than atOnce requests are handled. It waits
// after reading, so that a machine that sends slowly does not block others. The caller must call end.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, most int64) (raw []byte, end func(), err error) {
	if raw, err = io.ReadAll(http.MaxBytesReader(w, r.Body, most)); err != nil {
		return nil, nil, err
	}
	select {
	case h.turns <- struct{}{}:
		return raw, func() { <-h.turns }, nil
	case <-r.Context().Done():
		return nil, nil, r.Context().Err()
	}
}

// records stores a batch.
func (h *Handler) records(w http.ResponseWriter, r *http.Request) (end ledger.Head, err error) {
	s, err := ship.SignatureOf(r, time.Now())
	if err != nil {
		return end, err
	}
	m, err := h.store.Machine(r.Context(), s.Machine)
	switch {
	case err != nil:
		return end, err
	case m.Revoked != nil:
		return end, postgres.ErrRevoked
	}
	raw, done, err := h.body(w, r, ship.MaxBody)
	if err != nil {
		return end, err
	}
	defer done()
	if err := s.Check(r.Method, ship.PathRecords, ledger.Keys{m.Key}, raw); err != nil {
		return end, err
	}
	b, err := ship.Decode(raw)
	if err != nil {
		return end, err
	}
	// Finish storing the batch even if the machine disconnects: it would only send the batch again.
	return h.store.Receive(context.WithoutCancel(r.Context()), m, &postgres.Delivery{
		Request:  s.At,
		Version:  b.Program,
		First:    b.First,
		Records:  b.Sealed(),
		Head:     b.Head,
		Skipped:  b.Skipped,
		Withheld: b.Withheld,
	})
}

// enroll enrolls the machine that sent the request.
func (h *Handler) enroll(w http.ResponseWriter, r *http.Request) (end ledger.Head, err error) {
	s, err := ship.SignatureOf(r, time.Now())
	if err != nil {
		return end, err
	}
	raw, done, err := h.body(w, r, maxEnrolment)
	if err != nil {
		return end, err
	}
	defer done()
	var e ship.Enrolment
	if err := strict.Unmarshal(raw, &e, strict.RejectUnknownMembers(true)); err != nil {
		return end, ship.ErrForm // the decoder's error could quote the token
	}
	key := ed25519.PublicKey(e.Key)
	if len(key) != ed25519.PublicKeySize || ledger.KeyID(key) != s.Machine {
		return end, ship.ErrUnsigned
	}
	if err := s.Check(r.Method, ship.PathEnroll, ledger.Keys{key}, raw); err != nil {
		return end, err
	}
	end, err = h.store.Enroll(r.Context(), &postgres.Enrolment{
		Token:   e.Token,
		Key:     key,
		Name:    e.Name,
		Version: e.Program,
		Request: s.At,
		Begin:   e.Begin,
	})
	if err == nil {
		slog.Info("a machine enrolled", "machine", s.Machine, "name", e.Name)
	}
	return end, err
}
