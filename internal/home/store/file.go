package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	strict "github.com/go-json-experiment/json"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/home"
)

// form is the version of the file format.
const form = 1

// file is the content of the store's file.
type file struct {
	Version int                  `json:"version"`
	Entries []home.Entry         `json:"entries"`
	Places  map[string]time.Time `json:"looked_at"`
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
		return fmt.Errorf("reading the entries of home: %w", err)
	}
	f, err := parse(raw)
	if err != nil {
		return fmt.Errorf(
			"%s cannot be used (%w). It holds what you have confirmed and rejected as your own organisation, so "+
				"mcpproxy does not start without it: put a backup in its place, or move it away to start over",
			s.path,
			err,
		)
	}
	s.entries = f.Entries
	if f.Places != nil {
		s.places = f.Places
	}
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
	for i, e := range f.Entries {
		made, err := home.Make(e.Kind, e.Value)
		switch {
		case err != nil && !errors.Is(err, home.ErrShared):
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		case err == nil && !made.Same(e):
			return nil, fmt.Errorf("entry %d: the value %q is not in the form in which entries are stored", i+1, e.Value)
		case !slices.Contains([]home.State{home.Learned, home.Confirmed, home.Rejected}, e.State):
			return nil, fmt.Errorf("entry %d: invalid state %q", i+1, e.State)
		case slices.ContainsFunc(f.Entries[:i], e.Same):
			return nil, fmt.Errorf("%s appears twice", e)
		}
	}
	// The domain may have become known as a shared one since it was stored; then it is not home any more.
	f.Entries = slices.DeleteFunc(f.Entries, func(e home.Entry) bool {
		_, err := home.Make(e.Kind, e.Value)
		return err != nil
	})
	return &f, nil
}

// save replaces the file. The caller holds the lock.
func (s *Store) save() error {
	f := file{Version: form, Entries: s.entries, Places: s.places}
	if f.Entries == nil {
		f.Entries = []home.Entry{}
	}
	raw, err := json.MarshalIndent(f, "", " ")
	if err == nil {
		err = atomicfile.WriteBytes(s.path, 0o600, raw)
	}
	if err != nil {
		return fmt.Errorf("saving the entries of home: %w", err)
	}
	return nil
}
