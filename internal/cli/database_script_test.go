package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcpproxy/internal/ledger/postgres/pgtest"
	"mcpproxy/internal/porttest"
)

// TestDatabaseScripts runs testdata/database/*.txtar. The activity log of these scripts is in the PostgreSQL database
// that DATABASE names. Each script has a database server of its own; the commands stopdb and startdb stop and start
// it.
func TestDatabaseScripts(t *testing.T) {
	pgtest.Need(t)
	p := scripts(t, "database")
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		server, err := pgtest.New()
		if err != nil {
			return err
		}
		e.Defer(func() {
			if err := server.Remove(); err != nil {
				t.Error(err)
			}
		})
		e.Setenv("DATABASE", server.URL)
		e.Setenv("HUB", porttest.Free(t)) // an address that is free
		e.Values[serverKey{}] = server
		return setup(e)
	}
	p.Cmds["stopdb"] = func(ts *testscript.TestScript, neg bool, args []string) { ts.Check(serverOf(ts, neg, args).Crash()) }
	p.Cmds["startdb"] = func(ts *testscript.TestScript, neg bool, args []string) { ts.Check(serverOf(ts, neg, args).Start()) }
	p.Cmds["keep"] = func(ts *testscript.TestScript, neg bool, args []string) { // keep NAME: save the last output
		none(ts, neg)
		ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
	}
	testscript.Run(t, p)
}

type serverKey struct{}

func serverOf(ts *testscript.TestScript, neg bool, args []string) *pgtest.Server {
	none(ts, neg)
	server, ok := ts.Value(serverKey{}).(*pgtest.Server)
	if !ok || len(args) > 0 {
		ts.Check(errors.New("this script has no database"))
	}
	return server
}
