package upstream

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/egress"
)

// sandboxed orders, as the launcher gets them on a Mac.
func standardOrder(t *testing.T) *order {
	t.Helper()
	hosts, err := egress.ParseList([]string{"api.github.com"})
	if err != nil {
		t.Fatal(err)
	}
	i := Isolation{Standard: true, Hosts: hosts, Private: []string{"/Users/me/.mcpproxy"}}
	return &order{
		Isolation: i,
		Port:      51234,
		Grants: []grant{
			{
				Path:   "/",
				Write:  true,
				Hidden: []string{"/Users/me/.mcpproxy", "/Users/me/.ssh", "/Users/me/.config/gh", "/Users/me/.kube"},
				Kept:   []string{"/Users/me/.zshrc"},
			},
			{Path: "/Users/me/.kube", Hidden: []string{"/Users/me/.mcpproxy"}},
		},
	}
}

func filesOrder() *order {
	return &order{
		Isolation: Isolation{
			Read:      []string{"/Users/me/notes"},
			Write:     []string{"/Users/me/notes/drafts"},
			NoNetwork: true,
			Private:   []string{"/Users/me/notes/drafts/proxy"},
		},
		Grants: []grant{
			{Path: "/Users/me/notes"},
			{Path: "/Users/me/notes/drafts", Write: true, Hidden: []string{"/Users/me/notes/drafts/proxy"}},
			{Path: "/Users/me/bin"},
		},
	}
}

