// Package backend opens the activity log where the configuration says it is: in a file of the data
// folder, or in a PostgreSQL database that several gateways share.
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

// Place is where a log is.
type Place struct {
	File     string // of a log in SQLite
	Database string // URL of a log in PostgreSQL; "" of one in SQLite
	Data     string // the data folder of this gateway; the file's folder when empty
}

// Name is what messages call the log. It holds no secret.
func (p Place) Name() string {
	if p.Database != "" {
		return "activity log"
	}
	return filepath.Base(p.File)
}

// DataFolder is the data folder of the gateway.
func (p Place) DataFolder() string {
	if p.Data != "" {
		return p.Data
	}
	return filepath.Dir(p.File)
}

// Folder is the folder of the log's key and heads.
func (p Place) Folder() string {
	if p.Database != "" {
		return filepath.Join(p.DataFolder(), postgres.Folder)
	}
	return filepath.Dir(p.File)
}

// Open opens the log for writing, and makes it if there is none.
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

// OpenReader opens the log to hold it against keys.
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

// NoLog reports whether err says that there is no log at the place.
func NoLog(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, sqlite.ErrNoLog) || errors.Is(err, postgres.ErrNoLog)
}
