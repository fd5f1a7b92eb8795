package daemon

import (
	"log/slog"
	"path/filepath"

	"mcpproxy/internal/atrest"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/state/sealed"
)

// personalKeyFile is the file in the data folder with the key of personal data in the log.
const personalKeyFile = "personal.key"

// newSealer reads or creates the key of personal data. Without a key, personal data is masked and cannot be shown
// again.
func newSealer(dir string) *atrest.Sealer {
	key, err := sealed.Key(filepath.Join(dir, personalKeyFile))
	if err != nil {
		slog.Error("personal data in the activity log is masked and cannot be shown: there is no key for it", "error", err)
		key = nil
	}
	return atrest.New(key)
}

// masked returns the log for readers who do not see personal data.
func (l *activityLog) masked() ledger.Store { return ledger.Viewed(l.store, atrest.Mask) }

// clear returns the log with the personal data in it, for the owner.
func (l *activityLog) clear() ledger.Store { return ledger.Viewed(l.store, l.sealer.Open) }
