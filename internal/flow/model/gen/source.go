package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed sources.tsv
var list string

// A source is a package from which the tables are made.
type source struct {
	registry string // "go" or "npm"
	name     string
	version  string
	owner    string // the author; packages of one owner are not independent
	licence  string // SPDX expression
	hash     string // hash of the module (h1:) or of the tarball (sha512-)
}

// spec returns the name and version in the form that go and npm take.
func (s source) spec() string { return s.name + "@" + s.version }

// parse reads the list of sources. It has one source a line, with columns separated by tabs, and comments after #.
func parse(list string) ([]source, error) {
	var all []source
	for n, line := range strings.Split(list, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 || (f[0] != "go" && f[0] != "npm") {
			return nil, fmt.Errorf(
				"sources.tsv:%d: want go or npm, name, version, owner, licence and hash, separated by tabs",
				n+1,
			)
		}
		all = append(all, source{f[0], f[1], f[2], f[3], f[4], f[5]})
	}
	return all, nil
}
