package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	strict "github.com/go-json-experiment/json"

	"mcpproxy/internal/atomicfile"
)

// form is the version of the file format.
const form = 1

// file is the JSON document on disk.
type file struct {
	Version int    `json:"version"`
	Rules   []Rule `json:"rules"`
}

// load reads the file. A missing file is an empty store.
func (s *Store) load() error {
	if err := atomicfile.Sweep(s.path); err != nil {
		return fmt.Errorf("removing what a crash left of %s: %w", s.path, err)
	}
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the stored approvals: %w", err)
	}
	f, err := parse(raw)
	if err != nil {
		return fmt.Errorf(
			"%s cannot be used (%w). It holds what you have approved for always, so mcpproxy does not start "+
				"without it: put a backup in its place, or move it away to be asked again",
			s.path,
			err,
		)
	}
	s.rules = f.Rules
	slices.SortStableFunc(s.rules, compare)
	return nil
}

// parse decodes the file and rejects inconsistent content.
func parse(raw []byte) (*file, error) {
	var f file
	if err := atomicfile.CheckForm(raw, form); err != nil {
		return nil, err
	}
	if err := strict.Unmarshal(raw, &f, strict.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if f.Version != form {
		return nil, fmt.Errorf("its version is %d, and this program reads version %d", f.Version, form)
	}
	seen := map[string]bool{}
	for i, r := range f.Rules {
		key := r.Boundary.Key()
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d %w", i+1, err)
		}
		if seen[key] || seen[r.ID] {
			return nil, fmt.Errorf("rule %d is listed twice", i+1)
		}
		seen[key], seen[r.ID] = true, true
	}
	return &f, nil
}

// check returns an error if a rule must not be kept.
func (r Rule) check() error {
	switch {
	case r.ID == "" || r.Since.IsZero():
		return errors.New("has no id or no time")
	case r.Boundary.Principal == "" || r.Boundary.Tool == "" || len(r.Boundary.Rules) == 0:
		return errors.New("names no principal, no tool or no rule that asks")
	case r.Boundary.Once != "":
		return fmt.Errorf("cannot be kept: %s", r.Boundary.Once)
	}
	return nil
}

// save replaces the file. The caller holds the lock.
func (s *Store) save() error {
	f := file{Version: form, Rules: s.rules}
	if f.Rules == nil {
		f.Rules = []Rule{}
	}
	raw, err := json.MarshalIndent(f, "", " ")
	if err == nil {
		err = atomicfile.WriteBytes(s.path, 0o600, raw)
	}
	if err != nil {
		return fmt.Errorf("keeping an approval: %w", err)
	}
	return nil
}
