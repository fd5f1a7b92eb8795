package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"mcpproxy/internal/atomicfile"
)

// The files of the data folder: the last good signed bundle, and the state of this machine.
const (
	CacheFile = "bundle.json"
	StateFile = "bundle-state.json"
)

// state is what a machine remembers of the bundles that it has applied.
type state struct {
	Highest int       `json:"highest"` // the highest version
	Digest  string    `json:"digest"`  // digest of the signed document in force
	Issued  time.Time `json:"issued"`  // time when that document was issued
}

// Standing is the bundle in force on a managed machine at a moment, or the reason why every call is denied.
type Standing struct {
	Managed *Managed
	// Bundle is the bundle in force; nil if the machine has no valid bundle.
	Bundle *Bundle
	// Closed is the reason why every call is denied; "" if calls are decided by the rules.
	Closed string
	// Stale is true if the bundle has expired and stays in force.
	Stale bool
}

// Label names the bundle in force, or returns "no bundle".
func (s *Standing) Label() string {
	if s.Bundle == nil {
		return "no bundle"
	}
	return s.Bundle.Label()
}

// Stand returns the standing of this machine; nil if the machine is not managed. It verifies the
// bundle in the data folder again.
func Stand(ctx context.Context, dataDir string, now time.Time) (*Standing, error) {
	m, err := ReadManaged(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	s := &Standing{Managed: m}
	raw, err := readKept(ctx, filepath.Join(dataDir, CacheFile))
	if err == nil {
		s.Bundle, err = m.open(raw, now)
	}
	switch {
	case err == nil:
	case errors.Is(err, ErrExpired) && m.OnExpiry == Keep:
		s.Stale = true
	case errors.Is(err, ErrExpired):
		s.Closed = fmt.Sprintf("Your company's bundle %s expired on %s. This machine denies every call until it gets a newer one.",
			s.Bundle.Label(), s.Bundle.Expires.UTC().Format(time.RFC3339))
	case errors.Is(err, fs.ErrNotExist):
		s.Closed = "This machine is managed by your company, and it denies every call until it has its company's bundle. " +
			"The log of mcpproxy says why the bundle could not be fetched."
	default:
		s.Closed = "This machine is managed by your company, and the bundle that it has kept cannot be used (" + err.Error() +
			"). It denies every call until it has its company's bundle."
	}
	return s, nil
}

// readKept reads a file of the data folder. It refuses a file that others than the owner can write.
func readKept(ctx context.Context, path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if _, _, known := atomicfile.Owner(info); known && info.Mode().Perm()&^0o640 != 0 {
		return nil, fmt.Errorf("%s has the mode %04o; it must be 0600 or 0640", path, info.Mode().Perm())
	}
	return atomicfile.Read(ctx, path, limits)
}

// Accept verifies a signed document that was fetched at the time now. If it replaces the bundle in
// force, Accept saves it in the data folder, and news is true. On an error, the saved bundle stays.
// Accept calls check before it saves the bundle, to validate the configuration in it.
func Accept(
	ctx context.Context,
	m *Managed,
	dataDir string,
	raw []byte,
	now time.Time,
	check func(*Bundle) error,
) (news bool, err error) {
	b, err := m.open(raw, now)
	if err != nil {
		return false, err
	}
	cache := filepath.Join(dataDir, CacheFile)
	kept, err := readKept(ctx, cache)
	if err == nil {
		_, err = Verify(kept, m.keys)
	}
	whole := err == nil
	st, err := readState(ctx, filepath.Join(dataDir, StateFile))
	if err != nil {
		return false, err
	}
	if whole && digest(kept) == digest(raw) && st.Digest == digest(raw) {
		return false, nil
	}
	if err := st.follows(b, digest(raw)); err != nil {
		return false, err
	}
	if err := check(b); err != nil {
		return false, fmt.Errorf("%s: %w", b.Label(), err)
	}
	// Write the state first: if writing the bundle then fails, the next attempt accepts the same bundle again.
	next := state{Highest: max(st.Highest, b.Version), Digest: digest(raw), Issued: b.Issued}
	if err := writeState(filepath.Join(dataDir, StateFile), next); err != nil {
		return false, err
	}
	if err := atomicfile.WriteBytes(cache, 0o600, raw); err != nil {
		return false, fmt.Errorf("keeping the bundle: %w", err)
	}
	return true, nil
}

// follows returns an error unless a bundle may replace the one that was applied before.
func (s state) follows(b *Bundle, digest string) error {
	switch {
	case digest == s.Digest, b.Version > s.Highest:
		return nil
	case b.RollbackTo != 0 && b.RollbackFrom >= s.Highest && b.Issued.After(s.Issued):
		return nil
	case b.RollbackTo != 0 && b.RollbackFrom >= s.Highest:
		return fmt.Errorf("%s was issued before the bundle in force, so it cannot be rolled back to", b.Label())
	case b.Version == s.Highest:
		return fmt.Errorf("%s differs from the bundle of the same version that was applied before: give it a higher version", b.Label())
	}
	return fmt.Errorf("%s is older than version %d, which was applied before; to go back to it, sign it as rollback_to %d from %d or higher",
		b.Label(), s.Highest, b.Version, s.Highest)
}

func readState(ctx context.Context, path string) (state, error) {
	var s state
	raw, err := readKept(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &s, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return s, fmt.Errorf("reading which bundles were applied: %s: %w; remove the file if it is damaged", path, err)
	}
	return s, nil
}

func writeState(path string, s state) error {
	raw, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.Write(path, 0o600, func(w io.Writer) error { _, err := w.Write(raw); return err })
	}
	if err != nil {
		return fmt.Errorf("keeping which bundles were applied: %w", err)
	}
	return nil
}
