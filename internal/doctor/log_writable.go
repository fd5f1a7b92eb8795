package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/ledger/backend"
)

// checkLog checks whether the activity log can be written.
func checkLog(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	result := Check{
		Section: "Activity log",
		Name:    "writable",
		OK:      true,
		Detail:  c.LogPath(),
	}
	if place := daemon.LogPlace(c); place.Database != "" {
		checkReachable(ctx, place, f)
		return
	}
	log, err := os.OpenFile(c.LogPath(), os.O_WRONLY, 0)
	if err == nil {
		err = log.Close()
	} else if errors.Is(err, os.ErrNotExist) {
		err = canMake(c.DataDir)
	}
	if err != nil {
		result.OK = false
		result.Detail = err.Error()
		result.Advice = "give your user the right to write to " + c.DataDir + ", or set another data_dir"
	}
	f.add(result)
}

// checkReachable checks whether the database of the activity log can be reached.
func checkReachable(ctx context.Context, place backend.Place, f *Checkup) {
	result := Check{
		Section: "Activity log",
		Name:    "database",
		OK:      true,
		Detail:  "the PostgreSQL database of activity.store can be reached",
	}
	store, err := place.OpenReader(ctx, nil)
	switch {
	case err == nil:
		err = store.Close()
	case backend.NoLog(err):
		result.Detail += "; the daemon makes the tables when it starts"
		err = nil
	}
	if err != nil {
		result.OK = false
		result.Detail = err.Error()
		result.Advice = "check activity.store, and that the server runs and accepts connections from here"
	}
	f.add(result)
}

// canMake returns why a file cannot be created in a folder. The folder may not exist yet.
func canMake(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
		return canMake(filepath.Dir(dir))
	}
	file, err := os.CreateTemp(dir, ".mcpproxy-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
