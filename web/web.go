// Package web holds the page that people look at mcpproxy through: its source in
// src, and its build in dist, which is committed so that the program can be built
// without Node.js. `make page` builds it again; CI compares the two.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the files of the build: index.html and assets.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only if the folder's name is invalid
	}
	return files
}
