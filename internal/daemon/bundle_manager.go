package daemon

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"mcpproxy"
	"mcpproxy/internal/bundle"
	"mcpproxy/internal/bundle/fetch"
	"mcpproxy/internal/config"
)

// bundleManager fetches the bundle of a managed machine. It reloads the configuration when a new
// bundle is stored, when the current bundle expires, and when the machine becomes managed.
type bundleManager struct {
	config func() *config.Config
	reload func(context.Context)
	record func(t mcpproxy.RecordType, server string, detail map[string]any)
	shown  func(string) string

	source  fetch.Source
	refused string // why the last fetch failed; logged once

	cause string    // why the configuration was last reloaded
	at    time.Time // time of that reload
}

// unmanagedLook is how often an unmanaged machine checks whether it has become managed.
const unmanagedLook = time.Minute

// minRefresh is the shortest time between two fetches.
const minRefresh = time.Second

// keep fetches the bundle until ctx ends.
func (k *bundleManager) keep(ctx context.Context) {
	file := watchedFile{changed: make(chan struct{}, 1)}
	defer file.close()
	for {
		m, wait := k.look(ctx)
		file.follow(ctx, fileOf(m))
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-file.changed:
			timer.Stop()
		}
	}
}

// fileOf returns the path of the file that is the source of m, or "" if the source is an address.
func fileOf(m *bundle.Managed) string {
	if m == nil || m.Remote() {
		return ""
	}
	return m.File()
}

// watchedFile sends to changed when a file changes.
type watchedFile struct {
	changed chan struct{}
	path    string
	stop    context.CancelFunc // nil while no file is watched
}

// follow watches the file at path instead of the previous one; "" watches none.
func (w *watchedFile) follow(ctx context.Context, path string) {
	if path == w.path {
		return
	}
	w.close()
	if path == "" {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	err := config.Watch(ctx, path, func() {
		select {
		case w.changed <- struct{}{}:
		default:
		}
	})
	if err != nil { // for example a missing folder: the next check tries again
		stop()
		slog.Debug("cannot watch the folder of the bundle; reading it from time to time instead", "error", err)
		return
	}
	w.path, w.stop = path, stop
}

func (w *watchedFile) close() {
	if w.stop != nil {
		w.stop()
	}
	w.path, w.stop = "", nil
}

// look fetches the bundle once and returns the time until the next fetch. M is nil if the machine
// is not managed or its file is invalid.
func (k *bundleManager) look(ctx context.Context) (m *bundle.Managed, again time.Duration) {
	m, err := bundle.ReadManaged(ctx)
	if err != nil {
		k.refuse(err)
		return nil, unmanagedLook
	}
	inForce := k.config().Company
	if (m == nil) != (inForce == nil) {
		k.readAgain(ctx, "managed")
	}
	if m == nil {
		return nil, unmanagedLook
	}
	raw, err := k.source.Get(ctx, m)
	news := false
	if err == nil {
		news, err = bundle.Accept(ctx, m, k.config().DataDir, raw, time.Now(), checkBundle)
	}
	switch {
	case ctx.Err() != nil:
		return m, minRefresh
	case err != nil:
		k.refuse(err)
	default:
		k.refused = ""
	}
	var until time.Time
	if inForce != nil {
		until = inForce.Expires
	}
	if news {
		if b, err := bundle.Verify(raw, m.Keys()); err == nil {
			until = b.Expires
			slog.Info("applying the new bundle of your company", "bundle", b.Label())
		}
	}
	switch {
	case news:
		k.cause = ""
		k.readAgain(ctx, "news")
	case expired(inForce, time.Now()):
		k.readAgain(ctx, "expired "+inForce.Label)
	}
	again = max(m.Refresh(), minRefresh)
	if left := time.Until(until); left > 0 {
		again = min(again, left+time.Millisecond)
	}
	return m, again
}

// readAgain reloads the configuration, unless it was reloaded for the same cause recently. A reload
// cancels the reload in progress, so requesting it repeatedly would never complete one.
func (k *bundleManager) readAgain(ctx context.Context, cause string) {
	if cause == k.cause && time.Since(k.at) < readingWait {
		return
	}
	k.cause, k.at = cause, time.Now()
	k.reload(ctx)
}

// expired reports whether the bundle in force has expired and is not marked as stale yet.
func expired(by *config.Company, now time.Time) bool {
	return by != nil && by.Closed == "" && !by.Stale && !by.Expires.IsZero() && !now.Before(by.Expires)
}

// checkBundle returns an error if a bundle cannot be applied.
func checkBundle(b *bundle.Bundle) error {
	alone, err := config.BundleAlone(b)
	if err != nil {
		return err
	}
	_, err = companyRules(&config.Config{Company: &config.Company{Label: b.Label(), Alone: alone}})
	return err
}

// refuse logs once why the bundle stays unchanged.
func (k *bundleManager) refuse(err error) {
	why := k.shown(err.Error())
	if why == k.refused {
		return
	}
	k.refused = why
	slog.Error("cannot get a new bundle of your company; the last good one stays in force", "error", why)
	k.record(mcpproxy.RecordConfigChange, "", map[string]any{"bundle_refused": why, "file": filepath.Base(bundle.ManagedFile())})
}
