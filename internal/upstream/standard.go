package upstream

import (
	"os"
	"path/filepath"
	"slices"

	"mcpproxy/internal/agent"
)

// terminals are where a server could read what the user types, and write what looks like a question of another
// program. The last three are the machine's memory.
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

// systemKept is what a server reads and never writes: a write to it can change other processes, or the kernel.
var systemKept = []string{"/proc", "/sys"}

// standardHidden is what the standard profile hides, below the user's home folder, beside the files of agents: keys,
// password stores and browser profiles.
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
	// This program, and agents of which mcpproxy knows nothing else.
	".mcpproxy", ".continue", ".config/zed", ".aider.conf.yml",
	// What the shell has seen.
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
}

// standardKept is what the standard profile lets a server read and not write, below the user's home folder: what is
// run when the user logs in, opens a shell or calls git.
var standardKept = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin", ".zlogout", ".oh-my-zsh", ".xprofile", ".xsessionrc", ".inputrc", ".vimrc", ".vim",
	".emacs", ".emacs.d", ".tmux.conf", ".gitconfig", ".config/git", ".config/fish", ".config/nvim",
	".config/autostart", ".config/systemd", ".config/environment.d", ".local/share/applications", ".npmrc", ".pip",
	".config/pip",
}

// standardMade are folders that the standard profile makes, below the user's home folder, where they are missing.
// A server cannot make a folder beside hidden ones, and npx, uvx and others keep what they download there.
var standardMade = []string{".npm", ".cache", ".local/share/uv"}

// hidden is what is hidden from a server that reaches the whole file system, in all its forms.
func (i *Isolation) hidden() []string {
	paths := slices.Concat(i.Private, terminals)
	if home, err := os.UserHomeDir(); err == nil && i.Standard {
		paths = append(paths, hiddenBelow(home)...)
	}
	return allForms(paths)
}

// hiddenBelow is what the standard profile hides in the user's home folder.
func hiddenBelow(home string) []string {
	return below(home, slices.Concat(standardHidden, agent.PrivatePaths()))
}

// kept is what such a server only reads, in all its forms.
func (i *Isolation) kept() []string {
	paths := slices.Clone(systemKept)
	if home, err := os.UserHomeDir(); err == nil && i.Standard {
		paths = append(paths, below(home, standardKept)...)
	}
	return allForms(paths)
}

// allForms are the forms of every path.
func allForms(paths []string) (out []string) {
	for _, p := range paths {
		out = append(out, forms(p)...)
	}
	return out
}

// prepare makes the folders that the standard profile needs.
func (i *Isolation) prepare() {
	home, err := os.UserHomeDir()
	if err != nil || !i.Standard {
		return
	}
	for _, dir := range below(home, standardMade) {
		_ = os.MkdirAll(dir, 0o700) // a server that needs it says so itself
	}
}

func below(dir string, names []string) (out []string) {
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}
