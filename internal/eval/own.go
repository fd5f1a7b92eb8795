package eval

import (
	"bytes"
	"embed"
	"path"
	"slices"
)

// own are labelled rows that are embedded in the program: a folder for each measurement that needs no files from the
// user. Each folder has two halves: rows that may be used to improve the rules, and rows that were held out and
// measured once.
//
//go:embed testdata/contradiction/*.jsonl testdata/classification/*.jsonl
var own embed.FS

// ownKinds are the measurements with embedded rows.
var ownKinds = []string{"contradiction", "classification"}

// BringsRows reports whether a measurement has embedded rows, so that it needs no input.
func BringsRows(verb string) bool { return slices.Contains(ownKinds, verb) }

// ownInput stands for the embedded rows among the inputs; no file has that name.
const ownInput = "own:"

// withOwn returns the options with the embedded rows in place of a missing input.
func withOwn(o Options, verb string) Options {
	if len(o.Inputs) == 0 {
		o.Inputs = []string{ownInput + verb}
	}
	return o
}

// readOwn passes the embedded rows of a measurement to take.
func readOwn[T format](verb string, take func(row[T]) bool) (bool, error) {
	folder := path.Join("testdata", verb)
	files, err := own.ReadDir(folder)
	if err != nil {
		return false, err
	}
	for _, file := range files {
		raw, err := own.ReadFile(path.Join(folder, file.Name()))
		if err != nil {
			return false, err
		}
		more, err := readRows(path.Join(verb, file.Name()), bytes.NewReader(raw), take)
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
