// Package postgres keeps the activity log of several gateways in one PostgreSQL database.
//
// Each gateway has a signing key and a hash chain of its own. The short name of the key names the
// chain. One transaction appends a group of records to the chain and replaces the signed end of the
// chain. Every [RollEvery], each gateway signs a list of the ends of all chains, called a roll. It
// stores the roll in the database and in its own folder, so that [Store.Verify] detects when somebody
// removes or truncates the chain of another gateway.
//
// The table of records has one partition for each day. A record belongs to the day of its time, but
// never to an earlier day than its predecessor in the chain. So the oldest partitions hold the
// beginnings of the chains, and retention drops whole partitions.
//
// While the database cannot be reached, Append tries again for [Patience]. If the connection breaks
// during a transaction, the next connection compares the end of the chain to find out whether the
// transaction was committed. So no record is written twice.
package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"mcpproxy/internal/ledger"
)

// Folder is the subfolder of the data folder with the key and the heads of a database log.
const Folder = "activity"

// Patience is how long Append tries again before it returns an error because the database cannot be reached.
const Patience = 10 * time.Second

const (
	connectTimeout = 5 * time.Second
	writeTimeout   = 15 * time.Second // timeout of one attempt to write
	maxReaders     = 4                // connections for reading
	maxSkew        = 5 * time.Minute  // difference between the clocks of this machine and the server
	oldestServer   = 140000
)

// Errors of opening a log.
var (
	// ErrNoLog is returned if the database has no activity log.
	ErrNoLog = errors.New("there is no activity log in the database")
	// ErrNewLog is returned if a newer version of mcpproxy has written the log.
	ErrNewLog = errors.New("the activity log was written by a newer version of mcpproxy")
	// ErrOldServer is returned if the PostgreSQL server is too old.
	ErrOldServer = errors.New("the PostgreSQL server is too old")
	// ErrClock is returned if the clocks of this machine and of the server differ too much.
	ErrClock = errors.New("the clock of this machine and that of the PostgreSQL server differ")
	// ErrRights is returned if the database role lacks a privilege.
	ErrRights = errors.New("the database role lacks a right")
	// ErrSharedKey is returned if another process writes with the same key.
	ErrSharedKey = errors.New("another mcpproxy writes to the activity log with the same key: give each gateway a data_dir of its own")
)

// IsURL reports whether a value of activity.store names a PostgreSQL database.
func IsURL(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// Store is a ledger.Store in a PostgreSQL database.
type Store struct {
	config *pgx.ConnConfig
	pool   *pgxpool.Pool // connections for reading
	keys   ledger.Keys   // keys that verification trusts
	signer *ledger.Signer
	heads  *ledger.HeadWriter // nil if the store is open for reading only

	mu    sync.Mutex
	chain *chain // nil if the store is open for reading only
	clock ledger.Clock
	moved error // why the log was replaced; nil if it was not

	stop context.CancelFunc // stops the background goroutines
	done sync.WaitGroup
}

// configOf reads the URL of a database. The error does not quote the URL, which may hold a password.
func configOf(url string) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		var parse *pgconn.ParseConfigError
		if errors.As(err, &parse) && errors.Unwrap(parse) != nil {
			err = errors.Unwrap(parse)
		} else {
			err = errors.New("it must look like postgres://user:password@host:5432/database?sslmode=verify-full")
		}
		return nil, fmt.Errorf("activity.store: the address of the database cannot be read: %w", hidden(err, url))
	}
	c.MaxConns = maxReaders
	c.ConnConfig.ConnectTimeout = min(c.ConnConfig.ConnectTimeout, connectTimeout)
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		"application_name":     "mcpproxy",
		"synchronous_commit":   "on",
		"plan_cache_mode":      "force_custom_plan",
		"tcp_keepalives_idle":  "10",
		"tcp_keepalives_count": "3",
	} {
		if _, set := c.ConnConfig.RuntimeParams[name]; !set {
			c.ConnConfig.RuntimeParams[name] = value
		}
	}
	return c, nil
}

// hidden returns err, or a replacement if err quotes the URL's password.
func hidden(err error, url string) error {
	_, rest, _ := strings.Cut(url, "://")
	login, _, found := strings.Cut(rest, "@")
	_, password, _ := strings.Cut(login, ":")
	if found && password != "" && strings.Contains(err.Error(), password) || strings.Contains(err.Error(), url) {
		return errors.New("write its password with percent-encoding")
	}
	return err
}

// Open opens the log in the database at url for writing, and creates missing tables. The folder holds
// the signing key and the heads of this gateway; Open creates it if it does not exist.
func Open(ctx context.Context, url, folder string) (*Store, error) {
	c, err := configOf(url)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	_, missing := os.Stat(filepath.Join(folder, ledger.KeyFile))
	s := &Store{config: c.ConnConfig}
	if s.signer, err = ledger.OpenSigner(folder); err != nil {
		return nil, err
	}
	s.keys = s.signer.Keys()
	if err := s.start(ctx, c, folder); err != nil {
		if missing != nil {
			ledger.RemoveKeys(folder) // records signed by the new keys were rolled back
		}
		return nil, fmt.Errorf("opening the activity log in PostgreSQL: %w", explained(err, c.ConnConfig.User))
	}
	return s, nil
}

