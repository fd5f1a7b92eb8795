package program

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// sitesOf returns the folders of installed modules in a Python environment.
func sitesOf(env string) []string {
	if _, err := os.Stat(filepath.Join(env, "pyvenv.cfg")); err != nil {
		return nil
	}
	return siteFolders(env)
}

func siteFolders(env string) []string {
	sites, _ := filepath.Glob(filepath.Join(literal(env), "lib", "python*", "site-packages"))
	windows := filepath.Join(env, "Lib", "site-packages")
	if _, err := os.Stat(windows); err == nil && os.PathSeparator == '\\' {
		sites = append(sites, windows)
	}
	return sites
}

// literal returns a pattern that matches only the given path.
func literal(path string) string {
	if os.PathSeparator == '\\' {
		return path // a pattern cannot express this path
	}
	return globSigns().ReplaceAllString(path, `\$0`)
}

var globSigns = lazyregexp.New(`[\\*?[]`)

// maxDistributions is the maximum number of distributions that are read in one environment.
const maxDistributions = 3000

// distributionOf finds the distribution that a console script in the folder bin of a virtual
// environment belongs to.
func distributionOf(script string) (site, dist string) {
	resolved, err := filepath.EvalSymlinks(script)
	if err != nil {
		return "", ""
	}
	name := strings.TrimSuffix(filepath.Base(resolved), ".exe")
	for _, site := range sitesOf(filepath.Dir(filepath.Dir(resolved))) {
		for _, dist := range distributions(site) {
			if declares(filepath.Join(site, dist, "entry_points.txt"), name) {
				return site, dist
			}
		}
	}
	return "", ""
}

func distributions(site string) (dists []string) {
	f, err := os.Open(site)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(4 * maxDistributions)
	for _, name := range names {
		if strings.HasSuffix(name, ".dist-info") && len(dists) < maxDistributions {
			dists = append(dists, name)
		}
	}
	slices.Sort(dists)
	return dists
}

// declares reports whether a file entry_points.txt declares a console script.
func declares(file, script string) bool {
	f, _, err := openRegular(file)
	if err != nil {
		return false
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return false
	}
	section := ""
	for line := range bytes.Lines(raw) {
		text := string(bytes.TrimSpace(line))
		if strings.HasPrefix(text, "[") {
			section = text
		}
		name, _, found := strings.Cut(text, "=")
		if found && section == "[console_scripts]" && strings.TrimSpace(name) == script {
			return true
		}
	}
	return false
}

// fetchedByUV hashes the distribution that uvx starts: from the environments in uv's cache, or from
// that of an installed tool. It is not known which of several environments uvx uses, so all of them
// must have the same content.
func (l *look) fetchedByUV(c Command, p fetched, out *Print) error {
	cache := c.variable("UV_CACHE_DIR")
	tools := c.variable("UV_TOOL_DIR")
	home := c.variable("HOME")
	if cache == "" {
		cache = filepath.Join(home, ".cache", "uv")
		if xdg := c.variable("XDG_CACHE_HOME"); xdg != "" {
			cache = filepath.Join(xdg, "uv")
		}
	}
	if tools == "" {
		tools = filepath.Join(home, ".local", "share", "uv", "tools")
		if xdg := c.variable("XDG_DATA_HOME"); xdg != "" {
			tools = filepath.Join(xdg, "uv", "tools")
		}
	}
	envs := []string{filepath.Join(tools, normal(p.name))}
	for _, depth := range []string{"*", filepath.Join("*", "*")} {
		found, _ := filepath.Glob(filepath.Join(literal(c.place(cache)), "environments-v*", depth))
		envs = append(envs, found...)
	}
	if len(envs) > maxDistributions {
		return errTooMuch("environments", maxDistributions)
	}
	found := map[string]Print{}
	for _, env := range envs {
		for _, site := range siteFolders(env) {
			dist := distributionNamed(site, p)
			if dist == "" {
				continue
			}
			one := *out
			if err := l.distribution(site, dist, &one); err != nil {
				return err
			}
			found[one.SHA256] = one
		}
	}
	switch len(found) {
	case 0:
		return errors.New("it was not found in the folders of uv: " + cache + " and " + tools)
	case 1:
		for _, one := range found {
			*out = one
		}
		return nil
	}
	return fmt.Errorf("%d environments of uv hold it with different content; `uv cache prune` leaves those in use", len(found))
}

// normal returns the normalized name of a distribution, as Python's tools compare names.
func normal(name string) string {
	return strings.ToLower(separators().ReplaceAllString(name, "-"))
}

var separators = lazyregexp.New(`[-_.]+`)

// distributionNamed finds a distribution in a folder of installed modules.
func distributionNamed(site string, p fetched) string {
	for _, dist := range distributions(site) {
		name, version, _ := strings.Cut(strings.TrimSuffix(dist, ".dist-info"), "-")
		if normal(name) == normal(p.name) && (p.version == "" || p.version == version) {
			return dist
		}
	}
	return ""
}

// distribution hashes the files that the RECORD of an installed distribution lists. It omits files that differ between
// installations: compiled modules, scripts, and the installer's records.
func (l *look) distribution(site, dist string, out *Print) error {
	root, err := os.OpenRoot(site)
	if err != nil {
		return err
	}
	defer root.Close()
	raw, err := l.manifest(root, path.Join(dist, "RECORD"))
	if err != nil {
		return err
	}
	if l.editable(root, dist) {
		return errors.New("it is installed in the editable mode: its code lies elsewhere")
	}
	records := csv.NewReader(bytes.NewReader(raw))
	records.FieldsPerRecord = -1
	rows, err := records.ReadAll()
	if err != nil {
		return fmt.Errorf("its RECORD cannot be read: %w", err)
	}
	if l.files += len(rows); l.files > l.reader.Limits.Files {
		return errTooMuch("files", l.reader.Limits.Files)
	}
	var lines []string
	for _, row := range rows {
		file := path.Clean(strings.ReplaceAll(row[0], `\`, "/"))
		if made(file, dist) {
			continue
		}
		sum, err := l.within(root, file)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("file %q %s\n", file, sum))
	}
	if len(lines) == 0 {
		return errors.New("its RECORD lists no files")
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	name, version, _ := strings.Cut(strings.TrimSuffix(dist, ".dist-info"), "-")
	out.Source = Python
	out.Name, out.Version = normal(name), version
	out.SHA256 = hex.EncodeToString(sum[:])
	return nil
}

// editable reports whether a distribution only refers to a folder with its code.
func (l *look) editable(root *os.Root, dist string) bool {
	raw, err := l.manifest(root, path.Join(dist, "direct_url.json"))
	var origin struct {
		Folder struct {
			Editable bool `json:"editable"`
		} `json:"dir_info"`
	}
	return err == nil && json.Unmarshal(raw, &origin) == nil && origin.Folder.Editable
}

// made reports whether the installation generated a file of a distribution.
func made(file, dist string) bool {
	if strings.HasPrefix(file, "../") || path.IsAbs(file) || strings.HasSuffix(file, ".pyc") {
		return true
	}
	name, inside := strings.CutPrefix(file, dist+"/")
	return inside && name != "METADATA" && name != "entry_points.txt"
}
