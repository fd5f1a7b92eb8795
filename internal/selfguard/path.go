package selfguard

import (
	"path"
	"slices"
	"strings"

	"mcpproxy/internal/classify/shell"
)

// slashed returns a path with forward slashes.
func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// maxPath is the length of the longest path that is checked, in bytes.
const maxPath = 4096

// names returns the clean paths that a file name may refer to in a call made in dir. A relative
// path is compared as the end of a path. A name without a folder is ignored, unless it is the name
// of the hook program, which no other program has.
func (g *Guard) names(name, dir string) []string {
	if name == "" || len(name) > maxPath || strings.ContainsRune(name, '\n') {
		return nil
	}
	name = slashed(strings.TrimPrefix(name, "file://"))
	for _, home := range []string{"~", "$HOME", "${HOME}", "$env:USERPROFILE", "$env:HOME"} {
		rest, ok := strings.CutPrefix(name, home)
		if ok && (rest == "" || strings.HasPrefix(rest, "/")) && g.Home != "" {
			name = slashed(g.Home) + rest
		}
	}
	if rooted(name) {
		return []string{path.Clean(name)}
	}
	var out []string
	if dir != "" && !strings.HasPrefix(name, "$") {
		out = append(out, path.Join(slashed(dir), name))
	}
	name = path.Clean(name)
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	// A bare name could refer to a file in any folder.
	if strings.Contains(name, "/") || strings.HasPrefix(name, hookProgram) {
		out = append(out, name)
	}
	return out
}

// hookProgram is the program that agents run as their hook.
const hookProgram = "mcpproxy-hook"

// rooted reports whether a path is absolute.
func rooted(name string) bool { return path.IsAbs(name) || strings.Contains(name, ":/") }

// path returns the file of the firewall that a name refers to, or "". The call is made in dir and
// uses the file as u says. A relative name counts if it contains at least the file's parent folder.
func (g *Guard) path(name, dir string, u use) string {
	if len(g.Files) == 0 {
		return ""
	}
	for _, n := range g.names(name, dir) {
		if u == changes && !strings.ContainsAny(n, "*?[") { // the common case, which needs no pattern
			for _, i := range g.bases[strings.ToLower(path.Base(n))] {
				if own := g.Files[i].Path; matches(n, slashed(own)) {
					return own
				}
			}
			for _, i := range g.bases[strings.ToLower(path.Base(path.Dir(n)))] {
				if own := g.Files[i]; own.Within && matches(path.Dir(n), slashed(own.Path)) {
					return own.Path
				}
			}
			continue
		}
		for _, own := range g.Files {
			if u == changes && matches(n, slashed(own.Path)) ||
				u == reads && own.Secret && g.read(n, slashed(own.Path)) {
				return own.Path
			}
		}
	}
	return ""
}

// read reports whether reading a file or folder of that name also reads own: the name is own, the
// firewall's folder that contains own, or a folder that contains the user's home folder. A
// configuration file in a project's folder does not keep agents from searching the project.
func (g *Guard) read(name, own string) bool {
	dir := path.Dir(own)
	if matches(name, own) || matches(name, dir) && g.owns(dir) {
		return true
	}
	home := slashed(g.Home)
	return home != "" && path.IsAbs(name) && within(home, name) && within(own, home)
}

// owns reports whether a folder belongs to the firewall.
func (g *Guard) owns(dir string) bool {
	return slices.ContainsFunc(g.bases[strings.ToLower(path.Base(dir))], func(i int) bool {
		return strings.EqualFold(slashed(g.Files[i].Path), dir)
	})
}

// within reports whether a path is a folder or inside it.
func within(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// setting returns the settings file of an agent that a name refers to, or "".
func (g *Guard) setting(name, dir string) string {
	for _, n := range g.names(name, dir) {
		if strings.Contains(n, "**") {
			continue // the pattern covers folders; the settings files with a hook are in Files
		}
		for _, file := range g.Settings {
			whole, end := slashed(file), n
			if !path.IsAbs(whole) {
				elements := strings.Split(n, "/")
				end = strings.Join(elements[max(0, len(elements)-1-strings.Count(whole, "/")):], "/")
			}
			ok, err := path.Match(strings.ToLower(whole), strings.ToLower(end))
			if ok && err == nil || matches(end, whole) {
				return file
			}
		}
	}
	return ""
}

// matches reports whether a clean name is own, or the end of own with at least one folder. An
// element of the name may be a shell pattern. The element "**" matches any number of folders.
func matches(name, own string) bool {
	if base, ok := strings.CutPrefix(name, shell.Found); ok {
		return strings.EqualFold(base, path.Base(own))
	}
	if !rooted(name) {
		n := strings.Count(name, "/") + 1
		elements := strings.Split(own, "/")
		switch {
		case n < 2 && !strings.HasPrefix(name, hookProgram), n >= len(elements) && !strings.Contains(name, "**"):
			return false
		case !strings.Contains(name, "**"):
			own = strings.Join(elements[len(elements)-n:], "/")
		default:
			return false // the start of the pattern is unknown
		}
	}
	if strings.EqualFold(name, own) {
		return true
	}
	return strings.ContainsAny(name, "*?[") && covers(strings.Split(name, "/"), strings.Split(own, "/"))
}

// maxElements is the maximum number of elements in a pattern that is matched.
const maxElements = 64

// covers reports whether a pattern matches a path, element by element.
func covers(pattern, own []string) bool {
	if len(pattern) > maxElements {
		return true // treat such a pattern as a match: no ordinary call has one
	}
	reached := make([]bool, len(own)+1) // prefix lengths of own that the pattern so far can match
	reached[0] = true
	for _, p := range pattern {
		next := make([]bool, len(own)+1)
		for i, ok := range reached {
			if p == "**" {
				next[i] = ok || i > 0 && next[i-1]
			} else if ok && i < len(own) && element(p, own[i]) {
				next[i+1] = true
			}
		}
		reached = next
	}
	return reached[len(own)]
}

// element reports whether one element of a pattern matches a name. As in a shell, * does
// not match a name that begins with a dot.
func element(pattern, name string) bool {
	if strings.EqualFold(pattern, name) {
		return true
	}
	if !strings.ContainsAny(pattern, "*?[") || name != "" && name[0] == '.' && pattern[0] != '.' {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
