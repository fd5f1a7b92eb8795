// Package intake processes the definitions of servers: their tools, prompts and instructions. It
// reads the definitions, scans them, remembers which of them the user has approved, and offers
// agents only those.
//
// A definition passes three stages: declared by its server, observed by the store of approvals,
// offered to agents. A definition that is unread, changed or found dangerous is held until a person
// approves it.
package intake

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/program"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/text"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// File is the name of the approvals file in the data folder.
const File = "trust.json"

// Deps are what an intake needs from the rest of the daemon. The functions are called only after
// the daemon is wired.
type Deps struct {
	Catalog *catalog.Catalog
	Heads   *ledger.HeadWriter
	Servers func() *upstream.Manager

	Secrets func(*text.Document) ([]mcpproxy.Signal, error) // finds secrets in a definition
	Mask    func(string) string                             // masks secrets in texts of servers

	NewRecord func(t mcpproxy.RecordType, server string, detail map[string]any) *mcpproxy.Record
	Add       func(*mcpproxy.Record)                 // writes a record to the activity log
	Tell      func(event string, r *mcpproxy.Record) // publishes an event about a record

	ToolsChanged func()              // called after the catalogue's tools have changed
	Declared     func(server string) // called after a server was read for the first time or has changed
}

// Intake knows what every server declares and which of it agents may see.
type Intake struct {
	deps  Deps
	trust *trust.Store
	scans definitions

	code       program.Reader // hashes the programs of servers
	readings   refresher
	introduced chan string // new servers whose definitions wait for approval
	offering   sync.Mutex  // held while the catalogue is updated for a server
}

// Open opens the file of approvals in dir. It fails if the file existed in an earlier run and is
// missing, because blocked definitions would then no longer be blocked.
func Open(dir string, rules trust.Rules, deps Deps) (*Intake, error) {
	in := &Intake{deps: deps, introduced: make(chan string, 64)}
	in.readings = refresher{
		servers: deps.Servers,
		ready:   connected,
		read:    in.read,
		lists:   map[string]*listing{},
		doubted: map[string]time.Time{},
	}
	in.scans.secrets = deps.Secrets
	path := filepath.Join(dir, File)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what was approved: %w", err)
	}
	known := deps.Heads.Heads()
	if b := known.FileProblem(File, raw); raw == nil && b != nil {
		return nil, fmt.Errorf(
			"%s. It records which tools you have approved and blocked, so mcpproxy does not start without it: "+
				"put a backup of it into %s or, if you removed it on purpose, confirm that with `mcpproxy activity verify --accept` "+
				"and approve your servers' tools anew with `mcpproxy trust baseline`",
			b.Problem,
			dir,
		)
	}
	in.trust, err = trust.Open(path, rules, trust.Deps{
		Scan:    in.scans.scan,
		Clean:   definition.Clean,
		Changed: changeLog{deps}.changed,
		Failed: func(err error) {
			slog.Error("could not save the definitions of servers; they are held nevertheless", "error", err)
		},
		Writing: func(raw []byte, write func() error) error { return deps.Heads.Writing(File, raw, write) },
	})
	if err != nil {
		return nil, err
	}
	if raw != nil {
		deps.Heads.Took(File, raw)
	}
	return in, nil
}

// Store returns the approvals.
func (in *Intake) Store() *trust.Store { return in.trust }

// Configure changes the rules for definitions and updates what agents are offered. Everything is
// scanned again, because other patterns may find other secrets.
func (in *Intake) Configure(rules trust.Rules) {
	in.scans.memory.Forget()
	in.trust.Configure(rules)
}

// Forget removes the definitions of a server that was removed from the configuration.
func (in *Intake) Forget(server string) { in.trust.Gone(server) }
