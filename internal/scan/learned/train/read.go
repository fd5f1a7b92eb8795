package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/learned"
)

// row is a line of a corpus: a definition, or a text used as its description.
type row struct {
	Server, Name, Title, Description, Text string
	Label, Kind, Source, License           string
	InputSchema, OutputSchema, Annotations json.RawMessage
}

// example is a definition with its label, as traits.
type example struct {
	from      string // the source, which is left out as a whole
	prose     bool   // not a definition; used for training only
	bad       bool
	free      bool // may be used for training
	held      bool // the other checks quarantine it
	noticed   bool // the other checks find something
	sentences []sentence
	view      definition.ToolView
}

// sentence holds the traits of a sentence and their factors.
type sentence struct {
	buckets []uint32
	says    []float32
	proof   float32 // minimum score at which the sentence proves an attack
}

// longestText is the maximum length, in bytes, of a text that is used for training.
const longestText = 3000

// view returns the definition of the row; ok is false if there is none.
func (r *row) view() (v definition.ToolView, ok bool) {
	if r.Text != "" {
		r.Name, r.Description = "tool", r.Text
	}
	if r.Name == "" || r.Kind == "prompt" || r.Kind == "instructions" || len(r.Text) > longestText {
		return v, false
	}
	return definition.ToolView{
		Server:       r.Server,
		Name:         r.Name,
		Title:        r.Title,
		Description:  r.Description,
		InputSchema:  r.InputSchema,
		OutputSchema: r.OutputSchema,
		Annotations:  r.Annotations,
	}, true
}

// judge records what the checks other than the model's find.
func judge(e *example) {
	for _, f := range definition.Scan([]definition.ToolView{e.view}, nil).Findings {
		for _, s := range f.Details {
			if s.CheckID != "wording.learned" {
				e.noticed = true
				e.held = e.held || s.Tier == scan.TierHard
			}
		}
	}
}

// exampleOf returns the row as traits; ok is false if it cannot be used for training.
func exampleOf(r row, from string, free bool) (e example, ok bool) {
	v, ok := r.view()
	if !ok {
		return e, false
	}
	e = example{
		from:  from,
		prose: r.Text != "" && r.Kind != "tool_sentence",
		bad:   r.Label == "malicious" || r.Label == "injection",
		free:  free,
		view:  v,
	}
	defer func() { // a definition that cannot be parsed is not used
		if recover() != nil {
			ok = false
		}
	}()
	definition.EachSentence(&v, func(t *learned.Traits, proof float32) {
		s := sentence{proof: proof}
		t.Each(func(bucket uint32, say float32) {
			s.buckets = append(s.buckets, bucket)
			s.says = append(s.says, say)
		})
		e.sentences = append(e.sentences, s)
	})
	return e, len(e.sentences) > 0
}

// rowsOf reads a file of rows.
func rowsOf(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	var out []row
	for n := 1; lines.Scan(); n++ {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

// ownExamples returns the project's own data: definitions, and sentences made from patterns.
func ownExamples(root string) ([]example, error) {
	corpus := filepath.Join(root, "internal/eval/testdata")
	files, err := filepath.Glob(filepath.Join(corpus, "tools/*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var out []example
	for _, file := range append(files, filepath.Join(corpus, "sentences/read.jsonl")) {
		from := filepath.Base(filepath.Dir(file))
		if out, err = appendRows(out, file, func(*row) (string, bool) { return "own " + from, true }); err != nil {
			return nil, err
		}
	}
	for _, name := range patternFiles {
		text, err := os.ReadFile(filepath.Join(root, "internal/scan/learned/train", name))
		if err != nil {
			return nil, err
		}
		for _, r := range made(string(text)) {
			if e, ok := exampleOf(r, "patterns", true); ok {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// patternFiles are the files of patterns: the first ones, more forms of speech, other aims, and other
// languages.
var patternFiles = []string{"patterns.txt", "forms.txt", "cases.txt", "languages.txt"}

// keptExamples returns the project's own sentences and definitions that are not used for training.
func keptExamples(root string) ([]example, error) {
	var out []example
	var err error
	for _, name := range []string{"kept", "third_read", "third_kept", "fourth_read"} {
		file := filepath.Join(root, "internal/eval/testdata/sentences", name+".jsonl")
		if out, err = appendRows(out, file, func(*row) (string, bool) { return "own sentences, " + name, false }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// others are the files of other people's corpora.
var others = []string{"tools_labeled", "tools_benign", "tools_npm", "tools_awslabs", "tools_enkrypt", "tool_sentences_own",
	"injection_texts"}

// otherExamples returns the data of others.
func otherExamples(folder string) ([]example, error) {
	var out []example
	var err error
	for _, name := range others {
		if out, err = appendRows(out, filepath.Join(folder, name+".jsonl"), func(r *row) (string, bool) {
			from := r.Source
			if strings.HasPrefix(from, "npm ") {
				from = "npm"
			}
			if i := strings.IndexAny(from, "@:["); i > 0 {
				from = from[:i]
			}
			return strings.TrimSpace(from), permissive(r.License)
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendRows adds the rows of a file. about returns the source of each row, and whether it may be used for training.
func appendRows(out []example, file string, about func(*row) (from string, free bool)) ([]example, error) {
	rows, err := rowsOf(file)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		from, free := about(&r)
		if e, ok := exampleOf(r, from, free); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

// permissive reports whether a licence clearly allows the use of a row for training.
func permissive(license string) bool {
	for _, doubt := range []string{"?", "no LICENSE", "see", "SEE", "GPL", "Commons", "belongs"} {
		if strings.Contains(license, doubt) {
			return false
		}
	}
	return strings.Contains(license, "MIT") || strings.Contains(license, "Apache-2.0") || strings.Contains(license, "ISC") ||
		strings.Contains(license, "BSD")
}
