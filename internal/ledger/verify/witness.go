package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/backend"
)

// WitnessPath is the file, outside of the log's folder, that says where the log ended; ""
// where none is kept.
func WitnessPath(folder string) string { return ledger.WitnessPath(folder, os.Getenv) }

// WitnessBreak holds a log against what is known of it outside of its folder. It returns nil
// if known, which was found before, says already that the log or its heads were replaced.
func WitnessBreak(
	ctx context.Context,
	place backend.Place,
	store ledger.Guarded,
	known []ledger.Break,
) (*ledger.Break, error) {
	if slices.ContainsFunc(known, ledger.Break.OfLog) {
		return nil, nil
	}
	path := WitnessPath(place.Folder())
	w, err := ledger.ReadWitness(path)
	if errors.Is(err, ledger.ErrForeignHeads) {
		return ledger.NewBreak(ledger.HeadsReplaced, filepath.Base(path), "%v", err), nil
	}
	if w == nil || err != nil {
		return nil, err
	}
	name := place.Name()
	if b := w.Foreign(name, store.Keys()); b != nil {
		return b, nil
	}
	problem, err := store.Against(ctx, &ledger.Heads{Log: w.Log})
	if problem == "" || err != nil {
		return nil, err
	}
	return ledger.NewBreak(ledger.LogReplaced, name, "%s", problem), nil
}
