package text

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

const (
	maxPiece  = 300 // bytes of a part on each side of a seam
	minPhrase = 3   // minimum number of spaces in a part of prose
)

// Neighbours groups adjacent parts: the values of one object, the items of one array, and the texts in an array of
// objects, such as a result's content. Each group has at least two parts, in reading order.
func (d *Document) Neighbours() [][]int {
	if d.neighbours != nil || len(d.Parts) < 2 {
		return d.neighbours
	}
	var room [64]int32 // enough for most documents
	all := append(room[:0], make([]int32, len(d.nodes)+len(d.Parts))...)
	below := all[:len(d.nodes)] // the last part below each node, plus one
	after := all[len(d.nodes):] // the part after each part, plus one
	var first []int32
	var across map[acrossKey][]int // nil if no name is one for pieces
	for i, p := range d.Parts {
		n := d.nodes[p.node]
		if p.Kind == Key || p.opened || n.parent < 0 {
			continue
		}
		if last := below[n.parent]; last > 0 {
			after[last-1] = int32(i) + 1
		} else {
			first = append(first, int32(i))
		}
		below[n.parent] = int32(i) + 1
		if item := d.nodes[n.parent]; n.index < 0 && item.index >= 0 && isChunk(n.name) {
			k := acrossKey{item.parent, n.name}
			if across == nil {
				across = map[acrossKey][]int{}
			}
			across[k] = append(across[k], i)
		}
	}
	out := [][]int{}
	for _, at := range first {
		if after[at] == 0 {
			continue
		}
		group := []int{int(at)}
		for next := after[at]; next > 0; next = after[next-1] {
			group = append(group, int(next-1))
		}
		out = append(out, group)
	}
	if len(across) > 0 {
		out = appendAcross(out, across)
	}
	d.neighbours = out
	return out
}

// appendAcross adds the groups of texts in arrays of objects.
func appendAcross(out [][]int, across map[acrossKey][]int) [][]int {
	for _, k := range slices.SortedFunc(maps.Keys(across), acrossKey.compare) {
		if len(across[k]) > 1 {
			out = append(out, across[k])
		}
	}
	return out
}

// acrossKey identifies the members with one name in the objects of one array.
type acrossKey struct {
	array int32
	name  string
}

func (k acrossKey) compare(l acrossKey) int {
	return cmp.Or(cmp.Compare(k.array, l.array), strings.Compare(k.name, l.name))
}

// isChunk reports whether a member with that name may contain a piece of a longer text.
func isChunk(name string) bool {
	switch name {
	case "text", "content", "data", "value", "chunk", "part", "body", "message", "line", "delta":
		return true
	}
	return false
}

// seams returns views of prose that continues from one part into its neighbour.
func (d *Document) seams() []*View {
	var out []*View
	for _, group := range d.Neighbours() {
		first, second := d.nodes[d.Parts[group[0]].node], d.nodes[d.Parts[group[1]].node]
		if first.index < 0 && first.parent == second.parent {
			continue // members of one object are separate texts
		}
		for n := 1; n < len(group); n++ {
			left, right := d.Parts[group[n-1]], d.Parts[group[n]]
			if strings.Count(left.Text, " ") < minPhrase && strings.Count(right.Text, " ") < minPhrase {
				continue
			}
			from := cutAt(left.Text, max(len(left.Text)-maxPiece, 0))
			to := cutAt(right.Text, min(len(right.Text), maxPiece))
			out = append(out, d.Seam([]Span{{group[n-1], from, len(left.Text)}, {group[n], 0, to}}))
		}
	}
	return out
}

// encoded returns views that join adjacent parts which consist of characters of an encoding, because an encoded text
// may be split anywhere.
func (d *Document) encoded() []*View {
	var out []*View
	for _, group := range d.Neighbours() {
		var run []Span
		size := 0
		flush := func() {
			if len(run) > 1 && size >= minRun {
				out = append(out, d.Seam(run))
			}
			run, size = nil, 0
		}
		for _, i := range group {
			p := d.Parts[i]
			switch {
			case p.Kind == Number || p.Text == "":
			case !onlyBase64(strings.TrimRight(p.Text, "=")):
				flush()
			default:
				run, size = append(run, Span{i, 0, len(p.Text)}), size+len(p.Text)
			}
		}
		flush()
	}
	return out
}

// cutAt returns the start of the character that contains byte at of s.
func cutAt(s string, at int) int {
	for at > 0 && at < len(s) && s[at]&0xC0 == 0x80 {
		at--
	}
	return at
}

// Seam returns a view that joins pieces of several parts.
func (d *Document) Seam(pieces []Span) *View {
	v := &View{Part: pieces[0].Part, How: "split", seam: pieces}
	var b strings.Builder
	for _, p := range pieces {
		v.marks = append(v.marks, mark{at: b.Len()})
		b.WriteString(d.Parts[p.Part].Text[p.Start:p.End])
	}
	v.Text = b.String()
	return v
}
