package bundle_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/bundle"
)

var now = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// newKey returns a key for a test.
func newKey(t *testing.T) bundle.PrivateKey {
	t.Helper()
	k, err := bundle.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// source returns the source of a bundle with this version and these further members.
func source(version int, more string) string {
	return fmt.Sprintf(`{"name": "acme-2026-11", "version": %d, "expires": "2026-12-31T00:00:00Z"%s}`, version, more)
}

// signed returns the source as a document that was signed with the keys at a time.
func signed(t *testing.T, source string, at time.Time, keys ...bundle.PrivateKey) []byte {
	t.Helper()
	b, err := bundle.Build([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := bundle.Sign(b, at, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestASignedBundleIsReadAsItWasWritten(t *testing.T) {
	old, key := newKey(t), newKey(t)
	raw := signed(t, source(7, `, "config": {"security": {"tool_policy": {"write": "ask"}}} /* for all */`), now, old, key)
	b, err := bundle.Open(raw, []bundle.PublicKey{key.Public()}, now)
	if err != nil {
		t.Fatal(err)
	}
	if b.Label() != "acme-2026-11 v7" || !b.Issued.Equal(now) || strings.Join(b.Said(), " ") != "security.tool_policy.write" {
		t.Errorf("got %s, issued %s, with %v", b.Label(), b.Issued, b.Said())
	}
}

func TestKeysAreReadAsTheyAreWritten(t *testing.T) {
	key := newKey(t)
	raw, err := key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	again, err := bundle.ParsePrivateKey(raw)
	if err != nil || again.Public().String() != key.Public().String() {
		t.Errorf("the private key is another one: %v", err)
	}
	public, err := bundle.ParsePublicKey(key.Public().String())
	if err != nil || public.ID() != key.Public().ID() {
		t.Errorf("the public key is another one: %v", err)
	}
	for _, s := range []string{"", "ed25519:", "ed25519:AAAA", strings.TrimPrefix(key.Public().String(), "ed25519:"), "rsa:AAAA"} {
		if _, err := bundle.ParsePublicKey(s); err == nil {
			t.Errorf("%q is accepted as a public key", s)
		}
	}
	for _, s := range []string{"", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", public.String()} {
		if _, err := bundle.ParsePrivateKey([]byte(s)); err == nil {
			t.Errorf("%q is accepted as a private key", s)
		}
	}
}

func TestADocumentThatIsNotWhatATrustedKeySignedIsRefused(t *testing.T) {
	key, other := newKey(t), newKey(t)
	good := signed(t, source(7, ""), now, key)
	var d map[string]any
	if err := json.Unmarshal(good, &d); err != nil {
		t.Fatal(err)
	}
	with := func(name string, value any) []byte {
		changed := map[string]any{"format": d["format"], "payload": d["payload"], "signatures": d["signatures"]}
		changed[name] = value
		raw, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var another map[string]any
	if err := json.Unmarshal(signed(t, source(8, ""), now, other), &another); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"nothing":                             {nil, "not valid JSON"},
		"truncated":                           {good[:len(good)/2], "not valid JSON"},
		"a list":                              {[]byte("[]"), "not a JSON object"},
		"two documents":                       {append(append([]byte{}, good...), good...), "not valid JSON"},
		"signed by a key that is not trusted": {signed(t, source(7, ""), now, other), "it is not signed by a trusted key"},
		"not signed":                          {signed(t, source(7, ""), now), "it is not signed by a trusted key"},
		"other content than was signed":       {with("payload", another["payload"]), "it is not signed by a trusted key"},
		"a newer format":                      {with("format", "mcpproxy-bundle/2"), "update mcpproxy"},
		"another format":                      {with("format", "zip"), "not a signed bundle"},
		"an unsigned source":                  {[]byte(source(7, "")), "not a signed bundle"},
		"an unknown member":                   {with("extra", 1), `unknown key "extra"`},
		"a payload that is not base64":        {with("payload", "{}"), "payload"},
		"a member that appears twice": {[]byte(strings.Replace(string(good), "{", `{"format": "mcpproxy-bundle/1",`, 1)),
			`"format" appears twice`},
		"too many signatures": {with("signatures", make([]map[string]any, 17)), "signatures"},
		"too large":           {[]byte(`{"format": "` + strings.Repeat("x", bundle.MaxSize) + `"}`), "larger than 4 MB"},
	} {
		if _, err := bundle.Open(c.raw, []bundle.PublicKey{key.Public()}, now); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
	if _, err := bundle.Open(good, nil, now); err == nil {
		t.Error("a bundle is valid although no key is trusted")
	}
}

func TestABundleIsValidFromItsIssueToItsExpiry(t *testing.T) {
	key := newKey(t)
	raw := signed(t, source(7, ""), now, key)
	expiry := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]string{
		now.Add(-time.Hour):              "in the future",
		now.Add(-time.Minute):            "",
		expiry.Add(-time.Millisecond):    "",
		expiry:                           "has expired",
		expiry.Add(365 * 24 * time.Hour): "has expired",
	} {
		_, err := bundle.Open(raw, []bundle.PublicKey{key.Public()}, at)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("at %s the error is %v, want %q", at, err, want)
		}
	}
}

func TestASourceWithAMistakeIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"no name":                           {`{"version": 1, "expires": "2026-12-31T00:00:00Z"}`, "name"},
		"a name with a space":               {`{"name": "a b", "version": 1, "expires": "2026-12-31T00:00:00Z"}`, "name"},
		"version 0":                         {source(0, ""), "version"},
		"no expiry":                         {`{"name": "a", "version": 1}`, "expires"},
		"an expiry before its time":         {source(1, `, "issued": "2027-01-01T00:00:00Z"`), "expires"},
		"an unknown member":                 {source(1, `, "extra": 1`), `unknown key "extra"`},
		"a member twice":                    {source(1, `, "version": 2`), `"version" appears twice`},
		"truncated":                         {source(1, "")[:20], "unexpected EOF"},
		"rollback_from without rollback_to": {source(1, `, "rollback_to": 1`), "belong together"},
		"a rollback to another version":     {source(3, `, "rollback_to": 2, "rollback_from": 4`), "rollback_to"},
		"a rollback to a higher version":    {source(3, `, "rollback_to": 3, "rollback_from": 3`), "rollback_from"},
		"a key of one machine":              {source(1, `, "config": {"listen": "0.0.0.0:1"}`), "listen: a bundle cannot set this key"},
		"servers of one machine":            {source(1, `, "config": {"mcpServers": []}`), "mcpServers: a bundle cannot set this key"},
		"an unknown key":                    {source(1, `, "config": {"security": {"tool_policies": {}}}`), "security.tool_policies: unknown key"},
		"a key within a value":              {source(1, `, "config": {"security": 1}`), "security: unknown key"},
		"null":                              {source(1, `, "config": {"security": {"home": null}}`), "null"},
		"a key twice":                       {source(1, `, "config": {"security": {"home": [], "home": []}}`), `"home" appears twice`},
		"a reference":                       {source(1, `, "config": {"security": {"home": ["${env:X}"]}}`), "references"},
		"a server by its name":              {source(1, `, "servers": [{"name": "a"}]`), "needs either a url or a command"},
		"a server without a name":           {source(1, `, "servers": [{"url": "https://a.example"}]`), "has no name"},
		"an approval of one user":           {source(1, `, "approvals": [{"principal": "p", "tool_name": "t", "rules": ["r"]}]`), "principal"},
		"an approval of anything":           {source(1, `, "approvals": [{"principal": "", "tool_name": "t", "rules": null}]`), "rules"},
		"an approval of one call":           {source(1, `, "approvals": [{"principal": "", "tool_name": "t", "rules": ["r"], "once": "why"}]`), "one call"},
	} {
		if _, err := bundle.Build([]byte(c.source)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
}

func TestAServerIsAllowedByItsNameAndItsCommandOrAddress(t *testing.T) {
	b, err := bundle.Build([]byte(source(1, `, "servers": [
		{"name": "files", "command": "npx", "args": ["-y", "files@1.0.0"]},
		{"name": "web", "url": "https://mcp.example/mcp"}
	]`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, url, command string
		args               []string
		want               bool
	}{
		{"files", "", "npx", []string{"-y", "files@1.0.0"}, true},
		{"files", "", "npx", []string{"-y", "files@1.0.1"}, false},
		{"files", "", "npx", []string{"-y"}, false},
		{"files", "", "sh", []string{"-y", "files@1.0.0"}, false},
		{"other", "", "npx", []string{"-y", "files@1.0.0"}, false},
		{"web", "https://mcp.example/mcp", "", nil, true},
		{"web", "https://mcp.example/mcp/", "", nil, false},
		{"web", "https://evil.example/mcp", "", nil, false},
	} {
		if got := b.Allows(c.name, c.url, c.command, c.args); got != c.want {
			t.Errorf("%s %s %s %q: got %t", c.name, c.url, c.command, c.args, got)
		}
	}
	if b.Servers = nil; !b.Allows("any", "https://any.example", "", nil) {
		t.Error("a bundle without a list forbids a server")
	}
	if b.Servers = new([]bundle.Server); b.Allows("files", "", "npx", nil) {
		t.Error("a bundle with an empty list allows a server")
	}
}

// machine is a managed machine, for tests.
type machine struct {
	t      *testing.T
	key    bundle.PrivateKey
	data   string
	config string // of the machine
}

func newMachine(t *testing.T, more string) *machine {
	t.Helper()
	m := &machine{
		t:      t,
		key:    newKey(t),
		data:   t.TempDir(),
		config: filepath.Join(t.TempDir(), "managed.json"),
	}
	t.Setenv("MCPPROXY_TEST_MANAGED_FILE", m.config)
	m.write(fmt.Sprintf(`{"source": "/srv/none", "public_keys": [%q], "on_expiry": "deny"%s}`, m.key.Public(), more))
	return m
}

func (m *machine) write(text string) {
	m.t.Helper()
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// accepts passes a document to Accept.
func (m *machine) accepts(raw []byte, at time.Time) (bool, error) {
	m.t.Helper()
	managed, err := bundle.ReadManaged(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return bundle.Accept(m.t.Context(), managed, m.data, raw, at, func(*bundle.Bundle) error { return nil })
}

// stands returns the standing of the machine.
func (m *machine) stands(at time.Time) *bundle.Standing {
	m.t.Helper()
	s, err := bundle.Stand(m.t.Context(), m.data, at)
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

func TestAMachineTakesNewerVersionsAndGoesBackOnlyIfThatIsSigned(t *testing.T) {
	m := newMachine(t, "")
	at := now
	for _, step := range []struct {
		name, source string
		news         bool
		want         string // the error
		label        string // in force after it
	}{
		{"the first", source(7, ""), true, "", "acme-2026-11 v7"},
		{"a newer one", source(9, ""), true, "", "acme-2026-11 v9"},
		{"an older one", source(8, ""), false, "older than version 9", "acme-2026-11 v9"},
		{"the same version with another content", source(9, `, "servers": []`), false, "differs from", "acme-2026-11 v9"},
		{"a rollback for machines that are behind", source(7, `, "rollback_to": 7, "rollback_from": 8`), false,
			"older than version 9", "acme-2026-11 v9"},
		{"a rollback", source(7, `, "rollback_to": 7, "rollback_from": 9`), true, "", "acme-2026-11 v7"},
		{"what was rolled back", source(9, ""), false, "differs from", "acme-2026-11 v7"},
		{"what lies between", source(8, ""), false, "older than version 9", "acme-2026-11 v7"},
		{"a newer one than all", source(10, ""), true, "", "acme-2026-11 v10"},
	} {
		at = at.Add(time.Minute)
		news, err := m.accepts(signed(t, step.source, at, m.key), at)
		if news != step.news || (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("%s: got %t, %v", step.name, news, err)
		}
		if got := m.stands(at).Label(); got != step.label {
			t.Errorf("%s: in force is %s", step.name, got)
		}
	}
	early := signed(t, source(6, `, "rollback_to": 6, "rollback_from": 20`), now, m.key)
	if _, err := m.accepts(early, at); err == nil || !strings.Contains(err.Error(), "issued before") {
		t.Errorf("an old rollback is accepted again: %v", err)
	}
}

func TestTheSameBundleIsNotReportedAsNew(t *testing.T) {
	m := newMachine(t, "")
	raw := signed(t, source(7, ""), now, m.key)
	for i, want := range []bool{true, false} {
		if news, err := m.accepts(raw, now); news != want || err != nil {
			t.Errorf("document %d: got %t, %v", i+1, news, err)
		}
	}
	if err := os.Remove(filepath.Join(m.data, bundle.CacheFile)); err != nil {
		t.Fatal(err)
	}
	if news, err := m.accepts(raw, now); !news || err != nil {
		t.Errorf("a removed bundle is not saved again: %t, %v", news, err)
	}
}

func TestTheLastGoodBundleStaysWhenAnotherIsRefused(t *testing.T) {
	m := newMachine(t, `, "min_version": 5, "name": "acme-2026-11"`)
	if _, err := m.accepts(signed(t, source(7, ""), now, m.key), now); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"nothing":          nil,
		"somebody else's":  signed(t, source(8, ""), now, newKey(t)),
		"below the lowest": signed(t, source(4, `, "rollback_to": 4, "rollback_from": 9`), now.Add(time.Hour), m.key),
		"of another name":  signed(t, strings.Replace(source(8, ""), "acme-2026-11", "other", 1), now, m.key),
		"expired":          signed(t, strings.Replace(source(8, ""), "2026-12-31", "2026-11-28", 1), now, m.key),
	} {
		if news, err := m.accepts(raw, now.Add(24*time.Hour)); news || err == nil {
			t.Errorf("%s: it is accepted", name)
		}
		if got := m.stands(now); got.Label() != "acme-2026-11 v7" || got.Closed != "" {
			t.Errorf("%s: in force is %s, %q", name, got.Label(), got.Closed)
		}
	}
	managed, err := bundle.ReadManaged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Accept(t.Context(), managed, m.data, signed(t, source(8, ""), now, m.key), now,
		func(*bundle.Bundle) error { return os.ErrInvalid })
	if err == nil || m.stands(now).Label() != "acme-2026-11 v7" {
		t.Errorf("a bundle with a mistake in its rules is accepted: %v", err)
	}
}

func TestCallsAreDeniedOrTheBundleKeptWhenNoneIsValid(t *testing.T) {
	after := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	cache := func(m *machine) string { return filepath.Join(m.data, bundle.CacheFile) }
	remove := func(m *machine) error { return os.Remove(cache(m)) }
	change := func(m *machine) error { return os.WriteFile(cache(m), []byte("{}"), 0o600) }
	mode := func(to os.FileMode) func(m *machine) error {
		return func(m *machine) error { return os.Chmod(cache(m), to) }
	}
	for name, c := range map[string]struct {
		onExpiry string
		at       time.Time
		change   func(*machine) error
		closed   string
		stale    bool
	}{
		"a good one":           {"deny", now, nil, "", false},
		"expired, deny":        {"deny", after, nil, "acme-2026-11 v7 expired on 2026-12-31", false},
		"expired, keep":        {"keep", after, nil, "", true},
		"removed, keep":        {"keep", now, remove, "until it has", false},
		"changed":              {"keep", now, change, "cannot be used", false},
		"writable for others":  {"keep", now, mode(0o666), "must be 0600", false},
		"readable for others":  {"keep", now, mode(0o644), "must be 0600", false},
		"readable for a group": {"keep", now, mode(0o640), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "")
			m.write(fmt.Sprintf(`{"source": "/srv/none", "public_keys": [%q], "on_expiry": %q}`, m.key.Public(), c.onExpiry))
			if _, err := m.accepts(signed(t, source(7, ""), now, m.key), now); err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				if err := c.change(m); err != nil {
					t.Fatal(err)
				}
			}
			s := m.stands(c.at)
			if !strings.Contains(s.Closed, c.closed) || (s.Closed == "") != (c.closed == "") || s.Stale != c.stale {
				t.Errorf("closed is %q, stale %t", s.Closed, s.Stale)
			}
		})
	}
}

func TestTheFileOfAManagedMachineWithAMistakeIsRefused(t *testing.T) {
	key := newKey(t).Public().String()
	for name, c := range map[string]struct{ text, want string }{
		"no key":          {`{"source": "/a", "on_expiry": "keep"}`, "public_keys"},
		"an invalid key":  {`{"source": "/a", "public_keys": ["x"], "on_expiry": "keep"}`, "public_keys"},
		"no end":          {`{"source": "/a", "public_keys": ["` + key + `"]}`, "on_expiry"},
		"a relative path": {`{"source": "a", "public_keys": ["` + key + `"], "on_expiry": "keep"}`, "source"},
		"plain HTTP":      {`{"source": "http://a.example/b", "public_keys": ["` + key + `"], "on_expiry": "keep"}`, "source"},
		"an unknown key":  {`{"source": "/a", "public_keys": ["` + key + `"], "on_expiry": "keep", "x": 1}`, `unknown key "x"`},
		"truncated":       {`{"source": "/a"`, "EOF"},
	} {
		if _, err := bundle.ParseManaged([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
	m := newMachine(t, "")
	if err := os.Chmod(m.config, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.ReadManaged(t.Context()); err == nil {
		t.Error("a file that everybody can write makes the machine a managed one")
	}
	t.Setenv("MCPPROXY_TEST_MANAGED_FILE", filepath.Join(t.TempDir(), "none.json"))
	if got, err := bundle.ReadManaged(t.Context()); got != nil || err != nil {
		t.Errorf("a machine without the file: got %v, %v", got, err)
	}
}

func FuzzOpen(f *testing.F) {
	key, err := bundle.NewKey()
	if err != nil {
		f.Fatal(err)
	}
	trusted := []bundle.PublicKey{key.Public()}
	b, err := bundle.Build([]byte(source(7, `, "config": {"security": {"home": ["acme.example"]}}, "servers": []`)))
	if err != nil {
		f.Fatal(err)
	}
	good, err := bundle.Sign(b, now, key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(source(7, `, "config": {"security": {"policies": [{"name": "a"}]}}`)))
	f.Add([]byte(`{"format": "mcpproxy-bundle/1", "payload": "e30=", "signatures": []}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, err := bundle.Open(raw, trusted, now); err == nil && got.Label() != b.Label() {
			t.Errorf("a bundle that nobody signed is valid: %s", got.Label())
		}
		source, err := bundle.Build(raw)
		if err != nil {
			return
		}
		again, err := source.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bundle.Build(again); err != nil {
			t.Errorf("a bundle that was read cannot be read again: %v\n%s", err, again)
		}
	})
}
