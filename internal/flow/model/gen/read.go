package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxFile    = 1 << 20  // bytes read of one file
	maxPackage = 12 << 20 // bytes read of one package
	maxLine    = 200      // mean length of lines from which a text counts as generated
)

var (
	// texts matches files that people write.
	texts = regexp.MustCompile(
		`(?i)(?:\.(?:go|[cm]?[jt]sx?|pyi?|md|markdown|rst|txt|json|ya?ml|toml|html?|css|s[ac]ss|less|sh|sql|proto|graphql|java|rb|rs|c|h|cc|cpp|cs|php|swift|kt|vue|svelte)` +
			`|/(?:readme|licen[cs]e|copying|notice|authors|contributing|changelog|makefile|dockerfile)[^/]*)$`,
	)
	// foreign matches generated files, files of other projects, and test data.
	foreign = regexp.MustCompile(
		`(?i)(?:/(?:node_modules|vendor|third_party|testdata|fixtures|_?snapshots_?_?)/|[.-]min\.|-lock\.|\.lock$|/go\.sum$)`,
	)
)

// errEnough stops the reading of a package.
var errEnough = errors.New("enough")

// each calls f with every file of the package that people wrote. The files are in the order of their names or of the
// tarball.
func (p pack) each(f func(name, text string)) error {
	left := maxPackage
	take := func(name string, r io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(r, int64(min(maxFile, left))))
		if err != nil || (p.name != spdx && !written(data)) {
			return err
		}
		if left -= len(data); left <= 0 {
			return errEnough
		}
		f(name, string(data))
		return nil
	}
	walk := p.eachPacked
	if p.registry == "go" {
		walk = p.eachIn
	}
	if err := walk(take); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// written reports whether people probably wrote a text.
func written(data []byte) bool {
	return utf8.Valid(data) && len(data) < maxLine*(bytes.Count(data, []byte{'\n'})+5)
}

// wanted reports whether a file of a package is read.
func wanted(name string) bool {
	name = "/" + name
	return texts.MatchString(name) && !foreign.MatchString(name)
}

// eachIn reads the files of a module's folder.
func (p pack) eachIn(take func(string, io.Reader) error) error {
	return filepath.WalkDir(p.path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(at, p.path))
		if !wanted(name) {
			return nil
		}
		file, err := os.Open(at)
		if err != nil {
			return err
		}
		defer file.Close()
		return take(name, file)
	})
}

// eachPacked reads the files of a tarball.
func (p pack) eachPacked(take func(string, io.Reader) error) error {
	file, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer file.Close()
	zr, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if name := path.Clean(h.Name); h.Typeflag == tar.TypeReg && wanted(name) {
			if err := take(name, tr); err != nil {
				return err
			}
		}
	}
}
