package postgres

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed 001_log.sql
var firstMigration string

//go:embed 002_hub.sql
var secondMigration string

//go:embed 003_lz4.sql
var thirdMigration string

// migrations, in order; mcpproxy_schema says how many were applied.
var migrations = []string{firstMigration, secondMigration, thirdMigration}

// querier is a connection, a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// versionOf returns how many migrations the tables have; 0 if there are no tables.
func versionOf(ctx context.Context, db querier) (version int, err error) {
	var there bool
	err = db.QueryRow(ctx, "SELECT to_regclass('mcpproxy_schema') IS NOT NULL").Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	err = db.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM mcpproxy_schema").Scan(&version)
	return version, err
}

func checkVersion(version int) error {
	if version <= len(migrations) {
		return nil
	}
	return fmt.Errorf("%w: its tables have version %d, and this mcpproxy knows versions up to %d; "+
		"use the newer version of mcpproxy", ErrNewLog, version, len(migrations))
}

// migrate updates the tables to the newest version. If several processes start at once, only one of
// them migrates.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	version, err := versionOf(ctx, conn)
	if err != nil {
		return err
	}
	if version == len(migrations) {
		return nil // no lock is taken, and the role needs no right to create tables
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lockNumber("migration")); err != nil {
			return err
		}
		// The names were resolved before the lock: another process may have created the table.
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS mcpproxy_schema (version int PRIMARY KEY)"); err != nil {
			return err
		}
		var version int
		if err := tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM mcpproxy_schema").Scan(&version); err != nil {
			return err
		}
		if err := checkVersion(version); err != nil {
			return err
		}
		for v := version; v < len(migrations); v++ {
			if _, err := tx.Exec(ctx, migrations[v]); err != nil {
				return fmt.Errorf("migration %d: %w", v+1, err)
			}
			if _, err := tx.Exec(ctx, "INSERT INTO mcpproxy_schema VALUES ($1)", v+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// daysAhead is the number of partitions that are created in advance.
const daysAhead = 3

// partition returns the name of the table with the records of a day.
func partition(day time.Time) string { return "mcpproxy_records_" + day.Format("20060102") }

// makePartitions creates the missing partitions of days.
func makePartitions(ctx context.Context, conn *pgx.Conn, days []time.Time) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lockNumber("partitions")); err != nil {
			return err
		}
		for _, day := range days {
			var there bool
			err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
				WHERE inhparent = 'mcpproxy_records'::regclass AND relname = $1)`, partition(day)).Scan(&there)
			if err != nil {
				return err
			}
			if there {
				continue
			}
			// CREATE TABLE PARTITION OF would wait for all readers of any partition.
			name := pgx.Identifier{partition(day)}.Sanitize()
			_, err = tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE %s (LIKE mcpproxy_records INCLUDING DEFAULTS INCLUDING CONSTRAINTS
					INCLUDING COMPRESSION);
				ALTER TABLE mcpproxy_records ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`,
				name, name, day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
			if err != nil {
				return fmt.Errorf("making the partition of %s: %w", day.Format(time.DateOnly), err)
			}
		}
		return nil
	})
}
