package eval

import (
	"path/filepath"
	"strings"
)

// By says what rows and sessions are counted by.
type By string

// What rows and sessions can be counted by. Sources tell best how a rule does on data that
// it was not written from.
const (
	ByLabel  By = ""       // their labels or categories
	BySource By = "source" // where somebody took them from, as their "source" says
	ByFile   By = "file"   // the files that they stand in
	BySuite  By = "suite"  // the suites of recorded sessions
)

// Plural is what groups are called in sentences, such as sources.
func (b By) Plural() string {
	if b == ByLabel {
		return "labels"
	}
	return string(b) + "s"
}

// groups are the names that a row counts under: its own labels, its source or its file.
func (b By) groups(at Place, source string, labels []string) []string {
	switch b {
	case BySource:
		return []string{sourceName(source, at)}
	case ByFile:
		return []string{at.file()}
	}
	return labels
}

// sourceName is a source without the version and the place inside of it, so that all that
// was taken from one repository or package counts together. Rows that name no source are
// counted by the file that they stand in.
func sourceName(source string, at Place) string {
	name, _, _ := strings.Cut(source, " (")
	if i := strings.IndexByte(name, ':'); i > 0 && !strings.HasPrefix(name[i:], "://") {
		name = name[:i]
	}
	// The name of a package may begin with an @ of its own.
	if i := strings.LastIndexByte(name, '@'); i > 0 && name[i-1] != ' ' {
		name = name[:i]
	}
	if name = strings.TrimSpace(name); name == "" {
		return at.file()
	}
	return name
}

// fileEndings are what names of files end in, outermost first.
var fileEndings = []string{zstandard, sessionsSuffix, ".jsonl"}

// file is the name of the file that a row was read from, without folder and endings.
func (p Place) file() string {
	name := filepath.Base(p.File)
	for _, ending := range fileEndings {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
