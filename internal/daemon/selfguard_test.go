package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/verify"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/service"
)

// Agents can neither write files that decide about them or record what they did, nor read files that contain keys.
func TestFilesOfTheFirewallAreProtectedFromAgents(t *testing.T) {
	w := newWatched(t)
	c := w.Config()
	own := protectedOf(w.path, c, func() *selfguard.Watched { return nil })
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(c.DataDir, name))
		}
		return paths
	}
	keys := append(in("tokens.json", ledger.KeyFile, "state.key", "flow.state", "oauth"), w.path)
	files := append(
		in("", hookclient.KillFile, "trust.json", "home.json", "approvals.json", "decisions.json", "activity.db", "activity.db-wal",
			"mcpproxy.lock", service.LogFile, service.LockFile, ledger.PublicFile, ledger.HeadsFile, agentsFile, aliveFile),
		c.SocketPath(),
		c.SocketPath()+hookclient.PIDSuffix,
		besideSocket(c, hookclient.ClosedFile),
		besideSocket(c, hookclient.UnseenFile),
		besideSocket(c, hookclient.UnseenFile)+".taken",
		StartFile(c),
		StoppedFile(c),
		"/etc/systemd/system/mcpproxy.service",
		filepath.Join(own.Home, "Library", "LaunchAgents", "mcpproxy.plist"),
		HookBackups(c),
		ConnectBackups(c),
		verify.WitnessPath(c.DataDir),
	)
	for path, secret := range allOf(keys, files) {
		i := slices.IndexFunc(own.Files, func(f selfguard.File) bool { return f.Path == path })
		if i < 0 {
			t.Errorf("%s is not guarded", path)
		} else if own.Files[i].Secret != secret {
			t.Errorf("%s is guarded as a secret: %t, want %t", path, own.Files[i].Secret, secret)
		}
	}
	if !slices.ContainsFunc(own.Files, func(f selfguard.File) bool { return strings.HasPrefix(filepath.Base(f.Path), "mcpproxy-hook") }) {
		t.Error("the hook's program is not guarded")
	}
	if !slices.ContainsFunc(own.Files, func(f selfguard.File) bool {
		return f.Within && f.Path == "/etc/systemd/system/mcpproxy.service.d"
	}) {
		t.Error("files that override the service's unit are not guarded")
	}
	if own.Listen != c.Listen || own.Process == 0 || own.Home == "" {
		t.Errorf("the listener is %q, the process %d, the home %q", own.Listen, own.Process, own.Home)
	}
}

// allOf says for each path whether it contains a secret.
func allOf(keys, files []string) map[string]bool {
	all := map[string]bool{}
	for _, path := range files {
		all[path] = false
	}
	for _, path := range keys {
		all[path] = true
	}
	return all
}
