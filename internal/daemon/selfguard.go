package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	approvalstore "mcpproxy/internal/approval/store"
	"mcpproxy/internal/bundle"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/home/store"
	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/ledger/verify"
	"mcpproxy/internal/replica"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/service"
	"mcpproxy/internal/settings"
)

// ownFiles are the files in the data folder that say what agents may do or what they did.
var ownFiles = []string{
	hookclient.KillFile,
	intake.File,
	store.File,
	approvalstore.File,
	replica.BoardFile,
	"tokens.json",
	"activity.db",
	"activity.db-wal",
	"mcpproxy.lock",
	ledger.KeyFile,
	ledger.PublicFile,
	ledger.HeadsFile,
	postgres.Folder,
	filepath.Join(postgres.Folder, ledger.PublicFile),
	filepath.Join(postgres.Folder, ledger.HeadsFile),
	agentsFile,
	"tls",
	filepath.Join("tls", "ca.pem"),
	aliveFile,
	bundle.CacheFile,
	bundle.StateFile,
	service.LogFile,
	service.LockFile,
}

// keyFiles are the files and folders in the data folder that contain keys.
var keyFiles = []string{
	"tokens.json",
	ledger.KeyFile,
	filepath.Join(postgres.Folder, ledger.KeyFile),
	"state.key",
	personalKeyFile,
	"flow.state",
	"oauth",
	filepath.Join("oauth", "grants.json"),
	filepath.Join("tls", "ca-key.pem"),
}

// protectedOf returns what belongs to this firewall: its programs, its configuration under every
// name, and the files in the data folder and next to the socket. Watch returns the settings of
// agents that have a hook or are connected.
func protectedOf(path string, c *config.Config, watch func() *selfguard.Watched) selfguard.Protected {
	own := selfguard.Protected{Listen: c.Listen, Process: os.Getpid(), Watch: watch}
	own.Home, _ = os.UserHomeDir()
	files := append(
		ownPrograms(),
		c.DataDir,
		HookBackups(c),
		ConnectBackups(c),
		c.SocketPath(),
		c.SocketPath()+hookclient.PIDSuffix,
		besideSocket(
			c,
			hookclient.ClosedFile,
		),
		besideSocket(c, hookclient.UnseenFile),
		besideSocket(c, hookclient.UnseenFile)+".taken",
		StartFile(c),
		StoppedFile(c),
	)
	files = append(files, service.Files(own.Home)...)
	for _, folder := range []string{c.DataDir, filepath.Join(c.DataDir, postgres.Folder)} {
		if witness := verify.WitnessPath(folder); witness != "" {
			files = append(files, witness, filepath.Dir(witness), filepath.Dir(filepath.Dir(witness)))
		}
	}
	for _, name := range ownFiles {
		files = append(files, filepath.Join(c.DataDir, name))
	}
	keys := []string{path} // contains the API key and those of servers
	for _, name := range keyFiles {
		keys = append(keys, filepath.Join(c.DataDir, name))
	}
	certs := c.Certs()
	if certs.CertFile != "" {
		files = append(files, certs.CertFile)
	}
	if certs.KeyFile != "" {
		keys = append(keys, certs.KeyFile)
	}
	own.Files = append(ownedFiles(keys, true), ownedFiles(files, false)...)
	for _, folder := range ownedFiles(service.Overrides(own.Home), false) {
		folder.Within = true
		own.Files = append(own.Files, folder)
	}
	return own
}

// ownPrograms returns the programs mcpproxy and mcpproxy-hook: those next to the running one, and
// those in PATH.
func ownPrograms() []string {
	var files []string
	if self, err := os.Executable(); err == nil {
		files = append(files, self, filepath.Join(filepath.Dir(self), "mcpproxy-hook"+filepath.Ext(self)))
	}
	for _, name := range []string{"mcpproxy", "mcpproxy-hook"} {
		if found, err := exec.LookPath(name); err == nil {
			files = append(files, found)
		}
	}
	return files
}

// ownedFiles returns files under all the names by which links reach them.
func ownedFiles(files []string, secret bool) []selfguard.File {
	var names []string
	for _, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			continue
		}
		names = append(names, file)
		if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
			names = append(names, filepath.Join(dir, filepath.Base(file)))
		}
		if real, err := filepath.EvalSymlinks(file); err == nil {
			names = append(names, real)
		}
	}
	slices.Sort(names)
	var out []selfguard.File
	for _, name := range slices.Compact(names) {
		out = append(out, selfguard.File{Path: name, Secret: secret})
	}
	return out
}

// agentWatch knows which agents' settings contain a hook or a connection. The backup folders show
// this as soon as `hook install` or `connect` returns.
type agentWatch struct {
	hooks, connections string // the backup folders

	mu    sync.Mutex
	stamp string
	now   *selfguard.Watched
}

// watched returns the current settings files.
func (a *agentWatch) watched() *selfguard.Watched {
	hooks, hooksRest := settings.Stamp(a.hooks)
	connections, connectionsRest := settings.Stamp(a.connections)
	stamp := hooks + "\n" + connections
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now != nil && a.stamp == stamp && hooksRest && connectionsRest {
		return a.now
	}
	hooked := settings.Files(a.hooks)
	now := &selfguard.Watched{Files: ownedFiles(append(hooked, settings.Files(a.connections)...), false)}
	if len(hooked) > 0 {
		now.Settings = install.Guarded(install.Env{Home: homeDir(), Getenv: os.Getenv}, hooked)
	}
	if a.now == nil || !slices.Equal(a.now.Files, now.Files) || !slices.Equal(a.now.Settings, now.Settings) {
		a.now = now
	}
	a.stamp = stamp
	return a.now
}

// homeDir returns the user's home folder, or "" if unknown.
func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}
