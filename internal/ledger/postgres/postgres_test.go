package postgres_test

import (
	"context"
	"os"
	"testing"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/ledger/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// open opens the log of a gateway with a folder of its own.
func open(t testing.TB, url, folder string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Shows: RFC-32.
func TestStoreKeepsTheContract(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledger.Store { return open(t, pgtest.Schema(t), t.TempDir()) })
}
