// Package verify checks an activity log: whether its hash chain is intact, and whether the log or
// another guarded file was removed or replaced.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/backend"
	"mcpproxy/internal/ledger/sqlite"
)

// Log is a log to verify.
type Log struct {
	backend.Place
	Keys []string // files of public keys; if empty, ledger.pub next to the log
	// Whole says that the log is that of the configuration, so its other files must be next to it.
	// Any other log may be a copy without them.
	Whole bool
}

// Walk verifies the chain of the log.
func (v Log) Walk(ctx context.Context) (ledger.Report, error) {
	store, err := v.Open(ctx)
	if err != nil {
		return ledger.Report{}, err
	}
	defer store.Close()
	return store.Verify(ctx)
}

// heads reads the heads file of the log.
func (v Log) heads() (*ledger.Heads, error) {
	keys, err := v.readKeys()
	if err != nil {
		return nil, err
	}
	return ledger.ReadHeads(filepath.Join(v.Folder(), ledger.HeadsFile), keys)
}

// Breaks returns the removed or replaced files, and those that the owner has accepted.
func (v Log) Breaks(ctx context.Context, store ledger.Guarded) (found, accepted []ledger.Break, err error) {
	heads, err := v.heads() // read before the log, because the log grows
	switch {
	case errors.Is(err, ledger.ErrNoHeads) && !(v.Whole && store.WithHeads()):
		return nil, nil, nil // a copy of the log alone, or a log from before heads files existed
	case errors.Is(err, ledger.ErrNoHeads), errors.Is(err, ledger.ErrForeignHeads):
		return []ledger.Break{*ledger.LostHeads(err)}, nil, nil
	case err != nil:
		return nil, nil, err
	}
	problem, err := store.Against(ctx, heads)
	if err != nil {
		return nil, nil, err
	}
	if problem != "" {
		found = append(found, *ledger.NewBreak(ledger.LogReplaced, v.Name(), "%s", problem))
	}
	if v.Whole {
		files, err := v.fileBreaks(ctx, heads)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, files...)
		gone, err := WitnessBreak(ctx, v.Place, store, append(found, heads.Breaks...))
		if err != nil {
			return nil, nil, err
		}
		if gone != nil {
			found = append(found, *gone)
		}
	}
	return append(found, heads.Breaks...), heads.Accepted, nil
}

// fileBreaks compares the guarded files with the heads. The daemon may be writing one of them, so
// it reads a differing file again.
func (v Log) fileBreaks(ctx context.Context, heads *ledger.Heads) (found []ledger.Break, err error) {
	for try := range 3 {
		if found, err = FileBreaksIn(v.DataFolder(), heads); err != nil || len(found) == 0 {
			return nil, err
		}
		if try > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
		if again, err := v.heads(); err == nil {
			heads = again
		}
	}
	return found, nil
}

// FileBreaksIn compares the guarded files of a folder with the heads.
func FileBreaksIn(dir string, heads *ledger.Heads) (found []ledger.Break, err error) {
	for _, name := range ledger.GuardedFiles {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if b := heads.FileProblem(name, raw); b != nil {
			found = append(found, *b)
		}
	}
	return found, nil
}

// Removed returns the break if err says that the log does not exist and the heads record one.
func (v Log) Removed(err error) *ledger.Break {
	if !backend.NoLog(err) {
		return nil
	}
	heads, unknown := v.heads()
	if unknown != nil {
		return v.witnessed()
	}
	problem, _ := heads.Log.Problem(ledger.Head{}, nil)
	if problem == "" {
		return nil
	}
	return ledger.NewBreak(ledger.LogReplaced, v.Name(), "%s", problem)
}

// witnessed returns the break of a log that is missing together with all its files, or nil if there
// never was a log.
func (v Log) witnessed() *ledger.Break {
	if !v.Whole {
		return nil
	}
	w, err := ledger.ReadWitness(WitnessPath(v.Folder()))
	if err != nil {
		return nil
	}
	return w.Gone(v.Name())
}

// AllBreaks returns the breaks of a log that may be missing: an empty list if nothing is wrong, and
// nil if there never was a log.
func (v Log) AllBreaks(ctx context.Context) ([]ledger.Break, error) {
	store, err := v.Open(ctx)
	if err != nil {
		if b := v.Removed(err); b != nil {
			return []ledger.Break{*b}, nil
		}
		if backend.NoLog(err) {
			return nil, nil
		}
		return nil, err
	}
	defer store.Close()
	found, _, err := v.Breaks(ctx, store)
	if found == nil {
		found = []ledger.Break{}
	}
	return found, err
}

// readKeys reads the keys that verification trusts.
func (v Log) readKeys() (keys ledger.Keys, err error) {
	files := v.Keys
	if len(files) == 0 {
		files = []string{filepath.Join(v.Folder(), ledger.PublicFile)}
	}
	for _, f := range files {
		more, missing := ledger.ReadKeys(f)
		if missing != nil {
			err = fmt.Errorf("%w; name another with --key", missing)
		}
		keys = append(keys, more...)
	}
	return keys, err
}

// Open opens the log for reading. It first converts a log of an older version.
func (v Log) Open(ctx context.Context) (ledger.Guarded, error) {
	keys, missing := v.readKeys()
	store, err := v.OpenReader(ctx, keys)
	if errors.Is(err, sqlite.ErrOldLog) {
		if len(v.Keys) > 0 { // converting would sign it with its own key
			return nil, fmt.Errorf("%w: it was never signed, so it cannot be verified with --key", err)
		}
		return v.Place.Open(ctx)
	}
	if err == nil && missing != nil {
		return nil, errors.Join(missing, store.Close())
	}
	return store, err
}
