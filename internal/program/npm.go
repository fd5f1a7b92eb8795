package program

import (
	"bytes"
	"cmp"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/registry"
)

// fetched is a package that a runner fetches.
type fetched struct {
	spec    string // package as the command line names it
	name    string // name in the registry; "" if the package does not come from a registry
	version string // the exact version in spec; "" if spec does not fix one
	floats  bool   // spec accepts any version
}

// fetches returns what a command line with a runner starts.
func fetches(runner string, specs []string, c Command) *Started {
	s := &Started{runner: runner}
	for _, spec := range specs {
		s.packages = append(s.packages, packageOf(runner, spec))
	}
	s.subject = runner + " " + strings.Join(specs, " ")
	switch {
	case len(specs) == 0:
		s.why = "the command line names no package"
	case runner != "npx" && runner != "npm exec" && runner != "npm x" && runner != "uvx" && runner != "uv tool run":
		s.why = whyRunner
	case slices.ContainsFunc(s.packages, func(p fetched) bool { return p.name == "" }):
		s.why = "the package does not come from a registry"
	case len(specs) > 1:
		s.why = "the command line names several packages"
	}
	if s.why != "" {
		s.subject = runner + " " + hidden(specs)
	}
	return s
}

// hidden returns specs with addresses replaced, because an address may contain a password.
func hidden(specs []string) string {
	var out []string
	for _, spec := range specs {
		if strings.Contains(spec, "://") {
			spec = "an address"
		}
		out = append(out, spec)
	}
	return strings.Join(out, " ")
}

func packageOf(runner, spec string) fetched {
	p := fetched{spec: spec}
	if strings.HasPrefix(runner, "uv") {
		p.name, p.version = registry.NameOfPyPI(spec)
		return p
	}
	p.name, p.version = registry.NameOfNPM(spec)
	p.floats = p.name == spec
	return p
}

// npmHash returns the name of the folder in which npx stores packages. npm 7 and later compute it in the same way.
func npmHash(specs ...string) string {
	slices.Sort(specs)
	sum := sha512.Sum512([]byte(strings.Join(specs, "\n")))
	return hex.EncodeToString(sum[:])[:16]
}

// fetched hashes the package that a runner has fetched.
func (l *look) fetched(s *Started, out *Print) error {
	p := s.packages[0]
	out.Name, out.Pinned = p.name, p.version != ""
	if strings.HasPrefix(s.runner, "uv") {
		return l.fetchedByUV(s.command, p, out)
	}
	dir, err := npxPackage(s.command, p)
	if err != nil {
		return err
	}
	return l.npmPackage(dir, out)
}

// npxPackage returns the folder of the package that npx starts. npx prefers a package of the project that contains the
// working directory, then a globally installed one, if their version is acceptable. Otherwise it uses its cache.
func npxPackage(c Command, p fetched) (string, error) {
	cache, err := npmCache(c, p.spec)
	if err != nil {
		return "", err
	}
	if p.floats {
		if dir := ownerOf(c.place("."), p.name); dir != "" {
			return dir, nil
		}
	}
	for _, dir := range []string{projectModules(c.place(".")), globalModules(c.Path)} {
		installed := filepath.Join(dir, filepath.FromSlash(p.name))
		version, err := versionOf(installed)
		switch {
		case dir == "" || errors.Is(err, os.ErrNotExist):
		case err != nil:
			return "", err
		case p.floats || p.version != "" && p.version == version:
			return installed, nil
		case p.version == "":
			return "", fmt.Errorf("version %s is installed in %s, and mcpproxy does not know whether npx prefers it", version, dir)
		}
	}
	return filepath.Join(c.place(cache), "_npx", npmHash(p.spec), "node_modules", filepath.FromSlash(p.name)), nil
}

// npmCache returns the folder of npm's cache. It is set on the command line or in the environment, or else the
// default. npmCache fails if npm is configured to use other folders for packages, because then it is not known what
// npm starts.
func npmCache(c Command, spec string) (string, error) {
	for _, file := range []string{c.place(".npmrc"), filepath.Join(c.variable("HOME"), ".npmrc")} {
		if moved(file) {
			return "", fmt.Errorf("%s makes npm use another folder, where mcpproxy does not look for packages", file)
		}
	}
	for _, name := range []string{"PREFIX", "USERCONFIG", "GLOBALCONFIG", "LOCAL_PREFIX"} {
		if c.variable("npm_config_"+strings.ToLower(name)) != "" || c.variable("NPM_CONFIG_"+name) != "" {
			return "", errors.New("its environment makes npm use another folder, where mcpproxy does not look for packages")
		}
	}
	cache := cmp.Or(c.variable("npm_config_cache"), c.variable("NPM_CONFIG_CACHE"), defaultNPMCache(c))
	for n, word := range c.Args {
		option, value, joined := strings.Cut(word, "=")
		if !joined && n+1 < len(c.Args) {
			value = c.Args[n+1]
		}
		switch {
		case word == spec: // the remaining words belong to the server
			return cache, nil
		case option == "--cache":
			cache = value
		case slices.Contains([]string{"--prefix", "-C", "-w", "--workspace", "--userconfig", "--global-config"}, option):
			return "", errors.New("its options make npm use another folder, where mcpproxy does not look for packages")
		}
	}
	return cache, nil
}

