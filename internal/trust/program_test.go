package trust_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/trust"
)

var (
	code  = trust.Key{Server: "files", Kind: trust.ProgramKind}
	first = trust.Program{
		Subject: "npx files@1.2.3",
		Source:  "npm",
		Name:    "files",
		Version: "1.2.3",
		Pinned:  true,
		SHA256:  strings.Repeat("1", 64),
	}
)

// with returns the first program with changes.
func with(change func(*trust.Program)) trust.Program {
	p := first
	change(&p)
	return p
}

var (
	other   = with(func(p *trust.Program) { p.SHA256 = strings.Repeat("2", 64) })
	another = with(func(p *trust.Program) { p.SHA256 = strings.Repeat("3", 64) })
	unread  = trust.Program{Subject: first.Subject, Unknown: "it was not found"}
	moved   = with(func(p *trust.Program) {
		p.Subject, p.Version = "npx files@1.3.0", "1.3.0"
		p.SHA256 = strings.Repeat("4", 64)
	})
)

// unpinned returns a program whose command line does not fix a version.
func unpinned(version string) trust.Program {
	return with(func(p *trust.Program) {
		p.Subject, p.Pinned = "npx files", false
		p.Version, p.SHA256 = version, version
	})
}

// Shows: RFC-13.
func TestWhereTheProgramOfAServerStands(t *testing.T) {
	approve := func(t *testing.T, s *trust.Store) {
		t.Helper()
		if _, err := s.Approve(code, "me", ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		programs []trust.Program
		then     func(*testing.T, *trust.Store)
		state    trust.State
		held     bool // if a change of the program holds the server
		records  int
	}{
		"the first one is approved":                       {[]trust.Program{first}, nil, trust.Approved, false, 0},
		"the same one stays so":                           {[]trust.Program{first, first}, nil, trust.Approved, false, 0},
		"another one is a rug pull":                       {[]trust.Program{first, other}, nil, trust.RugPull, true, 1},
		"one that goes back stays a rug pull":             {[]trust.Program{first, other, first}, nil, trust.RugPull, true, 1},
		"each further change is on record":                {[]trust.Program{first, other, another}, nil, trust.RugPull, true, 2},
		"no change of a rug pull is on record twice":      {[]trust.Program{first, other, other}, nil, trust.RugPull, true, 1},
		"an approved change becomes the known program":    {[]trust.Program{first, other}, approve, trust.Approved, false, 2},
		"one that the configuration names is approved":    {[]trust.Program{first, moved}, nil, trust.Approved, false, 1},
		"one that it names ends a rug pull":               {[]trust.Program{first, other, moved}, nil, trust.Approved, false, 2},
		"one that was never read is unknown":              {[]trust.Program{unread, unread}, nil, trust.Unknown, false, 0},
		"one that can be read at last is approved":        {[]trust.Program{unread, first}, nil, trust.Approved, false, 0},
		"one that cannot be read any more is a finding":   {[]trust.Program{first, unread, unread}, nil, trust.Unknown, true, 1},
		"one that can be read again is approved":          {[]trust.Program{first, unread, first}, nil, trust.Approved, false, 2},
		"another one in its place is a rug pull":          {[]trust.Program{first, unread, other}, nil, trust.RugPull, true, 2},
		"a rug pull stays one that cannot be read":        {[]trust.Program{first, other, unread}, nil, trust.RugPull, true, 1},
		"an unknown one that is accepted holds no more":   {[]trust.Program{first, unread}, approve, trust.Unknown, false, 2},
		"a changed one that is unread has no form":        {[]trust.Program{first, other, unread}, approve, trust.Unknown, false, 2},
		"an unknown one is never taken for the known one": {[]trust.Program{first, unread}, nil, trust.Unknown, true, 1},
	} {
		for mode, holds := range map[trust.OnProgramChange]bool{trust.ProgramWarn: false, trust.ProgramQuarantine: true} {
			t.Run(name+", "+string(mode), func(t *testing.T) {
				rules := trusting
				rules.Program = mode
				s, changes := newStore(t, rules)
				list(s, honest)
				*changes = nil
				for _, p := range c.programs {
					if err := s.ObserveProgram("files", p); err != nil {
						t.Fatal(err)
					}
				}
				if c.then != nil {
					c.then(t, s)
				}
				i, _ := s.Item(code)
				if i.State != c.state || len(*changes) != c.records {
					t.Errorf("%s with %d records: %s\n%+v", i.State, len(*changes), i.Reason, *changes)
				}
				if held := !usable(t, s, honest); held != (c.held && holds) || held != (s.ProgramHolds("files") != "") {
					t.Errorf("held: %t", held)
				}
				if n := s.Count().Programs; (n == 1) != c.held {
					t.Errorf("%d programs are counted as changed", n)
				}
			})
		}
	}
}

func TestAChangeOfWhatNeverChangesIsSevereAndNamesBothVersions(t *testing.T) {
	for name, c := range map[string]struct {
		before, now trust.Program
		severe      bool
		says        []string
	}{
		"a pinned version": {first, other, true, []string{"pinned to version 1.2.3"}},
		"the same version": {with(func(p *trust.Program) { p.Pinned = false }),
			with(func(p *trust.Program) { p.Pinned, p.SHA256 = false, "2" }), true, []string{"same version 1.2.3"}},
		"a new version": {unpinned("1.2.3"), unpinned("1.3.0"), false,
			[]string{"from version 1.2.3 to 1.3.0"}},
		"a file": {trust.Program{Subject: "node x.js", Name: "/x.js", SHA256: "1"},
			trust.Program{Subject: "node x.js", Name: "/x.js", SHA256: "2"}, false, []string{"the content of /x.js"}},
		"another file of that name": {trust.Program{Subject: "x", Name: "/a/x", SHA256: "1"},
			trust.Program{Subject: "x", Name: "/b/x", SHA256: "2"}, false, []string{"/b/x", "/a/x"}},
	} {
		s, changes := newStore(t, trusting)
		if err := errors.Join(s.ObserveProgram("files", c.before), s.ObserveProgram("files", c.now)); err != nil {
			t.Fatal(err)
		}
		if len(*changes) != 1 {
			t.Fatalf("%s: %+v", name, *changes)
		}
		change := (*changes)[0]
		if change.Severe != c.severe || change.To != trust.RugPull || len(change.Diff) == 0 {
			t.Errorf("%s: %+v", name, change)
		}
		for _, part := range c.says {
			if !strings.Contains(change.Reason, part) {
				t.Errorf("%s: %s", name, change.Reason)
			}
		}
	}
}

func TestABlockedProgramHoldsItsServerWhateverTheConfigurationSays(t *testing.T) {
	rules := trusting
	rules.Program = trust.ProgramOff
	s, _ := newStore(t, trusting)
	list(s, honest)
	if err := s.ObserveProgram("files", first); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Block(code, "me", "no"); err != nil {
		t.Fatal(err)
	}
	s.Configure(rules)
	if usable(t, s, honest) || !strings.Contains(s.Held(call("read")), "mcpproxy trust approve files --kind program") {
		t.Errorf("%q", s.Held(call("read")))
	}
	if err := s.ObserveProgram("files", first); err != nil {
		t.Fatal(err)
	}
	s.ForgetProgram("files")
	if usable(t, s, honest) {
		t.Error("it is forgotten that a human has blocked it")
	}
}

func TestAChangedProgramIsNoPartOfABaselineUnlessAllIsMeant(t *testing.T) {
	s, _ := newStore(t, strict)
	list(s, honest)
	if err := errors.Join(s.ObserveProgram("files", first), s.ObserveProgram("files", other)); err != nil {
		t.Fatal(err)
	}
	out, err := s.Baseline("files", "me", false)
	if err != nil || len(out.Approved) != 1 || len(out.Skipped) != 1 || out.Skipped[0].Key != code {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = s.Baseline("files", "me", true)
	if err != nil || len(out.Approved) != 1 || out.Approved[0] != code {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestAServerIsHeldAsAWholeIfOneChangeIsToDoThat(t *testing.T) {
	rules := trusting
	rules.Program, rules.QuarantineServer = trust.ProgramQuarantine, true
	s, _ := newStore(t, rules)
	if err := errors.Join(s.ObserveProgram("files", first), s.ObserveProgram("files", other)); err != nil {
		t.Fatal(err)
	}
	if len(s.Quarantined()) != 1 {
		t.Error("it is not")
	}
}

func TestWhatIsKnownOfProgramsOutlivesTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	var changes []trust.Change
	s := reopen(t, path, trusting, &changes)
	list(s, honest)
	if err := errors.Join(s.ObserveProgram("files", first), s.ObserveProgram("more", unread)); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, path, trusting, &changes)
	if i, ok := s.Item(trust.Key{Server: "more", Kind: trust.ProgramKind}); !ok || i.State != trust.Unknown {
		t.Errorf("%+v", i)
	}
	changes = nil
	if err := s.ObserveProgram("files", other); err != nil {
		t.Fatal(err)
	}
	if len(changes) != 1 || changes[0].To != trust.RugPull {
		t.Errorf("%+v", changes)
	}
	s = reopen(t, path, trusting, &changes)
	if i, _ := s.Item(code); i.State != trust.RugPull {
		t.Errorf("%+v", i)
	}
}

// A file of form 1 contains no programs. Then the first program that is seen is approved.
func TestAFileOfTheFirstFormIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	var changes []trust.Change
	s := reopen(t, path, strict, &changes)
	list(s, honest)
	if _, err := s.Approve(read, "me", ""); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(raw), `"version": 2`, `"version": 1`, 1)
	if old == string(raw) {
		t.Fatal("the file has no form")
	}
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, path, strict, &changes)
	if i, _ := s.Item(read); i.State != trust.Approved {
		t.Errorf("%+v", i)
	}
	changes = nil
	if err := s.ObserveProgram("files", first); err != nil || len(changes) != 0 {
		t.Errorf("%+v, %v", changes, err)
	}
	var written struct{ Version int }
	if raw, err = os.ReadFile(path); err != nil || json.Unmarshal(raw, &written) != nil || written.Version != 2 {
		t.Errorf("form %d, %v", written.Version, err)
	}
}

func TestAFileWithAnInvalidProgramIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	var changes []trust.Change
	s := reopen(t, path, trusting, &changes)
	list(s, honest)
	if err := s.ObserveProgram("files", first); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"a program that its fingerprint does not fit": {first.SHA256, other.SHA256},
		"a tool in the state unknown":                 {`"kind": "tool",` + "\n" + `   "name": "read",` + "\n" + `   "state": "approved"`, `"kind": "tool",` + "\n" + `   "name": "read",` + "\n" + `   "state": "unknown"`},
		"a form that is not there yet":                {`"version": 2`, `"version": 3`},
		"no form":                                     {`"version": 2`, `"version": 0`},
	} {
		damaged := strings.Replace(string(raw), change[0], change[1], 1)
		if damaged == string(raw) {
			t.Fatalf("%s: not found in\n%s", name, raw)
		}
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := trust.Open(path, trusting, trust.Deps{}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
