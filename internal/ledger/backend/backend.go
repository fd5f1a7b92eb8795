// Package backend opens the activity log at the place that the configuration names: a SQLite file in the
// data folder, or a PostgreSQL database that several gateways share.
package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/ledger/sqlite"
)

// Place says where an activity log is stored.
type Place struct {
	File     string // path of the SQLite file
	Database string // URL of the PostgreSQL database; "" for SQLite
	Data     string // data folder of this gateway; "" means the folder of File
}

// Name returns the name of the log for messages. It contains no secret, unlike the URL of the database.
func (p Place) Name() string {
	if p.Database != "" {
		return "activity log"
	}
	return filepath.Base(p.File)
}

// DataFolder returns the data folder of the gateway.
func (p Place) DataFolder() string {
	if p.Data != "" {
		return p.Data
	}
	return filepath.Dir(p.File)
}

// Folder returns the folder with the signing key and the heads of the log.
func (p Place) Folder() string {
	if p.Database != "" {
		return filepath.Join(p.DataFolder(), postgres.Folder)
	}
	return filepath.Dir(p.File)
}

// Open opens the log for writing. It creates the log if it does not exist.
func (p Place) Open(ctx context.Context) (ledger.Guarded, error) {
	if p.Database != "" {
		s, err := postgres.Open(ctx, p.Database, p.Folder())
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	s, err := sqlite.Open(ctx, p.File)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenReader opens an existing log for reading. Verification trusts the given keys.
func (p Place) OpenReader(ctx context.Context, keys ledger.Keys) (ledger.Guarded, error) {
	if p.Database != "" {
		s, err := postgres.OpenReader(ctx, p.Database, keys)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	if _, err := os.Stat(p.File); err != nil {
		return nil, fmt.Errorf("there is no activity log: %w", err)
	}
	s, err := sqlite.OpenReader(ctx, p.File, keys)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// NoLog reports whether err means that the log does not exist.
func NoLog(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, sqlite.ErrNoLog) || errors.Is(err, postgres.ErrNoLog)
}