// ownerOf returns the folder of the package that has installed a command in the project that contains dir. npx looks
// for such a command before it looks for a package of that name.
func ownerOf(dir, command string) string {
	for {
		path, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules", ".bin", filepath.FromSlash(command)))
		if err == nil {
			return npmPackageOf(path)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

func defaultNPMCache(c Command) string {
	if local := c.variable("LOCALAPPDATA"); local != "" && os.PathSeparator == '\\' {
		return filepath.Join(local, "npm-cache")
	}
	return filepath.Join(c.variable("HOME"), ".npm")
}

// moved reports whether a file .npmrc sets npm's cache or its folder for global packages.
func moved(file string) bool {
	f, _, err := openRegular(file)
	if err != nil {
		return false
	}
	defer f.Close()
	raw := make([]byte, maxManifest)
	n, _ := f.Read(raw)
	for line := range bytes.Lines(raw[:n]) {
		key, _, _ := bytes.Cut(line, []byte("="))
		switch string(bytes.TrimSpace(key)) {
		case "cache", "prefix":
			return true
		}
	}
	return false
}

// projectModules returns the folder node_modules of the project that contains dir.
func projectModules(dir string) string {
	for {
		modules := filepath.Join(dir, "node_modules")
		if _, err := os.Stat(modules); err == nil {
			return modules
		}
		if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
			return ""
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// globalModules returns the folder of globally installed packages that belongs to npx.
func globalModules(npx string) string {
	dir := filepath.Dir(npx)
	if os.PathSeparator == '\\' {
		return filepath.Join(dir, "node_modules")
	}
	return filepath.Join(filepath.Dir(dir), "lib", "node_modules")
}

// npmPackageOf returns the folder of the npm package that contains a file or folder, or "".
func npmPackageOf(path string) string {
	const modules = string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	at := strings.LastIndex(path, modules)
	if at < 0 {
		return ""
	}
	at += len(modules)
	words := strings.SplitN(path[at:], string(filepath.Separator), 3)
	name := words[0]
	if strings.HasPrefix(name, "@") && len(words) > 1 {
		name = filepath.Join(name, words[1])
	}
	if info, err := os.Stat(path[:at] + name); err != nil || !info.IsDir() {
		return ""
	}
	return path[:at] + name
}

// npmManifest holds the members of package.json that are needed.
type npmManifest struct {
	Name    string          `json:"name"`
	Version string          `json:"version"`
	Bundle  json.RawMessage `json:"bundleDependencies"`
	Bundled json.RawMessage `json:"bundledDependencies"`
}

// bundles reports whether the package's archive contains other packages.
func (m *npmManifest) bundles() bool {
	for _, raw := range []json.RawMessage{m.Bundle, m.Bundled} {
		if text := string(raw); text != "" && text != "null" && text != "false" && text != "[]" {
			return true
		}
	}
	return false
}

// versionOf returns the version of the package in a folder.
func versionOf(dir string) (string, error) {
	f, _, err := openRegular(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw := make([]byte, maxManifest)
	n, _ := f.Read(raw)
	var m npmManifest
	if err := json.Unmarshal(raw[:n], &m); err != nil {
		return "", fmt.Errorf("its package.json cannot be read: %w", err)
	}
	return m.Version, nil
}

// npmPackage hashes an npm package. It omits the packages in it that are dependencies, unless the package's archive
// contains them.
func (l *look) npmPackage(dir string, out *Print) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	raw, err := l.manifest(root, "package.json")
	if err != nil {
		return err
	}
	var m npmManifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("its package.json cannot be read: %w", err)
	}
	out.Source = NPM
	out.Name, out.Version = m.Name, m.Version
	without := []string{"node_modules"}
	if m.bundles() {
		without = nil
	}
	out.SHA256, err = l.folder(dir, without...)
	return err
}
