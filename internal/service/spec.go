package service

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Name is the service's name: mcpproxy.service for systemd, the label for launchd.
const Name = "mcpproxy"

// Spec says what a service runs.
type Spec struct {
	Program string   // absolute path of mcpproxy
	Config  string   // absolute path of the configuration file
	Path    []string // folders of PATH, the first one searched first
	Home    string   // home folder of the user whom it runs as
	User    string   // name of that user, for a service of the system; "" for a user's own
	Log     string   // file for what it writes to standard error, where the manager keeps no log
	Sockets []string // addresses and paths at which the manager listens for it (socket activation)

	Password string // password of User, if the manager needs it (Windows)
}

// ServerPrograms are the programs that start most MCP servers.
var ServerPrograms = []string{"npx", "uvx", "node", "docker", "uv", "python3", "bunx", "deno", "podman"}

// SearchPath returns the PATH of a service. It contains the folders of path in which the given
// programs are found, in the order of path, and then the system's folders. Where maps each found
// program to its folder.
//
// A version manager's folder that exists only for one login is replaced by the folder that it links
// to. Relative folders are omitted, because a service has another working directory.
func SearchPath(path string, programs []string) (folders []string, where map[string]string) {
	where = map[string]string{}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		holds := false
		for _, program := range programs {
			if where[program] == "" && executable(filepath.Join(dir, program)) {
				where[program], holds = lasting(dir), true
			}
		}
		if dir = lasting(dir); holds && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	for _, dir := range systemPath {
		if !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return folders, where
}

// passing are the folders that are emptied at a reboot or logout.
var passing = []string{"/run/", "/tmp/", "/var/run/", "/private/tmp/"}

// lasting returns the target of a folder whose own name is temporary.
func lasting(dir string) string {
	dir = filepath.Clean(dir)
	for _, head := range passing {
		if real, err := filepath.EvalSymlinks(dir); err == nil && strings.HasPrefix(dir, head) {
			return real
		}
	}
	return dir
}

// executable reports whether a folder contains a program, with one of the extensions that programs have on this
// system.
func executable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}
