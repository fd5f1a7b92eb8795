package config

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a file must be unchanged before it is read again, because editors write in
// several steps.
const settle = 150 * time.Millisecond

// Watch calls changed after each change of the file at path, until ctx ends. It watches the folder,
// because editors replace the file.
func Watch(ctx context.Context, path string, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching the configuration: %w", err)
	}
	if err := w.Add(filepath.Dir(path)); err != nil {
		w.Close()
		return fmt.Errorf("watching the configuration: %w", err)
	}
	go func() {
		defer w.Close()
		follow(ctx, path, w.Events, w.Errors, changed)
	}()
	return nil
}

// follow calls changed after each burst of events for the file at path, until ctx ends.
func follow(ctx context.Context, path string, events <-chan fsnotify.Event, lost <-chan error, changed func()) {
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case ev := <-events:
			if filepath.Clean(ev.Name) == filepath.Clean(path) && !ev.Has(fsnotify.Chmod) {
				quiet.Reset(settle)
			}
		case err := <-lost: // events were lost, so assume a change
			slog.Debug("events about files were lost", "error", err)
			quiet.Reset(settle)
		case <-quiet.C:
			changed()
		}
	}
}
