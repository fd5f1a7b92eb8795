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

// WitnessPath returns the path of the file outside the log's folder that records where the log
// ended, or "" if there is no such file.
func WitnessPath(folder string) string { return ledger.WitnessPath(folder, os.Getenv) }

// WitnessBreak compares a log with its witness outside the folder. It returns nil if known, the
// break found earlier, already reports that the log or its heads were replaced.
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
