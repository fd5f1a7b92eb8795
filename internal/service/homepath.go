package service

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// homeFolders are the folders below a home folder in which the installers and version managers of
// Node.js, Python and other languages put programs.
var homeFolders = []string{
	".local/bin", ".volta/bin", ".local/share/mise/shims", ".asdf/shims", ".nodenv/shims", ".pyenv/shims",
	".local/share/fnm/aliases/default/bin", ".fnm/aliases/default/bin", ".local/share/pnpm", ".npm-global/bin",
	".bun/bin", ".deno/bin", ".cargo/bin", ".nix-profile/bin",
}

// machineFolders are folders of package managers that a minimal PATH does not contain.
var machineFolders = []string{
	"/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/opt/local/bin", "/snap/bin", "/run/current-system/sw/bin",
}

// HomePath returns a PATH followed by the known folders for programs of servers that exist in a home folder or on this
// machine. PATH's own folders come first, so the same programs are found in it as before. An empty PATH stands for the
// system's folders.
func HomePath(path, home string) string {
	folders := filepath.SplitList(path)
	if path == "" {
		folders = slices.Clone(systemPath)
	}
	var known []string
	for _, name := range homeFolders {
		known = append(known, filepath.Join(home, filepath.FromSlash(name)))
	}
	if dir := nvmFolder(filepath.Join(home, ".nvm")); dir != "" {
		known = append(known, dir)
	}
	for _, dir := range append(known, machineFolders...) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return strings.Join(folders, string(os.PathListSeparator))
}

// nvmFolder returns the folder of the version of Node.js that nvm uses by default: the highest one
// that the alias "default" names, or else the highest one of all. It returns "" without nvm.
func nvmFolder(nvm string) string {
	entries, err := os.ReadDir(filepath.Join(nvm, "versions", "node"))
	if err != nil {
		return ""
	}
	alias, _ := os.ReadFile(filepath.Join(nvm, "alias", "default")) // without the alias, no version is the default
	wanted := parseVersion(strings.TrimSpace(string(alias)))
	var best []int
	var folder string
	named := false
	for _, e := range entries {
		v := parseVersion(e.Name())
		if len(v) == 0 {
			continue
		}
		is := len(wanted) > 0 && len(v) >= len(wanted) && slices.Equal(v[:len(wanted)], wanted)
		if is && !named || is == named && slices.Compare(v, best) > 0 {
			best, named = v, is
			folder = filepath.Join(nvm, "versions", "node", e.Name(), "bin")
		}
	}
	return folder
}

// parseVersion returns the numbers of a version such as v22.1.0, or nil for another word.
func parseVersion(s string) (out []int) {
	for part := range strings.SplitSeq(strings.TrimPrefix(s, "v"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}
