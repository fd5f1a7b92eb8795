package text

import (
	"slices"
	"strconv"
	"strings"
)

// Edit replaces a stretch of a part's text.
type Edit struct {
	Span
	With string
}

// Rewrite returns the JSON value with stretches of its strings, names and numbers replaced. A changed number becomes
// a string; everything else keeps its bytes. If edits overlap, the first replaces the whole stretch. In strings that
// contain JSON, the inner values are edited.
func (d *Document) Rewrite(edits []Edit) []byte {
	byPart := map[int][]Edit{}
	for _, e := range edits {
		byPart[e.Part] = append(byPart[e.Part], e)
	}
	names := d.newNames(byPart)
	var outside []Edit // in the raw value
	for i := len(d.Parts) - 1; i >= 0; i-- {
		mine := byPart[i]
		if len(mine) == 0 {
			continue
		}
		p := d.Parts[i]
		after := apply(p.Text, mine)
		if p.Kind == Key {
			after = names.unique(d.nodes[p.node].parent, after)
		}
		changed := Edit{Span{int(p.host), int(p.start), int(p.end)}, string(Quote(after))}
		if p.host < 0 {
			outside = append(outside, changed)
		} else {
			byPart[int(p.host)] = append(byPart[int(p.host)], changed)
		}
	}
	if len(outside) == 0 {
		return d.raw
	}
	return []byte(apply(string(d.raw), outside))
}

// Holds reports whether raw is the JSON value that d was read from, in the same memory.
func (d *Document) Holds(raw []byte) bool {
	return d != nil && len(raw) > 0 && len(raw) == len(d.raw) && &raw[0] == &d.raw[0]
}

// memberNames tracks the names in objects whose names are edited, so that the names in an object stay different from
// each other.
type memberNames map[int32]*taken

// taken counts how often each name of one object was used.
type taken map[string]int

func (d *Document) newNames(byPart map[int][]Edit) memberNames {
	m := memberNames{}
	for i := range byPart {
		if p := d.Parts[i]; p.Kind == Key {
			m[d.nodes[p.node].parent] = &taken{}
		}
	}
	if len(m) == 0 {
		return m
	}
	for i, p := range d.Parts {
		if names := m[d.nodes[p.node].parent]; p.Kind == Key && names != nil && len(byPart[i]) == 0 {
			(*names)[p.Text] = 1
		}
	}
	return m
}

// unique returns name, or a variant that the object does not have yet.
func (m memberNames) unique(object int32, name string) string {
	names, free := *m[object], name
	for n := names[name]; names[free] > 0; {
		n++
		free = name + " (" + strconv.Itoa(n) + ")"
		names[name] = n
	}
	names[free]++
	return free
}

// apply applies the edits to one text.
func apply(s string, edits []Edit) string {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for n := 0; n < len(edits); {
		e := edits[n]
		for n++; n < len(edits) && edits[n].Start < e.End; n++ {
			e.End = max(e.End, edits[n].End)
		}
		b.WriteString(s[at:e.Start] + e.With)
		at = e.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// Host returns the position of a span in the text of the part that contains the span's part. ok is false if no part
// contains it.
func (d *Document) Host(span Span) (Span, bool) {
	p := d.Parts[span.Part]
	if p.host < 0 {
		return Span{}, false
	}
	return Span{int(p.host), int(p.start), int(p.end)}, true
}
