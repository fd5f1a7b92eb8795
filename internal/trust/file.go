package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	strict "github.com/go-json-experiment/json"

	"mcpproxy/internal/atomicfile"
)

// form is the version of the file format. Form 1 had no programs; it can still be read.
const form = 2

// file is the store on disk.
type file struct {
	Version int                     `json:"version"`
	Servers map[string]*ServerState `json:"quarantined_servers,omitempty"`
	Items   []*Item                 `json:"definitions"`
}

// load reads the file. A missing file is an empty store.
func (s *Store) load() error {
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what was approved: %w", err)
	}
	f, err := parse(raw)
	if err != nil {
		return fmt.Errorf(
			"%s cannot be used (%w). It holds which tools you have approved, so mcpproxy does not start without it: "+
				"put a backup in its place, or move it away, say so with `mcpproxy activity verify --accept`, "+
				"and approve your servers' tools anew with `mcpproxy trust baseline`",
			s.path,
			err,
		)
	}
	for _, i := range f.Items {
		s.items[i.Key] = i
	}
	if f.Servers != nil {
		s.servers = f.Servers
	}
	return nil
}

// parse decodes the file and rejects inconsistent content: an unreadable refusal must not become an
// approval.
func parse(raw []byte) (*file, error) {
	var f file
	if err := atomicfile.CheckForm(raw, form); err != nil {
		return nil, err
	}
	if err := strict.Unmarshal(raw, &f, strict.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if f.Version < 1 {
		return nil, fmt.Errorf("its version is %d, this program reads 1 to %d", f.Version, form)
	}
	known := map[Key]bool{}
	for n, i := range f.Items {
		if i == nil {
			return nil, fmt.Errorf("definition %d is missing", n+1)
		}
		if err := i.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", Visible(i.Key.String()), err)
		}
		if known[i.Key] {
			return nil, fmt.Errorf("%s appears twice", Visible(i.Key.String()))
		}
		known[i.Key] = true
	}
	for name, q := range f.Servers {
		if q == nil || name == "" {
			return nil, errors.New("a quarantined server has no name or no details")
		}
	}
	return &f, nil
}

// check validates an item that was read.
func (i *Item) check() error {
	if !slices.Contains(Kinds, i.Kind) || !slices.Contains(States, i.State) || i.Server == "" ||
		(i.Name == "") == i.Kind.Named() || i.State == Unknown && i.Kind != ProgramKind {
		return errors.New("its name or state is not valid")
	}
	print, err := FingerprintOf(Definition{i.Key, i.Raw, false})
	if err != nil || print != i.Fingerprint {
		return errors.New("its fingerprint is not that of its definition")
	}
	if i.Approval == nil {
		if i.State == Approved || i.State == RugPull {
			return errors.New("its approval is missing")
		}
		return nil
	}
	print, err = FingerprintOf(Definition{i.Key, i.Approval.Raw, false})
	if err != nil || print.CombinedHash != i.Approval.Hash {
		return errors.New("its approval does not match its definition")
	}
	if i.State == Approved && i.Approval.Hash != i.Fingerprint.CombinedHash {
		return errors.New("it is approved, but in another form than the current one")
	}
	return nil
}

// save replaces the file atomically: after a crash it is the old or the new file, complete. The
// caller holds the lock.
func (s *Store) save() error {
	s.dirty = true
	f := file{Version: form, Servers: s.servers, Items: make([]*Item, 0, len(s.items))}
	for _, i := range s.items {
		f.Items = append(f.Items, i)
	}
	slices.SortFunc(f.Items, func(a, b *Item) int { return compare(a.Key, b.Key) })
	raw, err := json.MarshalIndent(f, "", " ")
	if err == nil && !bytes.Equal(raw, s.kept) {
		err = s.replace(raw)
	}
	if err != nil {
		return fmt.Errorf("keeping which tools are approved: %w", err)
	}
	s.dirty, s.kept = false, raw
	return nil
}

// replace replaces the file by raw.
func (s *Store) replace(raw []byte) error {
	write := func() error { return atomicfile.WriteBytes(s.path, 0o600, raw) }
	if s.deps.Writing == nil {
		return write()
	}
	return s.deps.Writing(raw, write)
}
