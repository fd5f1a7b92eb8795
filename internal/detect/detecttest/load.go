package detecttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is one text that contains a secret of a rule, or that only looks like it.
type Case struct {
	Family string // the file name without its extension
	Rule   string
	Or     []string // rules that may find the value instead
	Text   string
	Value  string // what must be found; "" if nothing may be found
	// Positive says that the rule must find Value; otherwise it must find nothing.
	Positive bool
	Line     int // line in the family's file
}

// Load reads all families in dir, in the order of their names.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("listing the families: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no *.txt in %s: name the directory with the families", dir)
	}
	var all []Case
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a family: %w", err)
		}
		cases, err := Parse(strings.TrimSuffix(filepath.Base(file), ".txt"), string(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, cases...)
	}
	return all, nil
}

// Parse reads one family.
func Parse(family, content string) ([]Case, error) {
	var cases []Case
	rule, first := "", 0 // the current block and its first case
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
		rest = strings.TrimLeft(rest, " ")
		switch {
		case rest == "":
			rule, first = word, len(cases)
		case rule == "":
			return nil, fmt.Errorf("line %d: write a rule's name above it", i+1)
		case word == "or":
			for j := range cases[first:] {
				cases[first+j].Or = append(cases[first+j].Or, strings.Fields(rest)...)
			}
		case word == "hit" || word == "miss":
			c, err := parseCase(word == "hit", rule+" "+rest, rest)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			c.Family = family
			c.Rule = rule
			c.Line = i + 1
			cases = append(cases, c)
		default:
			return nil, fmt.Errorf("line %d begins with %q: write hit, miss or or", i+1, word)
		}
	}
	return cases, nil
}

// parseCase expands the text of one line.
func parseCase(positive bool, seed, line string) (Case, error) {
	m := newMaker(seed)
	before, rest, marked := strings.Cut(line, "«")
	value, after, closed := strings.Cut(rest, "»")
	switch {
	case marked != closed || strings.ContainsAny(before+value+after, "«»"):
		return Case{}, fmt.Errorf("mark one value, as in «value»")
	case !positive && marked:
		return Case{}, fmt.Errorf("a miss has no value: remove « and »")
	case positive && !marked:
		before, value = "", line
	}
	c := Case{Positive: positive}
	var err error
	expand := func(s string) string {
		out, e := m.expand(s)
		if err == nil {
			err = e
		}
		return out
	}
	head := expand(before)
	c.Value = expand(value)
	c.Text = head + c.Value + expand(after)
	return c, err
}
