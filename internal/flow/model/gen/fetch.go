package main

import (
	"bytes"
	"cmp"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pack is a fetched source.
type pack struct {
	source
	path string // the module's folder, or npm's tarball
}

// batch is the number of packages that one command fetches.
const batch = 50

// fetch downloads every source and returns them ordered by owner and name.
func fetch(sources []source, cache string) ([]pack, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	var modules, tarballs []source
	for _, s := range sources {
		if s.registry == "go" {
			modules = append(modules, s)
		} else if _, err := os.Stat(tarball(cache, s)); err != nil {
			tarballs = append(tarballs, s)
		}
	}
	for some := range slices.Chunk(tarballs, batch) {
		if _, err := command(cache, []string{"npm", "pack", "--silent", "--ignore-scripts"}, some); err != nil {
			return nil, err
		}
	}
	dirs := map[string]string{}
	for some := range slices.Chunk(modules, batch) {
		if err := download(cache, some, dirs); err != nil {
			return nil, err
		}
	}
	return located(sources, cache, dirs)
}

// located returns the fetched sources and checks the hashes of the tarballs.
func located(sources []source, cache string, dirs map[string]string) ([]pack, error) {
	var all []pack
	for _, s := range sources {
		p := pack{s, dirs[s.spec()]}
		if s.registry == "npm" {
			p.path = tarball(cache, s)
			data, err := os.ReadFile(p.path)
			if err != nil {
				return nil, fmt.Errorf("finding the tarball that npm made: %w", err)
			}
			sum := sha512.Sum512(data)
			if err := s.check("sha512-" + base64.StdEncoding.EncodeToString(sum[:])); err != nil {
				return nil, errors.Join(err, os.Remove(p.path))
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b pack) int {
		return cmp.Or(strings.Compare(a.owner, b.owner), strings.Compare(a.registry+a.name, b.registry+b.name))
	})
	return all, nil
}

// check returns an error if the hash of a package is not the listed one.
func (s source) check(hash string) error {
	if hash != s.hash {
		return fmt.Errorf("%s has the hash %s, but sources.tsv lists %s", s.spec(), hash, s.hash)
	}
	return nil
}

// tarball returns the path of the file that npm makes for a package.
func tarball(cache string, s source) string {
	name := strings.ReplaceAll(strings.TrimPrefix(s.name, "@"), "/", "-")
	return filepath.Join(cache, name+"-"+s.version+".tgz")
}

// download makes go fetch modules and records their folders by name and version.
func download(cache string, modules []source, dirs map[string]string) error {
	out, err := command(cache, []string{"go", "mod", "download", "-json"}, modules)
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Version, Dir, Sum string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("reading the output of go: %w", err)
		}
		dirs[m.Path+"@"+m.Version], sums[m.Path+"@"+m.Version] = m.Dir, m.Sum
	}
	for _, s := range modules {
		if err := s.check(sums[s.spec()]); err != nil {
			return err
		}
	}
	return nil
}

// command runs a command on packages, outside any module.
func command(dir string, words []string, packages []source) ([]byte, error) {
	for _, s := range packages {
		words = append(words, s.spec())
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", words[0], words[1], err)
	}
	return out, nil
}
