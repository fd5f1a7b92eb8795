package oauth_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/upstream/oauth"
)

func grant(login string, serial int) *oauth.Grant {
	return &oauth.Grant{
		Server:   "wiki",
		URL:      "https://wiki.example/mcp",
		Issuer:   "https://auth.example",
		ClientID: "me",
		Method:   oauth.None,
		Login:    login,
		Serial:   serial,
		Secrets: oauth.Secrets{
			Access:  "access-" + login + fmt.Sprint(serial),
			Refresh: "refresh-" + login + fmt.Sprint(serial),
		},
	}
}

func TestTokensAreStoredInTheConfiguredPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ring  oauth.Keyring
		place oauth.Place
		want  oauth.Place
		says  string
	}{
		"in the keyring where there is one":            {&ring{kept: map[string]string{}}, oauth.Auto, oauth.InRing, ""},
		"in the file without a keyring":                {noRing{}, oauth.Auto, oauth.File, ""},
		"in the file if configured":                    {&ring{kept: map[string]string{}}, oauth.File, oauth.File, ""},
		"in the keyring if configured":                 {&ring{kept: map[string]string{}}, oauth.InRing, oauth.InRing, ""},
		"nowhere if the configured keyring is missing": {noRing{}, oauth.InRing, "", `set oauth.store to "file"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "oauth", "grants.json")
			s := oauth.OpenStore(path, c.ring)
			err := s.Put(t.Context(), grant("a", 0), c.place)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			if err != nil {
				return
			}
			raw, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(raw), "access-a") != (c.want == oauth.File) {
				t.Errorf("the file holds %s, %v", raw, err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file's mode is %v, %v", info.Mode(), err)
			}
			if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o700 {
				t.Errorf("the folder's mode is %v, %v", dir.Mode(), err)
			}
			g, err := oauth.OpenStore(path, c.ring).Find("wiki")
			if err != nil || g.Secrets.Refresh != "refresh-a0" || g.Kept != c.want {
				t.Errorf("another process finds %+v, %v", g, err)
			}
			if was, err := s.Remove(t.Context(), "wiki"); err != nil || was.Secrets.Access != "access-a0" {
				t.Errorf("removed %+v, %v", was, err)
			}
			if r, ok := c.ring.(*ring); ok && len(r.kept) > 0 {
				t.Errorf("the keyring still holds %v", r.kept)
			}
			if g, err := s.Find("wiki"); g != nil || err != nil {
				t.Errorf("then there is %v, %v", g, err)
			}
		})
	}
}

// Two data folders share one keyring. Neither may use the other's secrets.
func TestSecretsOfAnotherLoginAreNotTaken(t *testing.T) {
	t.Parallel()
	shared := &ring{kept: map[string]string{}}
	one, two := oauth.OpenStore(
		filepath.Join(t.TempDir(), "g"),
		shared,
	), oauth.OpenStore(
		filepath.Join(t.TempDir(), "g"),
		shared,
	)
	for login, s := range map[string]*oauth.Store{"a": one, "b": two} {
		if err := s.Put(t.Context(), grant(login, 0), oauth.Auto); err != nil {
			t.Fatal(err)
		}
	}
	for login, s := range map[string]*oauth.Store{"a": one, "b": two} {
		if g, err := s.Find("wiki"); err != nil || g == nil || g.Login != login {
			t.Errorf("the folder of %s holds %v, %v", login, g, err)
		}
	}
	older := maps.Clone(shared.kept)
	if err := one.Put(t.Context(), grant("c", 0), oauth.Auto); err != nil {
		t.Fatal(err)
	}
	shared.kept = older // such as by a backup
	if g, err := one.Find("wiki"); g != nil || err != nil {
		t.Errorf("with the secrets of an earlier login: %v, %v", g, err)
	}
}

// garbageRing is a keyring that holds something else.
type garbageRing struct{ noRing }

func (garbageRing) Get(string) (string, error) { return "x", nil }

// A grant whose secrets are in a keyring that the daemon cannot reach, such as that of a desktop session, is not
// treated as missing.
func TestAnUnreachableKeyringIsReported(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.json")
	if err := oauth.OpenStore(path, &ring{kept: map[string]string{}}).
		Put(t.Context(), grant("a", 0), oauth.Auto); err != nil {
		t.Fatal(err)
	}
	if _, err := oauth.OpenStore(path, noRing{}).
		Find("wiki"); err == nil ||
		!strings.Contains(err.Error(), `set oauth.store to "file" and log in again`) {
		t.Errorf("got %v", err)
	}
	for what, held := range map[string]oauth.Keyring{"was emptied": &ring{kept: map[string]string{}}, "was written to by others": garbageRing{}} {
		if g, err := oauth.OpenStore(path, held).Find("wiki"); g != nil || err != nil {
			t.Errorf("a keyring that %s: %v, %v", what, g, err)
		}
	}
	s := oauth.OpenStore(path, noRing{})
	if err := s.Put(t.Context(), grant("b", 0), oauth.Auto); err != nil {
		t.Fatal(err)
	}
	if g, err := s.Find("wiki"); err != nil || g.Login != "b" || g.Kept != oauth.File {
		t.Errorf("a login takes its place: %v, %v", g, err)
	}
	if err := oauth.OpenStore(path, &ring{kept: map[string]string{}}).
		Put(t.Context(), grant("c", 0), oauth.Auto); err != nil {
		t.Fatal(err)
	}
	if was, err := s.Remove(
		t.Context(),
		"wiki",
	); was == nil || err == nil ||
		!strings.Contains(err.Error(), "could not be removed") {
		t.Errorf("removed %v, %v", was, err)
	}
	if g, err := s.Find("wiki"); g != nil || err != nil {
		t.Errorf("then there is %v, %v", g, err)
	}
}

func TestADamagedFileIsReportedAndNotChanged(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"no JSON":             `secret-1`,
		"an unknown key":      `{"version":1,"grants":{},"secret-1":1}`,
		"another version":     `{"version":2,"grants":{}}`,
		"a key twice":         `{"version":1,"grants":{},"grants":{}}`,
		"another's grant":     `{"version":1,"grants":{"a":{"server":"secret-1","kept":"file"}}}`,
		"kept nowhere":        `{"version":1,"grants":{"a":{"server":"a"}}}`,
		"a grant that is not": `{"version":1,"grants":{"a":null}}`,
	} {
		path := filepath.Join(t.TempDir(), "grants.json")
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		s := oauth.OpenStore(path, noRing{})
		_, err := s.Find("a")
		if err == nil || !strings.Contains(err.Error(), "remove it, and log in again") ||
			strings.Contains(err.Error(), "secret-1") {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Put(t.Context(), grant("a", 0), oauth.File); err == nil {
			t.Errorf("%s: it was written over", name)
		}
		if now, _ := os.ReadFile(path); string(now) != raw {
			t.Errorf("%s: the file is %s", name, now)
		}
	}
}

// In any order of events, only the newest token of a login may replace the one from which it was made.
func TestAnOlderTokenNeverReplacesANewerOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		var kr oauth.Keyring = noRing{}
		if rapid.Bool().Draw(rt, "ring") {
			kr = &ring{kept: map[string]string{}}
		}
		processes := []*oauth.Store{
			oauth.OpenStore(filepath.Join(dir, "g"), kr),
			oauth.OpenStore(filepath.Join(dir, "g"), kr),
		}
		var model *oauth.Grant
		var seen []*oauth.Grant // the grants that a process holds in its memory
		logins := 0
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			s := processes[rapid.IntRange(0, 1).Draw(rt, "process")]
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				logins++
				model = grant(fmt.Sprint("login", logins), 0)
				if err := s.Put(t.Context(), model, oauth.Auto); err != nil {
					rt.Fatal(err)
				}
				seen = append(seen, model)
			case 1:
				if _, err := s.Remove(t.Context(), "wiki"); err != nil {
					rt.Fatal(err)
				}
				model = nil
			case 2:
				if len(seen) == 0 {
					continue
				}
				old := rapid.SampledFrom(seen).Draw(rt, "old")
				next := grant(old.Login, old.Serial+1)
				kept, err := s.Swap(t.Context(), old, next)
				if err != nil {
					rt.Fatal(err)
				}
				if model != nil && model.Login == old.Login && model.Serial == old.Serial {
					model = next
					seen = append(seen, next)
				}
				same(rt, kept, model)
			}
			found, err := s.Find("wiki")
			if err != nil {
				rt.Fatal(err)
			}
			same(rt, found, model)
		}
	})
}

func same(t *rapid.T, got, want *oauth.Grant) {
	if (got == nil) != (want == nil) || got != nil && got.Secrets != want.Secrets {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// Two processes that store grants for different servers lose none of them.
func TestProcessesDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.json")
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			g := grant("a", 0)
			g.Server = fmt.Sprint("server", i)
			if err := oauth.OpenStore(path, noRing{}).Put(t.Context(), g, oauth.File); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	raw, err := os.ReadFile(path)
	var doc struct{ Grants map[string]any }
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	if err != nil || len(doc.Grants) != 16 {
		t.Errorf("%d grants are kept, %v", len(doc.Grants), err)
	}
}

func FuzzTheStoresFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"grants":{"a":{"server":"a","kept":"file","method":"none","secrets":{"access":"x"}}}}`))
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) { _ = oauth.Parse(raw) })
}
