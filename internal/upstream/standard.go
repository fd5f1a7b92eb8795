package upstream

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"mcpproxy/internal/agent"
)

// terminals are devices from which a server could read what the user types, or imitate a question
// of another program. The last three are the machine's memory.
var terminals = []string{
	"/dev/tty",
	"/dev/pts",
	"/dev/console",
	"/dev/vcs",
	"/dev/vcsa",
	"/dev/mem",
	"/dev/kmem",
	"/dev/port",
}

// systemKept is what a server may read but not write, because a write can change other processes or
// the kernel.
var systemKept = []string{"/proc", "/sys"}

// standardHidden is what the standard profile hides below the user's home folder, in addition to
// the files of agents: keys, password stores and browser profiles.
var standardHidden = []string{
	// Keys and tokens.
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".netrc", ".pypirc", ".pgpass", ".git-credentials", ".vault-token",
	".docker/config.json", ".config/gcloud", ".config/gh", ".config/git/credentials", ".config/rclone", ".config/op",
	".config/containers/auth.json", ".config/sops", ".config/age", ".terraform.d/credentials.tfrc.json",
	// Password stores.
	".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/keepassxc", ".config/Bitwarden",
	".config/1Password", ".local/share/password-store",
	// Browsers and mail.
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium",
	".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
	"snap/firefox", "snap/chromium", "snap/thunderbird", ".var/app/org.mozilla.firefox", ".var/app/com.google.Chrome",
	".var/app/org.chromium.Chromium", ".var/app/com.brave.Browser",
	// This program, and agents that package agent does not describe.
	".mcpproxy", ".continue", ".config/zed", ".aider.conf.yml",
	// Shell histories.
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
}

// standardKept is what the standard profile makes read-only below the user's home folder: files
// that are executed when the user logs in, opens a shell or calls git.
var standardKept = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin", ".zlogout", ".oh-my-zsh", ".xprofile", ".xsessionrc", ".inputrc", ".vimrc", ".vim",
	".emacs", ".emacs.d", ".tmux.conf", ".gitconfig", ".config/git", ".config/fish", ".config/nvim",
	".config/autostart", ".config/systemd", ".config/environment.d", ".local/share/applications", ".npmrc", ".pip",
	".config/pip",
}

// On macOS, the standard profile also hides appleHidden and makes appleKept read-only, below the
// user's home folder.
var (
	appleHidden = []string{
		"Library/Keychains", "Library/Messages", "Library/Mail", "Library/Safari", "Library/Cookies",
		"Library/Containers/com.apple.Safari", "Library/Application Support/Google/Chrome",
		"Library/Application Support/BraveSoftware", "Library/Application Support/Firefox",
		"Library/Application Support/Microsoft Edge", "Library/Application Support/com.apple.TCC",
		"Library/Group Containers",
	}
	appleKept = []string{"Library/LaunchAgents"}
)

// standardMade are folders below the user's home folder that the standard profile creates if they
// are missing. Programs such as npx and uvx store their downloads there, and an isolated server
// cannot create a folder beside a hidden one.
var standardMade = []string{".npm", ".cache", ".local/share/uv"}

// hidden returns, in all forms, the paths that are hidden from a server with access to the whole
// file system.
func (i *Isolation) hidden() []string {
	paths := slices.Concat(i.Private, terminals)
	if home, err := os.UserHomeDir(); err == nil && i.Standard {
		paths = append(paths, hiddenBelow(home)...)
	}
	return allForms(paths)
}

// hiddenBelow returns the paths that the standard profile hides in the user's home folder.
func hiddenBelow(home string) []string {
	hidden := slices.Concat(standardHidden, agent.PrivatePaths())
	if runtime.GOOS == "darwin" {
		hidden = append(hidden, appleHidden...)
	}
	return below(home, hidden)
}

// kept returns, in all forms, the paths that such a server may only read.
func (i *Isolation) kept() []string {
	paths := slices.Clone(systemKept)
	if home, err := os.UserHomeDir(); err == nil && i.Standard {
		paths = append(paths, below(home, standardKept)...)
		if runtime.GOOS == "darwin" {
			paths = append(paths, below(home, appleKept)...)
		}
	}
	return allForms(paths)
}

// allForms returns the forms of every path.
func allForms(paths []string) (out []string) {
	for _, p := range paths {
		out = append(out, forms(p)...)
	}
	return out
}

// prepare creates the folders that the standard profile needs.
func (i *Isolation) prepare() {
	home, err := os.UserHomeDir()
	if err != nil || !i.Standard {
		return
	}
	for _, dir := range below(home, standardMade) {
		_ = os.MkdirAll(dir, 0o700) // a server that needs the folder reports the error
	}
}

func below(dir string, names []string) (out []string) {
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}
