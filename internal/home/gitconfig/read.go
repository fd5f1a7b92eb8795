package gitconfig

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/atomicfile"
)

// The limits for reading.
const (
	maxBytes    = 256 << 10 // of one file
	maxWait     = time.Second
	maxFiles    = 32 // that the user's settings include
	maxIncluded = 4  // files that include each other
	maxFolders  = 64 // between a folder and the root of its repository
	maxFound    = 64 // remotes, and addresses
)

// Places contains the paths of the user's settings.
type Places struct {
	Home string // the user's home folder
	XDG  string // XDG_CONFIG_HOME; empty means .config in the home folder
}

// Settings are the settings that were read.
type Settings struct {
	Folder  string   // the top folder of the working tree or, without a repository, the folder itself
	File    string   // the file with the repository's settings; empty without a repository
	Remotes []string // the URLs of its remotes
	Emails  []string // the values of user.email
	// Writers is the error if other users of this machine can change the file.
	Writers error
}

// User reads the user's own settings: .gitconfig and git/config, and the files that they include. It also reads
// includes whose condition does not hold. A missing file is not an error.
func User(ctx context.Context, p Places) (Settings, error) {
	all, err := user(ctx, p)
	return Settings{Emails: emails(all)}, err
}

// Folder reads the settings of the repository that contains dir. A folder outside of a repository is not an error.
func Folder(ctx context.Context, dir string, p Places) (Settings, error) {
	top, gitDir, err := find(ctx, dir)
	found := Settings{Folder: top}
	if err != nil || gitDir == "" {
		return found, err
	}
	found.File = filepath.Join(gitDir, "config")
	raw, err := read(ctx, found.File)
	if err != nil {
		return found, err
	}
	own := parse(raw)
	users, err := user(ctx, p) // for its abbreviations of URLs
	found.Remotes = remotes(own, slices.Concat(users, own))
	found.Emails = emails(own)
	found.Writers = atomicfile.CheckWriters(found.File)
	return found, err
}

// user reads the user's settings and the files that they include.
func user(ctx context.Context, p Places) ([]setting, error) {
	if p.Home == "" {
		return nil, nil
	}
	xdg := p.XDG
	if xdg == "" {
		xdg = filepath.Join(p.Home, ".config")
	}
	in := includer{home: p.Home, files: map[string]bool{}}
	for _, file := range []string{filepath.Join(xdg, "git", "config"), filepath.Join(p.Home, ".gitconfig")} {
		in.read(ctx, file, 0)
	}
	return in.found, in.err
}

// includer reads a file and the files that it includes.
type includer struct {
	home  string
	files map[string]bool
	found []setting
	err   error
}

func (in *includer) read(ctx context.Context, file string, depth int) {
	if in.files[file] || len(in.files) >= maxFiles || depth > maxIncluded {
		return
	}
	in.files[file] = true
	raw, err := read(ctx, file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			in.err = errors.Join(in.err, err)
		}
		return
	}
	for _, s := range parse(raw) {
		if len(in.found) < maxSettings {
			in.found = append(in.found, s)
		}
		if s.name != "path" || s.section != "include" && s.section != "includeif" || s.value == "" {
			continue
		}
		path := s.value
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(in.home, rest)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		in.read(ctx, filepath.Clean(path), depth+1)
	}
}

// find returns the top folder of the working tree that contains dir, and the folder with the repository's settings. If
// there is no repository, the second is empty and the first is dir.
func find(ctx context.Context, dir string) (top, gitDir string, err error) {
	if !filepath.IsAbs(dir) {
		return "", "", errors.New("the folder has no absolute path")
	}
	dir = filepath.Clean(dir)
	at := dir
	for range maxFolders {
		entry := filepath.Join(at, ".git")
		info, err := os.Stat(entry)
		switch {
		case err == nil && info.IsDir():
			if _, err := os.Stat(filepath.Join(entry, "HEAD")); err == nil {
				return at, entry, nil
			}
		case err == nil && info.Mode().IsRegular():
			gitDir, err := pointed(ctx, entry)
			return at, gitDir, err
		}
		above := filepath.Dir(at)
		if above == at {
			break
		}
		at = above
	}
	return dir, "", nil
}

// pointed returns the folder with the settings to which a file named .git points. For a worktree it is the folder that
// all worktrees share.
func pointed(ctx context.Context, file string) (string, error) {
	raw, err := read(ctx, file)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(raw), "gitdir:")
	if !ok || strings.ContainsAny(path, "\n\x00") {
		return "", errors.New(file + " does not name a folder of git")
	}
	gitDir := under(filepath.Dir(file), strings.TrimSpace(path))
	common, err := read(ctx, filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	return under(gitDir, strings.TrimSpace(common)), nil
}

// under returns a path relative to a folder, unless the path is absolute.
func under(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

func read(ctx context.Context, file string) (string, error) {
	raw, err := atomicfile.Read(ctx, file, atomicfile.Limits{Bytes: maxBytes, Wait: maxWait})
	return string(raw), err
}

// emails returns the distinct addresses in settings.
func emails(all []setting) []string {
	var out []string
	for _, s := range all {
		if s.section == "user" && s.sub == "" && s.name == "email" && s.value != "" &&
			len(out) < maxFound && !slices.Contains(out, s.value) {
			out = append(out, s.value)
		}
	}
	return out
}

// remotes returns the distinct URLs of the remotes in own, with all abbreviations (insteadOf)
// expanded.
func remotes(own, all []setting) []string {
	var out []string
	for _, s := range own {
		if s.section != "remote" || s.name != "url" && s.name != "pushurl" {
			continue
		}
		if url := written(s.value, all); url != "" && len(out) < maxFound && !slices.Contains(out, url) {
			out = append(out, url)
		}
	}
	return out
}

// written returns a URL with its longest matching abbreviation expanded, as url.BASE.insteadOf defines.
func written(url string, all []setting) string {
	longest, base := "", ""
	for _, s := range all {
		if s.section == "url" && (s.name == "insteadof" || s.name == "pushinsteadof") && s.value != "" &&
			strings.HasPrefix(url, s.value) && len(s.value) > len(longest) {
			longest, base = s.value, s.sub
		}
	}
	return base + url[len(longest):]
}
