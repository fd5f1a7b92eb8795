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

// maxEnrolment is the size of the largest request to enroll.
const maxEnrolment = 64 << 10

// atOnce is how many batches are decoded and stored at once. Others wait.
const atOnce = 8

// Handler serves the requests of machines.
type Handler struct {
	store *postgres.Receiver
	turns chan struct{}
}

// New returns a handler that stores what machines send.
func New(store *postgres.Receiver) *Handler {
	return &Handler{store: store, turns: make(chan struct{}, atOnce)}
}

// Paths are those that a Handler serves.
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
		answer(w, http.StatusNotFound, ship.Answer{Error: "there is nothing here"})
		return
	}
	a := ship.Answer{Seq: end.Seq, Hash: end.Hash}
	status := http.StatusOK
	if err != nil {
		status, a.Code, a.Error = outcome(err)
		if status == http.StatusServiceUnavailable {
			slog.Error("what a machine sent could not be stored", "error", err)
		} else {
			slog.Warn("a request of a machine was refused", "path", r.URL.Path, "error", err)
		}
	}
	answer(w, status, a)
}

// outcomes are the errors of machines, with the statuses and codes that they get.
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

// outcome returns what a machine hears of an error. It hears nothing of the database.
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
	_ = json.NewEncoder(w).Encode(a) // fails if the machine has left
}

// body reads the body of a request, and waits for the turn of what follows. Who sends slowly keeps nobody
// from a turn.
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
	// A machine that has left will send the batch again: what was begun for it is ended all the same.
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

// enroll enrolls a machine.
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
		return end, ship.ErrForm // the error could quote the token
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
