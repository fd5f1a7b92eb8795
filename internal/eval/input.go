package eval

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

// Options select what is measured.
type Options struct {
	Inputs   []string              // files, folders (their *.jsonl and *.jsonl.zst files), or "-"
	Stdin    io.Reader             // read for "-"
	Kinds    []string              // only rows of these kinds; empty for all
	Limit    int                   // maximum number of rows; 0 for all
	By       By                    // grouping of rows; sessions have a By of their own
	Weak     bool                  // includes rows marked as weak
	Progress func(done, total int) // called from time to time; may be nil
}

// Place is the position of a row.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// row is one line of a file of the format T.
type row[T any] struct {
	Place
	data T
}

// format is implemented by the types of a file's lines.
type format interface {
	check() error
	kind() string
}

// read returns the rows of all inputs that o selects, in order.
func read[T format](o Options) ([]row[T], error) {
	var rows []row[T]
	kinds := map[string]bool{}
	take := func(r row[T]) bool {
		kinds[r.data.kind()] = true
		if len(o.Kinds) == 0 || slices.Contains(o.Kinds, r.data.kind()) {
			rows = append(rows, r)
		}
		return o.Limit <= 0 || len(rows) < o.Limit
	}
	for _, input := range o.Inputs {
		more, err := readInput(input, o.Stdin, take)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	switch {
	case len(kinds) == 0:
		return nil, errors.New("the input has no rows")
	case len(rows) == 0:
		return nil, fmt.Errorf("the input has no rows of that kind, only of %q", slices.Sorted(maps.Keys(kinds)))
	}
	return rows, nil
}

// readInput reads a file, the files of a folder, or standard input. It reports whether more rows are wanted.
func readInput[T format](input string, stdin io.Reader, take func(row[T]) bool) (bool, error) {
	if input == "-" {
		return readRows("stdin", stdin, take)
	}
	if verb, ok := strings.CutPrefix(input, ownInput); ok && BringsRows(verb) {
		return readOwn(verb, take)
	}
	files := []string{input}
	if info, err := os.Stat(input); err != nil {
		return false, err
	} else if info.IsDir() {
		if files, err = list(input); err != nil {
			return false, err
		}
	}
	for _, name := range files {
		if more, err := readFile(name, take); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// list returns the files of a folder that contain rows, sorted by name.
func list(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(globQuote(folder), "*.jsonl"))
	if err != nil {
		return nil, err
	}
	packed, err := filepath.Glob(filepath.Join(globQuote(folder), "*.jsonl"+zstandard))
	if err != nil {
		return nil, err
	}
	if files = append(files, packed...); len(files) == 0 {
		return nil, fmt.Errorf("the folder %s has no *.jsonl files", folder)
	}
	slices.Sort(files)
	return files, nil
}

// zstandard is the extension of compressed files.
const zstandard = ".zst"

// readFile passes the rows of one file, which may be compressed, to take.
func readFile[T format](name string, take func(row[T]) bool) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if !strings.HasSuffix(name, zstandard) {
		return readRows(name, f, take)
	}
	r, err := zstd.NewReader(f)
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	return readRows(name, r, take)
}

// globQuote escapes a path for use in a pattern.
func globQuote(path string) string {
	var out []rune
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' && filepath.Separator != '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// readRows passes the rows of one file to take until it returns false. Invalid UTF-8 is replaced by U+FFFD: attacks
// contain it, and one of them must not make a whole corpus unreadable.
func readRows[T format](name string, r io.Reader, take func(row[T]) bool) (bool, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return false, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			next := row[T]{Place: Place{name, n}}
			if err := json.Unmarshal(line, &next.data, jsontext.AllowInvalidUTF8(true)); err != nil {
				return false, fmt.Errorf("%s: %w", next.Place, err)
			}
			if err := next.data.check(); err != nil {
				return false, fmt.Errorf("%s: %w", next.Place, err)
			}
			if !take(next) {
				return false, nil
			}
		}
		if err == io.EOF {
			return true, nil
		}
	}
}
