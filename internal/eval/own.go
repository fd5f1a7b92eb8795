package eval

import (
	"bytes"
	"embed"
	"path"
	"slices"
)

// own are labelled rows that the program brings along, a folder for each measurement that
// needs no files of the user. Each has two halves: one that rules may be mended by, and one
// that was measured once.
//
//go:embed testdata/contradiction/*.jsonl testdata/classification/*.jsonl
var own embed.FS

// ownKinds are the measurements that bring rows along.
var ownKinds = []string{"contradiction", "classification"}

// BringsRows reports whether a measurement has rows of its own, so that it needs no input.
func BringsRows(verb string) bool { return slices.Contains(ownKinds, verb) }

// ownInput names the program's own rows among the inputs; no file is called that.
const ownInput = "own:"

// withOwn returns the options with the program's own rows instead of a missing input.
func withOwn(o Options, verb string) Options {
	if len(o.Inputs) == 0 {
		o.Inputs = []string{ownInput + verb}
	}
	return o
}

// readOwn hands over the program's own rows of a measurement.
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
