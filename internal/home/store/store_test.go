package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/home"
	"mcpproxy/internal/home/store"
)

// rig is a store whose changes are kept.
type rig struct {
	*store.Store
	t       *testing.T
	path    string
	changes []string
}

func open(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, path: filepath.Join(t.TempDir(), store.File)}
	r.reopen()
	return r
}

func (r *rig) reopen() {
	r.t.Helper()
	var err error
	r.Store, err = store.Open(r.path, func(changes []store.Change) {
		for _, c := range changes {
			r.changes = append(r.changes, fmt.Sprintf("%s %s", c.Event, c.Entry))
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// heard returns what has changed since it was asked last.
func (r *rig) heard() string {
	out := strings.Join(r.changes, ", ")
	r.changes = nil
	return out
}

func entry(t *testing.T, s string, source home.Source) home.Entry {
	t.Helper()
	e, err := home.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	e.Source = source
	return e
}

func (r *rig) learn(s string, places ...string) {
	r.t.Helper()
	if err := r.Learn([]home.Entry{entry(r.t, s, home.GitRemote)}, places...); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) isHome(s string, want bool) {
	r.t.Helper()
	owner, repo, _ := strings.Cut(s, "/")
	got := r.Home().Repository("github.com", owner, repo)
	if repo == "" {
		got = r.Home().Host(s)
	}
	if got != want {
		r.t.Errorf("%s is home: %v", s, got)
	}
}

func TestWhatAPlaceSaysFirstIsHomeAndLaterIsNot(t *testing.T) {
	r := open(t)
	r.learn("github.com/acme/app", "/w/app", "/w/app/.git/config")
	r.isHome("acme/app", true)
	r.learn("github.com/evil/app", "/w/app", "/w/app/.git/config")
	r.isHome("evil/app", false)
	r.learn("github.com/evil/two", "/w/tree", "/w/app/.git/config")
	r.isHome("evil/two", false)
	if got := r.heard(); got != "learned github.com/acme/app, learned github.com/evil/app, learned github.com/evil/two" {
		t.Error(got)
	}
	r.reopen()
	r.isHome("acme/app", true)
	r.isHome("evil/app", false)
	r.learn("github.com/evil/three", "/w/tree")
	r.isHome("evil/three", false)
	r.learn("github.com/acme/other", "/w/other")
	r.isHome("acme/other", true)
}

func TestAPlaceThatSaidNothingFirstIsNotBelievedLater(t *testing.T) {
	r := open(t)
	if err := r.Learn(nil, "/w/new"); err != nil {
		t.Fatal(err)
	}
	r.learn("github.com/evil/app", "/w/new", "/w/new/.git/config")
	r.isHome("evil/app", false)
}

func TestPeopleDecide(t *testing.T) {
	r := open(t)
	app := entry(t, "github.com/acme/app", "")
	r.learn("github.com/acme/app", "/w/app")
	r.learn("github.com/acme/late", "/w/app")
	r.heard()
	for _, step := range []struct {
		do     func(home.Entry, string) (store.Change, error)
		entry  string
		heard  string
		repo   string
		isHome bool
	}{
		{r.Reject, "github.com/acme/app", "rejected github.com/acme/app", "acme/app", false},
		{r.Confirm, "github.com/acme/app", "confirmed github.com/acme/app", "acme/app", true},
		{r.Confirm, "github.com/acme/late", "confirmed github.com/acme/late", "acme/late", true},
		{r.Remove, "github.com/acme/app", "removed github.com/acme/app", "acme/app", false},
		{r.Add, "github.com/acme", "added github.com/acme", "acme/app", true},
		{r.Add, "github.com/acme", "added github.com/acme", "acme/app", true},
	} {
		c, err := step.do(entry(t, step.entry, ""), "ana")
		if err != nil || c.Entry.By != "ana" || c.Entry.Doubt != "" {
			t.Errorf("%s: %+v, %v", step.heard, c, err)
		}
		if got := r.heard(); got != step.heard {
			t.Errorf("%q is told, not %q", got, step.heard)
		}
		r.isHome(step.repo, step.isHome)
	}
	for _, do := range []func(home.Entry, string) (store.Change, error){r.Confirm, r.Reject, r.Remove} {
		if _, err := do(app, "ana"); !errors.Is(err, store.ErrUnknown) || r.heard() != "" {
			t.Errorf("deciding about nothing: %v", err)
		}
	}
}

func TestWhatWasRejectedIsNotLearnedAgain(t *testing.T) {
	r := open(t)
	r.learn("github.com/acme/app", "/w/app")
	if _, err := r.Reject(entry(t, "github.com/acme/app", ""), "ana"); err != nil {
		t.Fatal(err)
	}
	r.reopen()
	r.learn("github.com/acme/app", "/w/clone")
	r.isHome("acme/app", false)
}

func TestADoubtEndsWhereAnotherPlaceSaysTheSameFirst(t *testing.T) {
	r := open(t)
	r.learn("github.com/acme/app", "/w/app")
	r.learn("github.com/acme/new", "/w/app")
	r.isHome("acme/new", false)
	r.learn("github.com/acme/new", "/w/new")
	r.isHome("acme/new", true)
}

func TestTheConfigurationStandsBeforeTheFile(t *testing.T) {
	r := open(t)
	acme := entry(t, "acme.example", home.Configured)
	acme.State = home.Confirmed
	if _, err := r.Add(entry(t, "acme.example", ""), "ana"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reject(entry(t, "acme.example", ""), "ana"); err != nil {
		t.Fatal(err)
	}
	r.isHome("acme.example", false)
	if err := r.Configure([]home.Entry{acme}, nil); err != nil {
		t.Fatal(err)
	}
	r.isHome("acme.example", true)
	if _, err := r.Reject(entry(t, "acme.example", ""), "ana"); !errors.Is(err, store.ErrConfigured) {
		t.Error(err)
	}
	if all := r.Home().Entries(); len(all) != 1 || all[0].Source != home.Configured {
		t.Errorf("%+v", all)
	}
}

func TestTheHostOfAServerThatIsGoneIsForgotten(t *testing.T) {
	r := open(t)
	hosts := []home.Entry{entry(t, "mcp.acme.example", home.ServerURL), entry(t, "db.acme.example", home.ServerURL)}
	if err := r.Configure(nil, hosts); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Confirm(hosts[1], "ana"); err != nil {
		t.Fatal(err)
	}
	r.isHome("mcp.acme.example", true)
	r.reopen()
	if err := r.Configure(nil, nil); err != nil {
		t.Fatal(err)
	}
	r.isHome("mcp.acme.example", false)
	r.isHome("db.acme.example", true)
}

func TestAHomeThatWasHandedOutNeverChanges(t *testing.T) {
	r := open(t)
	before := r.Home()
	r.learn("github.com/acme/app", "/w/app")
	if before.Repository("github.com", "acme", "app") || len(before.Entries()) > 0 {
		t.Error("the old home knows what was learned later")
	}
}

func TestTheFileIsItsOwnersAlone(t *testing.T) {
	r := open(t)
	r.learn("github.com/acme/app", "/w/app")
	info, err := os.Stat(r.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestADecisionThatCannotBeKeptIsNotMade(t *testing.T) {
	r := open(t)
	r.learn("github.com/acme/app", "/w/app")
	if err := os.Rename(filepath.Dir(r.path), filepath.Dir(r.path)+".away"); err != nil {
		t.Fatal(err)
	}
	r.heard()
	if _, err := r.Reject(entry(t, "github.com/acme/app", ""), "ana"); err == nil || r.heard() != "" {
		t.Errorf("%v", err)
	}
	r.isHome("acme/app", true)
}

func TestAFileThatCannotBeUsedIsAnError(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":               "x",
		"another version":       `{"version":2,"entries":[],"looked_at":{}}`,
		"an unknown member":     `{"version":1,"entries":[],"looked_at":{},"x":1}`,
		"a value in other form": file(`{"kind":"domain","value":"ACME.example","source":"user","state":"confirmed"}`),
		"no value":              file(`{"kind":"domain","value":"","source":"user","state":"confirmed"}`),
		"an unknown state":      file(`{"kind":"domain","value":"acme.example","source":"user","state":"maybe"}`),
		"a member twice":        file(`{"kind":"domain","kind":"domain","value":"acme.example","source":"user","state":"learned"}`),
		"an entry twice": file(`{"kind":"domain","value":"acme.example","source":"user","state":"learned"},
			{"kind":"domain","value":"acme.example","source":"user","state":"rejected"}`),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), store.File)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Open(path, nil); err == nil || !strings.Contains(err.Error(), path) {
				t.Error(err)
			}
		})
	}
}

func TestADomainThatStrangersShareByNowIsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.File)
	content := file(`{"kind":"domain","value":"gmail.com","source":"user","state":"confirmed","first_seen":"2026-01-01T00:00:00Z"}`)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path, nil)
	if err != nil || s.Home().Host("gmail.com") {
		t.Error(err)
	}
}

func file(entries string) string {
	return `{"version":1,"entries":[` + entries + `],"looked_at":{}}`
}

func TestTheStoreIsBounded(t *testing.T) {
	r := open(t)
	var many []home.Entry
	for i := range 2100 {
		many = append(many, entry(t, fmt.Sprintf("h%d.example", i), home.GitRemote))
	}
	if err := r.Learn(many, "/w"); err != nil {
		t.Fatal(err)
	}
	if n := len(r.Home().Entries()); n != 2000 {
		t.Errorf("%d entries", n)
	}
	if _, err := r.Add(entry(t, "acme.example", ""), "ana"); !errors.Is(err, store.ErrFull) {
		t.Error(err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(file(`{"kind":"domain","value":"acme.example","source":"user","state":"confirmed","first_seen":"2026-01-01T00:00:00Z"}`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), store.File)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(path, nil)
		if err == nil {
			s.Home().Host("acme.example")
		}
	})
}
