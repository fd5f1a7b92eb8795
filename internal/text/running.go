package text

import (
	"iter"
	"slices"
	"strings"
)

// Running returns the document as continuous texts. The first contains all strings in order, unescaped. JSON inside a
// string appears there in escaped form, and again as a text of its own if it contains escapes. So what an agent copies
// from a result is a part of one of these texts.
func (d *Document) Running() []*View {
	if !slices.ContainsFunc(d.Parts, func(p Part) bool { return p.host >= 0 }) { // the usual case
		return d.flat()
	}
	children := make(map[int32][]int)
	for i, p := range d.Parts {
		children[p.host] = append(children[p.host], i)
	}
	var out []*View
	for host := int32(-1); host < int32(len(d.Parts)); host++ {
		switch parts := children[host]; {
		case len(parts) == 0:
		case host < 0:
			out = append(out, running(d, d.raw, parts))
		case d.Parts[host].opened && strings.IndexByte(d.Parts[host].Text, '\\') >= 0:
			out = append(out, running(d, d.Parts[host].Text, parts))
		}
	}
	return out
}

// flat returns Running if no string contains JSON.
func (d *Document) flat() []*View {
	if len(d.Parts) == 0 {
		return nil
	}
	parts := make([]int, len(d.Parts))
	for i := range parts {
		parts[i] = i
	}
	return []*View{running(d, d.raw, parts)}
}

// running returns the text of raw with the given parts of d, which are in raw, unescaped.
func running[T string | []byte](d *Document, raw T, parts []int) *View {
	v := &View{Part: parts[0], seam: make([]Span, 0, len(parts)), marks: make([]mark, 0, len(parts))}
	var b strings.Builder
	b.Grow(len(raw))
	at := int32(0)
	for _, i := range parts {
		p := &d.Parts[i]
		if p.start < at { // created from an array whose items were read
			continue
		}
		b.WriteString(string(raw[at:p.start]))
		v.marks = append(v.marks, mark{at: b.Len()})
		v.seam = append(v.seam, Span{i, 0, len(p.Text)})
		b.WriteString(p.Text)
		at = p.end
	}
	b.WriteString(string(raw[at:]))
	v.Text = b.String()
	return v
}

// Within yields the parts in the text of v, a view from [Document.Running], each with its position. It skips parts
// that are escaped twice there.
func (d *Document) Within(v *View) iter.Seq2[int, int] {
	return func(yield func(part, at int) bool) {
		begins := map[int32]int{}
		for i, s := range v.seam {
			begins[int32(s.Part)] = v.marks[i].at
			if !yield(s.Part, v.marks[i].at) {
				return
			}
		}
		for i, p := range d.Parts {
			at, ok := begins[p.host]
			if !ok {
				continue
			}
			inner := d.Parts[p.host].Text[p.start:p.end]
			if quote := strings.Index(inner, p.Text); quote >= 0 && !yield(i, at+int(p.start)+quote) {
				return
			}
		}
	}
}

// Column is a group of values with the same path, apart from array indexes: the items of a list, or the members with
// one name in the items of a list.
type Column struct {
	Path  string // such as "items[].text"
	Parts []int  // in reading order
}

// Columns groups the values of the document by path. Strings that are completely JSON are read through their own
// parts. Names form columns of their own, with a path that ends in "{}".
func (d *Document) Columns() []Column {
	groups := make([]int32, len(d.nodes)) // for each node, plus one
	known := map[node]int32{}
	paths := []string{""}
	for n := 1; n < len(d.nodes); n++ {
		step := d.nodes[n]
		k := node{parent: groups[step.parent], index: min(step.index, 0), name: step.name}
		g, ok := known[k]
		if !ok {
			g = int32(len(paths))
			known[k] = g
			paths = append(paths, shortened(paths[k.parent]+columnStep(step), maxPath))
		}
		groups[n] = g
	}
	var out []Column
	place := map[string]int{}
	for i, p := range d.Parts {
		if p.opened {
			continue
		}
		path := paths[groups[p.node]]
		if p.Kind == Key {
			path += "{}"
		}
		at, ok := place[path]
		if !ok {
			at = len(out)
			place[path] = at
			out = append(out, Column{Path: path})
		}
		out[at].Parts = append(out[at].Parts, i)
	}
	return out
}

func columnStep(n node) string {
	if n.index >= 0 {
		return "[]"
	}
	return "." + shortened(n.name, maxPathName)
}
