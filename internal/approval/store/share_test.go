package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"mcpproxy/internal/approval/store"
)

func TestARuleHoldsOnAllGatewaysUntilOneRevokesIt(t *testing.T) {
	t.Parallel()
	var heard []string
	a := open(t, filepath.Join(t.TempDir(), store.File), nil)
	path := filepath.Join(t.TempDir(), store.File)
	b := open(t, path, func(c store.Change) { heard = append(heard, fmt.Sprint(c.Event, " by ", c.By)) })
	away := false
	publish := func(c store.Change) error {
		if away && c.Event == store.Kept {
			return errors.New("the store is away")
		}
		return errors.Join(a.Adopt([]store.Change{c}), b.Adopt([]store.Change{c}))
	}
	a.Share(publish)
	b.Share(publish)
	id, err := a.Keep(boundary("#x"), "01REQUEST", "ada")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*store.Store{"one": a, "other": b, "other after a restart": open(t, path, nil)} {
		if got, ok := s.Allows(boundary("#x")); !ok || got != id {
			t.Errorf("the %s gateway has the rule %q, want %q", name, got, id)
		}
		if _, ok := s.Allows(boundary("#y")); ok {
			t.Errorf("the %s gateway allows another boundary", name)
		}
	}
	if same, err := b.Keep(boundary("#x"), "01OTHER", "bob"); err != nil || same != id {
		t.Errorf("the same boundary has two rules: %s, %v", same, err)
	}
	away = true
	if _, err := a.Keep(boundary("#y"), "", "ada"); err == nil {
		t.Error("a rule was kept that the others do not know")
	}
	if _, ok := a.Allows(boundary("#y")); ok {
		t.Error("a rule that could not be kept holds")
	}
	if _, err := b.Revoke(id, "bob"); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*store.Store{"one": a, "other": b, "other after a restart": open(t, path, nil)} {
		if _, ok := s.Allows(boundary("#x")); ok {
			t.Errorf("the %s gateway allows what was revoked", name)
		}
	}
	if want := "[kept by ada revoked by bob]"; fmt.Sprint(heard) != want {
		t.Errorf("the other gateway recorded %v, want %s", heard, want)
	}
}

func TestARuleThatMustNotBeKeptIsNotAdopted(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), store.File), nil)
	once := boundary("#x")
	once.Once = "its destination is not known"
	for name, rule := range map[string]store.Rule{
		"a boundary that is asked about each time": {ID: "01A", Boundary: once},
		"a rule without an id":                     {Boundary: boundary("#x")},
	} {
		if err := s.Adopt([]store.Change{{Event: store.Kept, Rule: rule}}); err == nil {
			t.Errorf("%s was adopted", name)
		}
	}
	if len(s.Rules()) != 0 {
		t.Errorf("%+v", s.Rules())
	}
}