func (s *Store) start(ctx context.Context, c *pgxpool.Config, folder string) (err error) {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	if err = checkServer(ctx, conn); err == nil {
		err = migrate(ctx, conn)
	}
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	s.chain = newChain(s.config, s.signer)
	if err = s.chain.connect(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.chain.drop()
		}
	}()
	if s.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return err
	}
	if err = s.holdHeads(ctx, folder); err == nil {
		err = s.signer.Publish(folder)
	}
	if err == nil {
		err = s.callRoll(ctx)
	}
	if err != nil {
		s.pool.Close()
		return err
	}
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { s.keepRoll(beside) })
	return nil
}

// OpenReader opens the log in the database at url for reading. Verification trusts the given keys.
func OpenReader(ctx context.Context, url string, keys ledger.Keys) (*Store, error) {
	c, err := configOf(url)
	if err != nil {
		return nil, err
	}
	s := &Store{config: c.ConnConfig, keys: keys}
	if s.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, fmt.Errorf("opening the activity log in PostgreSQL: %w", err)
	}
	err = s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if err := checkServer(ctx, conn.Conn()); err != nil {
			return err
		}
		version, err := versionOf(ctx, conn)
		switch {
		case err != nil:
			return err
		case version == 0:
			return ErrNoLog
		}
		return checkVersion(version)
	})
	if err != nil {
		s.pool.Close()
		return nil, fmt.Errorf("opening the activity log in PostgreSQL: %w", explained(err, c.ConnConfig.User))
	}
	return s, nil
}

// checkServer returns an error if the server is too old or its clock differs too much.
func checkServer(ctx context.Context, conn *pgx.Conn) error {
	var version int
	var server time.Time
	before := time.Now()
	err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int, clock_timestamp()").
		Scan(&version, &server)
	if err != nil {
		return err
	}
	if version < oldestServer {
		return fmt.Errorf("%w: it has version %d, and mcpproxy needs version 14 or later", ErrOldServer, version/10000)
	}
	skew := time.Since(server)
	if ahead := before.Sub(server); skew.Abs() > maxSkew && ahead.Abs() > maxSkew {
		return fmt.Errorf("%w by %s: here it is %s, there %s; synchronize both (NTP), then try again",
			ErrClock, skew.Abs().Round(time.Second), ledger.At(before), ledger.At(server))
	}
	return nil
}

// explained adds advice to an error of the database.
func explained(err error, role string) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch pg.Code {
	case "42501": // insufficient_privilege
		return fmt.Errorf("%w: %s; run as the database's owner: GRANT CREATE, USAGE ON SCHEMA public TO %s "+
			"(or the schema that search_path names), and let one role make and use the tables", ErrRights, pg.Message,
			pgx.Identifier{role}.Sanitize())
	case "3F000": // invalid_schema_name
		return fmt.Errorf("%w: %s; make the schema that search_path names (CREATE SCHEMA name AUTHORIZATION %[3]s), "+
			"or let the role use it (GRANT CREATE, USAGE ON SCHEMA name TO %[3]s)",
			ErrRights, pg.Message, pgx.Identifier{role}.Sanitize())
	}
	return err
}

// Keys returns the keys that verification trusts.
func (s *Store) Keys() ledger.Keys { return s.keys }

// Writer returns the short name of this gateway's key, or "" if the store is open for reading only.
func (s *Store) Writer() string {
	if s.signer == nil {
		return ""
	}
	return s.signer.ID()
}

// Shrink closes idle connections.
func (s *Store) Shrink() { s.pool.Reset() }

// Close signs the end, writes the heads and closes the connections.
func (s *Store) Close() error {
	if s.stop != nil {
		s.stop()
		s.done.Wait()
	}
	s.mu.Lock()
	c := s.chain
	s.chain = nil
	s.mu.Unlock()
	var err error
	if c != nil {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		if c.conn != nil {
			if marked := c.mark(ctx, ledger.ReasonStop); marked != nil {
				slog.Warn("cannot sign the end of the activity log", "error", marked)
			}
		}
		if rolled := s.callRoll(ctx); rolled != nil {
			slog.Warn("the ends of the other gateways' chains could not be signed", "error", rolled)
		}
		c.drop()
		err = s.heads.Close()
	}
	s.pool.Close()
	return err
}

// lockNumber returns the number of the advisory lock with a name.
func lockNumber(name string) int64 {
	sum := sha256.Sum256([]byte("mcpproxy " + name))
	return int64(binary.BigEndian.Uint64(sum[:8])) //nolint:gosec // any number will do
}
