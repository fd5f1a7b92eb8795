package upstream

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxSymlinks limits the symbolic links in one path.
const maxSymlinks = 40

// follow resolves the symbolic links of an absolute path. It returns the path without links, and
// each link by the resolved path of its location. It does not change parts that do not exist.
func follow(path string) (target string, links []string) {
	todo := strings.Split(filepath.Clean(path), "/")
	target = "/"
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			target = filepath.Dir(target)
			continue
		}
		next := filepath.Join(target, part)
		to, err := os.Readlink(next)
		if err != nil || len(links) == maxSymlinks {
			target = next
			continue
		}
		links = append(links, next)
		if filepath.IsAbs(to) {
			target = "/"
		}
		todo = slices.Concat(strings.Split(to, "/"), todo)
	}
	return target, links
}

// plain returns a path without symbolic links.
func plain(path string) string {
	target, _ := follow(path)
	return target
}

// forms returns all paths by which a file can be reached or replaced: the path without links, and
// each link.
func forms(path string) []string {
	target, links := follow(path)
	return append(links, target)
}

// within reports whether path is dir or inside it. Both are absolute and clean.
func within(dir, path string) bool {
	rest, below := strings.CutPrefix(path, dir)
	return below && (rest == "" || rest[0] == '/' || dir == "/")
}

// coveredBy reports whether path is one of dirs or inside one.
func coveredBy(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(dir, path) })
}

// unlinked resolves a path. It refuses a path through a link in a folder that the server can write
// to, because the server may have created the link to gain access at its next start.
func unlinked(key, path string, writable []string) (string, error) {
	target, links := follow(path)
	for _, link := range links {
		for _, dir := range writable {
			if within(dir, link) {
				return "", fmt.Errorf(
					"%s: %s leads to %s through the symbolic link %s, which the server may have created: "+
						"configure the path without the link, or remove the link",
					key,
					path,
					target,
					link,
				)
			}
		}
	}
	return target, nil
}

// pins stores the targets of isolation paths at their first use.
type pins struct {
	mu     sync.Mutex
	target map[string]string
}

// resolve returns unlinked that also refuses a path whose target has changed since its first use,
// because another server may have changed a link.
func (p *pins) resolve(key, path string, writable []string) (string, error) {
	target, err := unlinked(key, path, writable)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target == nil {
		p.target = map[string]string{}
	}
	first, known := p.target[path]
	if !known {
		p.target[path] = target
		return target, nil
	}
	if first != target {
		return "", fmt.Errorf("%s: %s led to %s and now leads to %s: if you changed that, restart mcpproxy",
			key, path, first, target)
	}
	return target, nil
}
