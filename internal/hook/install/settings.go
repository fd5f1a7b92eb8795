package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// settings is a file of JSON with comments that is changed without losing any of
// its bytes.
type settings struct {
	path    string
	raw     []byte
	bom     bool
	root    hujson.Value
	object  *hujson.Object
	newline string
	unit    string // one step of indentation
	oneLine bool   // everything stands on one line
}

var byteOrderMark = []byte("\xef\xbb\xbf")

var syntaxError = lazily(`^hujson: line (\d+), column \d+: (.*)$`)

// parseSettings reads a file; an empty one is an empty object.
func parseSettings(path string, raw []byte) (*settings, error) {
	f := &settings{path: path, newline: "\n", unit: "  "}
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
		return nil, fmt.Errorf("%s: an object is wanted; nothing was changed", path)
	}
	f.root, f.object = root, object
	if len(object.Members) > 0 {
		f.oneLine = !bytes.Contains(bytes.TrimSpace(f.raw), []byte("\n"))
		before := string(object.Members[0].Name.BeforeExtra)
		if i := strings.LastIndexByte(before, '\n'); i >= 0 && len(before) > i+1 {
			f.unit = before[i+1:]
		}
	}
	return f, nil
}

// bytes is the file as it is now.
func (f *settings) bytes() []byte {
	out := f.root.Pack()
	if f.bom {
		out = append(slices.Clone(byteOrderMark), out...)
	}
	return out
}

// names are the names of the members of the whole.
func (f *settings) names() []string {
	var names []string
	for _, m := range f.object.Members {
		names = append(names, m.Name.Value.(hujson.Literal).String())
	}
	return names
}

// at is an error at a place in the file.
func (f *settings) at(v hujson.Value, format string, args ...any) error {
	line := 1 + bytes.Count(f.raw[:min(v.StartOffset, len(f.raw))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s; nothing was changed", f.path, line, fmt.Sprintf(format, args...))
}

// index is where a member stands in an object; -1 when it does not.
func (f *settings) index(object *hujson.Object, name string) int {
	return slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
}

// child is the member of an object, which must be of a kind; nil when there is
// none.
func (f *settings) child(object *hujson.Object, name string, kind hujson.Kind) (hujson.ValueTrimmed, error) {
	var found *hujson.Value
	for i := range object.Members {
		m := &object.Members[i]
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, f.at(m.Name, "%q stands here twice", name)
		}
		found = &m.Value
	}
	if found == nil {
		return nil, nil
	}
	if found.Value.Kind() != kind {
		return nil, f.at(*found, "%q should be %s", name, map[hujson.Kind]string{'{': "an object", '[': "a list"}[kind])
	}
	return found.Value, nil
}

// add appends a value to a container at a depth, in the manner of what is there,
// and returns it.
func (f *settings) add(b box, depth int, name string, v any) hujson.ValueTrimmed {
	inner, outer := f.newline+strings.Repeat(f.unit, depth+1), f.newline+strings.Repeat(f.unit, depth)
	n := b.len()
	compact := f.oneLine || n > 0 && !bytes.Contains(*b.after(), []byte("\n")) && !bytes.Contains(*b.before(0), []byte("\n"))
	value, err := hujson.Parse(f.render(v, inner, compact))
	if err != nil {
		panic("install: " + err.Error()) // it was made from a struct of this package
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

// render is v as JSON within an indentation.
func (f *settings) render(v any, inner string, compact bool) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("install: " + err.Error())
	}
	raw := bytes.TrimSpace(out.Bytes())
	if compact {
		return raw
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, strings.TrimLeft(inner, "\r\n"), f.unit); err != nil {
		panic("install: " + err.Error())
	}
	return bytes.ReplaceAll(pretty.Bytes(), []byte("\n"), []byte(f.newline))
}

// remove takes an element out of a container. Comments before it stay.
func (f *settings) remove(b box, i int) {
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

// joined is two pieces between values as one. A comment that needs its line's end
// gets one.
func (f *settings) joined(one, two hujson.Extra) hujson.Extra {
	out := slices.Clone(one)
	end := out[bytes.LastIndexByte(out, '\n')+1:]
	if bytes.Contains(end, []byte("//")) && !bytes.HasPrefix(bytes.TrimLeft(two, " \t\r"), []byte("\n")) {
		out = append(out, f.newline...)
	}
	return append(out, two...)
}

// strip takes our entries out of the events that are wanted, and with them lists
// that had nothing else.
func (f *settings) strip(hooks *hujson.Object, wanted func(event string) bool) error {
	for i := len(hooks.Members) - 1; i >= 0; i-- {
		name := hooks.Members[i].Name.Value.(hujson.Literal).String()
		array, ok := hooks.Members[i].Value.Value.(*hujson.Array)
		if !ok || !wanted(name) {
			continue
		}
		if f.stripList(array) && len(array.Elements) == 0 && !commented(hooks.Members[i]) {
			f.remove(objectBox{hooks}, i)
		}
	}
	return nil
}

// commented reports whether somebody has written something into a member that
// holds nothing else.
func commented(m hujson.ObjectMember) bool {
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

// stripList takes our entries out of an event's list, and with them groups that
// had nothing else.
func (f *settings) stripList(list *hujson.Array) (found bool) {
	for i := len(list.Elements) - 1; i >= 0; i-- {
		e := list.Elements[i]
		if len(ourLines(e)) == 0 {
			continue
		}
		found = true
		group := member(e, "hooks")
		inner, ok := group.(*hujson.Array)
		if !ok {
			f.remove(arrayBox{list}, i)
			continue
		}
		for j := len(inner.Elements) - 1; j >= 0; j-- {
			if line(inner.Elements[j]) != "" {
				f.remove(arrayBox{inner}, j)
			}
		}
		if len(inner.Elements) == 0 {
			f.remove(arrayBox{list}, i)
		}
	}
	return found
}

// ourLines are the command lines of ours in one entry of an event's list.
func ourLines(entry hujson.Value) []string {
	if l := line(entry); l != "" {
		return []string{l}
	}
	group, ok := member(entry, "hooks").(*hujson.Array)
	if !ok {
		return nil
	}
	var lines []string
	for _, e := range group.Elements {
		if l := line(e); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// line is the command line of a hook when it is ours; else "".
func line(hook hujson.Value) string {
	for _, name := range []string{"command", "bash"} {
		if l, ok := member(hook, name).(hujson.Literal); ok && ours(l.String()) {
			return l.String()
		}
	}
	return ""
}

// member is a member of an object; nil when v is none, or has it not.
func member(v hujson.Value, name string) hujson.ValueTrimmed {
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

// minimal is a value without whitespace and comments.
func minimal(v hujson.Value) string {
	v = v.Clone()
	v.Minimize()
	return strings.TrimSpace(v.String())
}

func minimalOf(v any) string {
	raw := (&settings{}).render(v, "", true)
	return string(raw)
}
