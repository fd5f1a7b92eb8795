package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/lazyregexp"
)

// File is a file of JSON with comments. Changes keep all its other bytes.
type File struct {
	Object *hujson.Object // the top-level object

	path    string
	raw     []byte
	bom     bool
	root    hujson.Value
	newline string
	unit    string // one step of indentation
	oneLine bool   // everything is on one line
}

var byteOrderMark = []byte("\xef\xbb\xbf")

var syntaxError = lazyregexp.New(`^hujson: line (\d+), column \d+: (.*)$`)

// Parse reads a file; an empty one is an empty object. The error names the line.
func Parse(path string, raw []byte) (*File, error) {
	f := &File{path: path, newline: "\n", unit: "  "}
	f.raw, f.bom = bytes.CutPrefix(raw, byteOrderMark)
	if bytes.Contains(f.raw, []byte("\r\n")) {
		f.newline = "\r\n"
	}
	if len(bytes.TrimSpace(f.raw)) == 0 {
		f.raw = []byte("{}" + f.newline)
	}
	root, err := hujson.Parse(f.raw)
	if err != nil {
		if m := syntaxError().FindStringSubmatch(err.Error()); m != nil {
			return nil, fmt.Errorf("%s:%s: %s; nothing was changed", path, m[1], m[2])
		}
		return nil, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s: the file must be a JSON object; nothing was changed", path)
	}
	f.root, f.Object = root, object
	if len(object.Members) > 0 {
		f.oneLine = !bytes.Contains(bytes.TrimSpace(f.raw), []byte("\n"))
		before := string(object.Members[0].Name.BeforeExtra)
		if i := strings.LastIndexByte(before, '\n'); i >= 0 {
			line := before[i+1:]
			blank := line[:len(line)-len(strings.TrimLeft(line, " \t"))] // a comment may follow
			f.unit = cmp.Or(blank, f.unit)
		}
	}
	return f, nil
}

// Bytes returns the current content of the file.
func (f *File) Bytes() []byte {
	out := f.root.Pack()
	if f.bom {
		out = append(slices.Clone(byteOrderMark), out...)
	}
	return out
}

// Names returns the names of the members of the top-level object.
func (f *File) Names() []string {
	var names []string
	for _, m := range f.Object.Members {
		names = append(names, m.Name.Value.(hujson.Literal).String())
	}
	return names
}

// At returns an error with a position in the file.
func (f *File) At(v hujson.Value, format string, args ...any) error {
	line := 1 + bytes.Count(f.raw[:min(v.StartOffset, len(f.raw))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s; nothing was changed", f.path, line, fmt.Sprintf(format, args...))
}

// Index returns the index of a member in an object; -1 if there is no such member.
func (f *File) Index(object *hujson.Object, name string) int {
	return slices.IndexFunc(
		object.Members,
		func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name },
	)
}

// Child returns a member of an object, or nil if there is none. It fails if the member is not of
// the given kind.
func (f *File) Child(object *hujson.Object, name string, kind hujson.Kind) (hujson.ValueTrimmed, error) {
	var found *hujson.Value
	for i := range object.Members {
		m := &object.Members[i]
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, f.At(m.Name, "%q appears here twice", name)
		}
		found = &m.Value
	}
	if found == nil {
		return nil, nil
	}
	if found.Value.Kind() != kind {
		return nil, f.At(*found, "%q should be %s", name, map[hujson.Kind]string{'{': "an object", '[': "a list"}[kind])
	}
	return found.Value, nil
}