func TestAProfileForMacOSAllowsWhatTheIsolationAllows(t *testing.T) {
	open := &order{
		Isolation: Isolation{MemoryMB: 1, Private: []string{"/Users/me/.mcpproxy"}},
		Grants:    []grant{{Path: "/", Write: true, Hidden: []string{"/Users/me/.mcpproxy"}}},
	}
	linked := &order{ // a data folder below the link /tmp, as forms returns it
		Isolation: Isolation{MemoryMB: 1},
		Grants:    []grant{{Path: "/", Write: true, Hidden: []string{"/tmp", "/private/tmp/data"}}},
	}
	sockets := filesOrder()
	sockets.Isolation.UnixSockets = true
	profileOnly := standardOrder(t)
	profileOnly.Isolation.Hosts = nil
	for _, c := range []struct {
		name      string
		order     *order
		operation string
		at        string
		may       bool
	}{
		{"standard: a file of the user is read", standardOrder(t), "file-read-data", "/Users/me/src/main.go", true},
		{"standard: a file of the user is written", standardOrder(t), "file-write-data", "/Users/me/src/main.go", true},
		{"standard: a key is not read", standardOrder(t), "file-read-data", "/Users/me/.ssh/id_ed25519", false},
		{"standard: a key is not linked to", standardOrder(t), "file-link", "/Users/me/.ssh/id_ed25519", false},
		{"standard: a folder of a similar name is open", standardOrder(t), "file-read-data", "/Users/me/.sshuttle/conf", true},
		{"standard: what a shell runs is read", standardOrder(t), "file-read-data", "/Users/me/.zshrc", true},
		{"standard: what a shell runs is not changed", standardOrder(t), "file-write-data", "/Users/me/.zshrc", false},
		{"standard: an exception is read", standardOrder(t), "file-read-data", "/Users/me/.kube/config", true},
		{"standard: an exception for reading is not written", standardOrder(t), "file-write-data", "/Users/me/.kube/config", false},
		{"standard: mcpproxy's own files are closed", standardOrder(t), "file-read-data", "/Users/me/.mcpproxy/mcp_config.json", false},
		{"standard: the folder above a hidden one is not renamed", standardOrder(t), "file-write-unlink", "/Users/me/.config", false},
		{"standard: other files in that folder are removed", standardOrder(t), "file-write-unlink", "/Users/me/.config/x", true},
		{"standard: the folder above a hidden one is not cloned", standardOrder(t), "file-clone", "/Users/me", false},
		{"standard: a terminal is not read", standardOrder(t), "file-read-data", "/dev/ttys003", false},
		{"hosts: the proxy is reached", standardOrder(t), "network-outbound", "ip localhost:51234", true},
		{"hosts: another port of this machine is not", standardOrder(t), "network-outbound", "ip localhost:8080", false},
		{"hosts: nothing else is", standardOrder(t), "network-outbound", "ip *:443", false},
		{"hosts: no names are looked up", standardOrder(t), "network-outbound", "unix-socket " + resolverSocket, false},
		{"standard: the network is open", profileOnly, "network-outbound", "ip *:443", true},
		{"standard: names are looked up", profileOnly, "network-outbound", "unix-socket " + resolverSocket, true},
		{"standard: Docker's socket is closed", profileOnly, "network-outbound", "unix-socket /private/var/run/docker.sock", false},
		{"standard: other programs are not signalled", profileOnly, "signal", "target others", false},
		{"standard: its own are", profileOnly, "signal", "target same-sandbox", true},
		{"standard: the keychain does not answer", profileOnly, "mach-lookup", "global-name com.apple.SecurityServer", false},
		{"standard: other services do", profileOnly, "mach-lookup", "global-name com.apple.trustd.agent", true},
		{"standard: no program is opened outside", profileOnly, "lsopen", "", false},
		{"files: a listed folder is read", filesOrder(), "file-read-data", "/Users/me/notes/a.md", true},
		{"files: and not written", filesOrder(), "file-write-data", "/Users/me/notes/a.md", false},
		{"files: one for writing is written", filesOrder(), "file-write-data", "/Users/me/notes/drafts/a.md", true},
		{"files: mcpproxy's own files in it are closed", filesOrder(), "file-read-data", "/Users/me/notes/drafts/proxy/x", false},
		{"files: they are not moved with their folder", filesOrder(), "file-write-unlink", "/Users/me/notes/drafts", false},
		{"files: other files are closed", filesOrder(), "file-read-data", "/Users/me/src/main.go", false},
		{"files: nothing is made elsewhere", filesOrder(), "file-write-create", "/private/tmp/x", false},
		{"files: a folder of a similar name is closed", filesOrder(), "file-read-data", "/Users/me/notes2/a.md", false},
		{"files: the program's folder is read", filesOrder(), "file-read-data", "/Users/me/bin/server", true},
		{"files: the system's libraries are mapped", filesOrder(), "file-map-executable", "/usr/lib/libSystem.B.dylib", true},
		{"files: the system is not written", filesOrder(), "file-write-data", "/usr/local/bin/x", false},
		{"files: /dev/null is written", filesOrder(), "file-write-data", "/dev/null", true},
		{"no network: nothing is reached", filesOrder(), "network-outbound", "ip *:443", false},
		{"no network: no Unix socket", filesOrder(), "network-outbound", "unix-socket /private/var/run/docker.sock", false},
		{"unix_sockets: they are open", sockets, "network-outbound", "unix-socket /private/var/run/docker.sock", true},
		{"unix_sockets: but for mcpproxy's own", sockets, "network-outbound", "unix-socket /Users/me/notes/drafts/proxy/s", false},
		{"unix_sockets: the network stays closed", sockets, "network-outbound", "ip *:443", false},
		{"a limit alone: files are open", open, "file-write-data", "/Users/me/.ssh/config", true},
		{"a limit alone: mcpproxy's are not", open, "file-write-data", "/Users/me/.mcpproxy/KILL", false},
		{"a data folder below /tmp is closed", linked, "file-read-data", "/private/tmp/data/x", false},
		{"and the link /tmp is followed", linked, "file-read-data", "/tmp", true},
		{"a limit alone: the network is open", open, "network-outbound", "ip *:443", true},
		{"a limit alone: sockets are open", open, "network-outbound", "unix-socket /private/var/run/docker.sock", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := c.order.profile()
			if err != nil {
				t.Fatal(err)
			}
			if got := decided(t, text, c.operation, c.at); got != c.may {
				t.Errorf("%s of %s is allowed: %v, want %v, by\n%s", c.operation, c.at, got, c.may, text)
			}
		})
	}
}

func TestWhatCannotBeWrittenIntoAProfileIsRefused(t *testing.T) {
	odd := filesOrder()
	odd.Grants[0].Path = `/Users/me/a "b" \ (allow default)`
	text, err := odd.profile()
	if err != nil || !decided(t, text, "file-read-data", odd.Grants[0].Path+"/x") || decided(t, text, "file-read-data", "/Users/me/src") {
		t.Errorf("a path with the language's own signs: %v\n%s", err, text)
	}
	for _, path := range []string{"/Users/me/a\nb", "/Users/me/a\x00b", "/Users/me/\xff"} {
		bad := filesOrder()
		bad.Grants[0].Path = path
		if _, err := bad.profile(); err == nil {
			t.Errorf("%q is written into a profile", path)
		}
	}
	blind := standardOrder(t)
	blind.Port = 0
	if _, err := blind.profile(); err == nil {
		t.Error("a server with a list of hosts starts without its proxy")
	}
}

