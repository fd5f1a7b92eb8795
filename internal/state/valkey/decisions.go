package valkey

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/valkey-io/valkey-go"

	"mcpproxy/internal/state"
)

// attempts is how often Decide tries again because another replica decided at the same time.
const attempts = 200

// errBusy is returned if other replicas decided each time that this one tried to.
var errBusy = errors.New("the state store: other replicas decide all the time; try again")

// Decide implements [state.Decisions]. It fails with [state.ErrUnsettled] for three seconds after the server
// has lost its data, because the other replicas restore their decisions in this time.
func (s *Store) Decide(ctx context.Context, ds ...state.Decision) ([]state.Decision, error) {
	for _, d := range ds {
		if len(d.Content) > state.MaxDecision {
			return nil, fmt.Errorf("%s: %w", d.Kind, state.ErrLarge)
		}
	}
	out := slices.Clone(ds)
	for range attempts {
		s.mu.Lock()
		mark, turn := s.mark, s.turn
		s.mu.Unlock()
		if mark == "" {
			return nil, state.ErrUnsettled
		}
		args := []string{mark, strconv.FormatUint(turn, 10), ulid.Make().String()}
		for i := range out {
			out[i].Turn = turn + uint64(i) + 1
			field, value, err := s.sealed(out[i])
			if err != nil {
				return nil, err
			}
			args = append(args, field, value)
		}
		keys := []string{s.key("mark"), s.key("grace"), s.key("turn"), s.key("decisions"), s.key("decided")}
		r, err := s.run(ctx, decideScript, keys, args)
		if err != nil {
			return nil, err
		}
		said, err := r.AsStrSlice()
		if err != nil || len(said) != 2 {
			return nil, unexpected(said, err)
		}
		n, err := strconv.ParseUint(said[1], 10, 64)
		if err != nil {
			return nil, unexpected(said, err)
		}
		switch said[0] {
		case "ok":
			s.saw(n)
			return out, nil
		case "again":
			s.saw(n)
		default:
			return nil, state.ErrUnsettled
		}
	}
	return nil, errBusy
}

// saw records the highest turn that this replica knows.
func (s *Store) saw(turn uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = max(s.turn, turn)
}

// sealed returns the field of a decision and its value: the turn, a colon and the encrypted decision. The encryption
// binds the content to the field and the turn.
func (s *Store) sealed(d state.Decision) (field, value string, err error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return "", "", err
	}
	field = s.seal.name("decision", d.Kind+"\x00"+d.Name)
	turn := strconv.FormatUint(d.Turn, 10)
	return field, turn + ":" + valkey.BinaryString(s.seal.close("decision"+field+turn, raw)), nil
}

// opened decrypts the value of a field that [Store.sealed] made. It returns an error if the value belongs to another
// field or turn.
func (s *Store) opened(field, value string) (d state.Decision, err error) {
	turn, sealed, ok := strings.Cut(value, ":")
	if !ok {
		return d, ErrForeign
	}
	raw, err := s.seal.open("decision"+field+turn, []byte(sealed))
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(raw, &d); err != nil || strconv.FormatUint(d.Turn, 10) != turn {
		return d, ErrForeign
	}
	return d, nil
}

// All implements [state.Decisions].
func (s *Store) All(ctx context.Context) (ds []state.Decision, version string, err error) {
	r, err := s.run(ctx, decisionsScript, []string{s.key("decisions"), s.key("decided")}, nil)
	if err != nil {
		return nil, "", err
	}
	said, err := r.AsStrSlice()
	if err != nil || len(said)%2 == 0 {
		return nil, "", unexpected(nil, err)
	}
	for pair := range slices.Chunk(said[1:], 2) {
		d, err := s.opened(pair[0], pair[1])
		if err != nil {
			return nil, "", err
		}
		ds = append(ds, d)
		s.saw(d.Turn)
	}
	slices.SortFunc(ds, func(a, b state.Decision) int { return cmp.Compare(a.Turn, b.Turn) })
	return ds, said[0], nil
}

// Restore implements [state.Decisions].
func (s *Store) Restore(ctx context.Context, ds []state.Decision) error {
	args := []string{ulid.Make().String()}
	for _, d := range ds {
		field, value, err := s.sealed(d)
		if err != nil {
			return err
		}
		args = append(args, field, strconv.FormatUint(d.Turn, 10), value)
		s.saw(d.Turn)
	}
	_, err := s.run(ctx, restoreScript, []string{s.key("turn"), s.key("decisions"), s.key("decided")}, args)
	return err
}