// Add appends a value to an array, or under a name to an object, and returns it. It formats the
// value like the existing elements. Depth is the number of containers around the container.
func (f *File) Add(in hujson.ValueTrimmed, depth int, name string, v any) hujson.ValueTrimmed {
	b := boxOf(in)
	inner, outer := f.newline+strings.Repeat(f.unit, depth+1), f.newline+strings.Repeat(f.unit, depth)
	n := b.len()
	compact := f.oneLine ||
		n > 0 && !bytes.Contains(*b.after(), []byte("\n")) && !bytes.Contains(*b.before(0), []byte("\n"))
	value, err := hujson.Parse(f.render(v, inner, compact))
	if err != nil {
		panic("settings: " + err.Error()) // it was made from a struct of this package, so it is valid
	}
	before := hujson.Extra(strings.TrimRight(string(*b.after()), " \t\r\n") + inner)
	trailing := n > 0 && b.value(n-1).AfterExtra != nil
	if compact {
		before = nil
		if n > 0 && len(bytes.TrimSpace(*b.before(n - 1))) == 0 {
			before = *b.before(n - 1)
		}
		if trailing {
			before, *b.after() = append(slices.Clone(*b.after()), before...), nil
		}
	} else {
		*b.after() = hujson.Extra(outer)
	}
	if trailing {
		value.AfterExtra = hujson.Extra{}
	}
	b.append(name, before, value, compact)
	return b.value(n).Value
}

// render returns v as indented JSON.
func (f *File) render(v any, inner string, compact bool) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("settings: " + err.Error())
	}
	raw := bytes.TrimSpace(out.Bytes())
	if compact {
		return raw
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, strings.TrimLeft(inner, "\r\n"), f.unit); err != nil {
		panic("settings: " + err.Error())
	}
	return bytes.ReplaceAll(pretty.Bytes(), []byte("\n"), []byte(f.newline))
}

// Remove removes an element of an object or array. Comments before it stay.
func (f *File) Remove(in hujson.ValueTrimmed, i int) {
	b := boxOf(in)
	n := b.len()
	comments := hujson.Extra(bytes.TrimRight(*b.before(i), " \t\r\n"))
	trailing := b.value(n-1).AfterExtra != nil
	b.cut(i)
	switch {
	case i < n-1:
		*b.before(i) = f.joined(comments, *b.before(i))
	case n == 1:
		rest := *b.after()
		if len(bytes.TrimSpace(rest)) == 0 {
			rest = nil
		}
		*b.after() = f.joined(comments, rest)
	default:
		last := b.value(n - 2)
		if !trailing {
			comments = f.joined(last.AfterExtra, comments)
			last.AfterExtra = nil
		} else if last.AfterExtra == nil {
			last.AfterExtra = hujson.Extra{}
		}
		*b.after() = f.joined(comments, *b.after())
	}
}

// joined joins two stretches of spaces and comments. It adds a newline after a line comment.
func (f *File) joined(one, two hujson.Extra) hujson.Extra {
	out := slices.Clone(one)
	end := out[bytes.LastIndexByte(out, '\n')+1:]
	if bytes.Contains(end, []byte("//")) && !bytes.HasPrefix(bytes.TrimLeft(two, " \t\r"), []byte("\n")) {
		out = append(out, f.newline...)
	}
	return append(out, two...)
}

// Commented reports whether an empty member contains a comment.
func Commented(m hujson.ObjectMember) bool {
	inner := hujson.Extra(nil)
	switch v := m.Value.Value.(type) {
	case *hujson.Object:
		inner = v.AfterExtra
	case *hujson.Array:
		inner = v.AfterExtra
	}
	for _, extra := range []hujson.Extra{m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra, inner} {
		if bytes.Contains(extra, []byte("/")) {
			return true
		}
	}
	return false
}

// Member returns a member of an object; nil if v is not an object or has no such member.
func Member(v hujson.Value, name string) hujson.ValueTrimmed {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for _, m := range object.Members {
		if m.Name.Value.(hujson.Literal).String() == name {
			return m.Value.Value
		}
	}
	return nil
}

// Minimal returns a value without whitespace and comments.
func Minimal(v hujson.Value) string {
	v = v.Clone()
	v.Minimize()
	return strings.TrimSpace(v.String())
}

// MinimalOf returns v as JSON in the form of Minimal.
func MinimalOf(v any) string {
	raw := (&File{}).render(v, "", true)
	return string(raw)
}