func TestTheLauncherGetsThePortOfTheProxy(t *testing.T) {
	args, err := standardOrder(t).arguments()
	if err != nil {
		t.Fatal(err)
	}
	told, err := withPort(args, 4711)
	if err != nil || len(told) != 3 || told[1] != launcherVerb || !strings.Contains(told[2], `"Port":4711`) ||
		!strings.Contains(told[2], "/Users/me/.zshrc") {
		t.Errorf("%v: %q", err, told)
	}
	if _, err := withPort([]string{"node", "server.js"}, 4711); err == nil {
		t.Error("the command line of a server was taken for a launcher's")
	}
}

// expression is a list or a word of a profile.
type expression struct {
	word string
	list []expression
}

// decided returns what a profile says of an operation: the last rule that matches decides. At is a
// path, or a filter's name and its value.
func decided(t *testing.T, profile, operation, at string) (allowed bool) {
	t.Helper()
	rest := profile
	for strings.TrimSpace(rest) != "" {
		var rule expression
		rule, rest = parseExpression(t, strings.TrimSpace(rest))
		verdict := rule.list[0].word
		if verdict == "version" {
			continue
		}
		if verdict != "allow" && verdict != "deny" {
			t.Fatalf("a rule begins with %q", verdict)
		}
		var operations []string
		var filters []expression
		for _, e := range rule.list[1:] {
			if e.list != nil {
				filters = append(filters, e)
			} else {
				operations = append(operations, e.word)
			}
		}
		concerns := slices.ContainsFunc(operations, func(pattern string) bool {
			head, wild := strings.CutSuffix(pattern, "*")
			return pattern == operation || pattern == "default" || wild && strings.HasPrefix(operation, head)
		})
		matches := len(filters) == 0 || slices.ContainsFunc(filters, func(f expression) bool { return f.matches(t, at) })
		if concerns && matches {
			allowed = verdict == "allow"
		}
	}
	return allowed
}

// matches reports whether a filter matches what an operation is about.
func (f expression) matches(t *testing.T, at string) bool {
	t.Helper()
	name, value := f.list[0].word, f.list[1].word
	switch name {
	case "literal", "path-literal":
		return at == value
	case "subpath":
		return at == value || strings.HasPrefix(at, value+"/")
	case "regex":
		return regexp.MustCompile(value).MatchString(at)
	case "remote", "local":
		kind, what, _ := strings.Cut(at, " ")
		if kind != value {
			return false
		}
		if len(f.list) == 2 {
			return true
		}
		if filter := f.list[2]; filter.list != nil {
			return filter.matches(t, what)
		}
		return f.list[2].word == what
	case "target", "global-name", "sysctl-name-prefix":
		return at == name+" "+value
	}
	t.Fatalf("the filter %q is not known", name)
	return false
}

// parseExpression reads one expression and returns it with the rest of the text.
func parseExpression(t *testing.T, s string) (expression, string) {
	t.Helper()
	switch {
	case strings.HasPrefix(s, "("):
		e := expression{list: []expression{}}
		for s = strings.TrimSpace(s[1:]); !strings.HasPrefix(s, ")"); s = strings.TrimSpace(s) {
			if s == "" {
				t.Fatal("a list is not closed")
			}
			var inner expression
			inner, s = parseExpression(t, s)
			e.list = append(e.list, inner)
		}
		return e, s[1:]
	case strings.HasPrefix(s, `"`), strings.HasPrefix(s, `#"`):
		raw := strings.HasPrefix(s, "#")
		s = s[strings.Index(s, `"`)+1:]
		var word strings.Builder
		for i := 0; i < len(s); i++ {
			switch {
			case s[i] == '"':
				return expression{word: word.String()}, s[i+1:]
			case s[i] == '\\' && !raw:
				i++
			}
			word.WriteByte(s[i])
		}
		t.Fatal("a string is not closed")
	}
	end := strings.IndexAny(s, " ()\n\"")
	if end <= 0 {
		t.Fatalf("a word is missing at %.20q", s)
	}
	return expression{word: s[:end]}, s[end:]
}
