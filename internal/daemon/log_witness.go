package daemon

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/verify"
)

// How far the witness may lag behind the log. The limit is smaller shortly after the first start.
const (
	witnessFirst = 2 * time.Second
	witnessEvery = time.Minute
)

// logWitness records the end of the log outside the data folder. With this record, mcpproxy detects that somebody
// removed the log together with its key and its heads.
type logWitness struct {
	path   string // "" without a witness
	folder string
	store  ledger.Guarded
	saved  ledger.Head
	failed bool // the last write failed
}

// newLogWitness compares the log with the witness of an earlier run. If they disagree, it keeps the
// break.
func newLogWitness(ctx context.Context, c *config.Config, store ledger.Guarded) *logWitness {
	w := &logWitness{folder: LogPlace(c).Folder(), store: store}
	w.path = verify.WitnessPath(w.folder)
	b, err := verify.WitnessBreak(ctx, LogPlace(c), store, store.Heads().Heads().Breaks)
	if err != nil {
		slog.Warn("cannot compare the activity log with the note outside the data folder about where it ended", "error", err)
	}
	if b != nil {
		store.Heads().Found(b)
	}
	w.save()
	return w
}

// keep records the end of the log periodically until ctx ends.
func (w *logWitness) keep(ctx context.Context) {
	for wait := witnessFirst; ; wait = witnessEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			w.save()
		}
	}
}

// save records where the log ends now. If the witness names another log, it is kept until the owner
// has accepted that this log is gone.
func (w *logWitness) save() {
	heads := w.store.Heads().Heads()
	if w.path == "" || heads.Log == w.saved || slices.ContainsFunc(heads.Breaks, ledger.Break.OfLog) {
		return
	}
	err := w.store.Heads().SaveWitness(w.path, w.folder)
	if err != nil && !w.failed {
		slog.Warn("cannot save the head of the log outside the data folder; "+
			"the removal of the whole log may not be noticed", "error", err)
	}
	if w.failed = err != nil; !w.failed {
		w.saved = heads.Log
	}
}
