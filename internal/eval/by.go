package eval

import (
	"path/filepath"
	"strings"
)

// By says by which property rows and sessions are grouped.
type By string

// The groupings. Sources show best how a rule does on data for which it was not written.
const (
	ByLabel  By = ""       // labels or categories
	BySource By = "source" // the origin of the data, from "source"
	ByFile   By = "file"   // the file with the row
	BySuite  By = "suite"  // the suites of recorded sessions
)

// Plural returns the name of the groups in sentences, such as sources.
func (b By) Plural() string {
	if b == ByLabel {
		return "labels"
	}
	return string(b) + "s"
}

// groups returns the names of the groups of a row: its own labels, its source or its file.
func (b By) groups(at Place, source string, labels []string) []string {
	switch b {
	case BySource:
		return []string{sourceName(source, at)}
	case ByFile:
		return []string{at.file()}
	}
	return labels
}

// sourceName returns a source without its version and path, so that all data from one repository or package counts
// together. Rows without a source are grouped by file.
func sourceName(source string, at Place) string {
	name, _, _ := strings.Cut(source, " (")
	if i := strings.IndexByte(name, ':'); i > 0 && !strings.HasPrefix(name[i:], "://") {
		name = name[:i]
	}
	// The name of a package may begin with an @.
	if i := strings.LastIndexByte(name, '@'); i > 0 && name[i-1] != ' ' {
		name = name[:i]
	}
	if name = strings.TrimSpace(name); name == "" {
		return at.file()
	}
	return name
}

// fileEndings are the extensions of files, outermost first.
var fileEndings = []string{zstandard, sessionsSuffix, ".jsonl"}

// file returns the name of the file with a row, without folder and extensions.
func (p Place) file() string {
	name := filepath.Base(p.File)
	for _, ending := range fileEndings {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
