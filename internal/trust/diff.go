package trust

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Difference is one difference between two forms of a definition. Its texts are safe to print:
// hidden characters are made visible, and long texts are cut.
type Difference struct {
	Path   string `json:"path"`   // such as inputSchema.properties.path.description
	Part   string `json:"part"`   // member of the definition: description, inputSchema, …
	Change string `json:"change"` // added, removed or changed
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

const (
	maxDifferences = 100 // differences listed for one definition
	maxShown       = 400 // characters of one text
	leadIn         = 60  // characters shown before the first difference
	maxPath        = 500 // bytes after which a path is cut
)

// Diff lists the differences between two forms in the order of their paths. The list is empty
// exactly if both have the same combined hash: white space and the order of members do not matter.
// An error means that one of them is not a readable definition.
func Diff(before, after json.RawMessage) ([]Difference, error) {
	a, err := tree(before)
	if err != nil {
		return nil, fmt.Errorf("the form before: %w", err)
	}
	b, err := tree(after)
	if err != nil {
		return nil, fmt.Errorf("the form after: %w", err)
	}
	var d differ
	d.objects("", a, b)
	if more := d.found - len(d.out); more > 0 {
		d.out = append(d.out, Difference{Path: fmt.Sprintf("… and %d more", more), Change: "changed"})
	}
	return d.out, nil
}

type differ struct {
	part  string
	found int
	out   []Difference
}

func (d *differ) objects(path string, a, b map[string]any) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := step(path, name)
		if path == "" {
			d.part = Visible(shorten(name, 0))
		}
		before, had := a[name]
		after, has := b[name]
		d.values(at, before, after, had, has)
	}
}

func (d *differ) values(path string, a, b any, had, has bool) {
	if had && has {
		if x, ok := a.(map[string]any); ok {
			if y, ok := b.(map[string]any); ok {
				d.objects(path, x, y)
				return
			}
		}
		if x, ok := a.([]any); ok {
			if y, ok := b.([]any); ok {
				d.lists(path, x, y)
				return
			}
		}
		if same(a, b) {
			return
		}
	}
	d.found++
	if len(d.out) == maxDifferences {
		return
	}
	before, after := text(a), text(b)
	change := Difference{Path: path, Part: d.part, Change: "changed"}
	switch {
	case !had:
		change.Change, change.After = "added", Visible(shorten(after, 0))
	case !has:
		change.Change, change.Before = "removed", Visible(shorten(before, 0))
	default:
		at := common(before, after)
		change.Before, change.After = Visible(shorten(before, at)), Visible(shorten(after, at))
	}
	d.out = append(d.out, change)
}

func (d *differ) lists(path string, a, b []any) {
	for i := range max(len(a), len(b)) {
		var before, after any
		if i < len(a) {
			before = a[i]
		}
		if i < len(b) {
			after = b[i]
		}
		at := path
		if len(path) <= maxPath {
			at += "[" + strconv.Itoa(i) + "]"
		}
		d.values(at, before, after, i < len(a), i < len(b))
	}
}

// step returns the path of a member. It quotes a name that is not a plain word.
func step(path, name string) string {
	if len(path) > maxPath {
		return path
	}
	for _, r := range name {
		if r != '_' && r != '-' && r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return path + "[" + strconv.Quote(Visible(shorten(name, 0))) + "]"
		}
	}
	if path == "" {
		return name
	}
	return path + "." + shorten(name, 0)
}

// text returns a value for people: a string without its quotes.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	out, err := encoded(v)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return out
}

// same reports whether two values have the same canonical JSON. Values that cannot be
// encoded differ from all others.
func same(a, b any) bool {
	x, errX := encoded(a)
	y, errY := encoded(b)
	return errX == nil && errY == nil && x == y
}

// common returns the length of the common prefix of a and b, in bytes.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// shorten shows a text around the byte at.
func shorten(s string, at int) string {
	start := 0
	if utf8.RuneCountInString(s) > maxShown {
		start = max(0, at-leadIn)
	}
	for start > 0 && !utf8.RuneStart(s[start]) {
		start--
	}
	out, n := s[start:], 0
	for i := range out {
		if n == maxShown {
			out = out[:i] + fmt.Sprintf("… (%d more bytes)", len(out)-i)
			break
		}
		n++
	}
	if start > 0 {
		out = "…" + out
	}
	return out
}
