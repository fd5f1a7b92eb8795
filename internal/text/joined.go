package text

import "sort"

// Joined holds many views in one buffer, so that a scanner can read them in one pass. Views are separated by a line
// with a NUL, which no pattern should match.
type Joined struct {
	Buf   []byte
	views []*View
	start []int // the start of each view in Buf
}

const separator = "\n\x00\n"

// Join returns views in one buffer.
func Join(views []*View) *Joined {
	size := 0
	for _, v := range views {
		size += len(v.Text) + len(separator)
	}
	j := &Joined{Buf: make([]byte, 0, size), views: views, start: make([]int, 0, len(views))}
	for _, v := range views {
		j.start = append(j.start, len(j.Buf))
		j.Buf = append(append(j.Buf, v.Text...), separator...)
	}
	return j
}

// At returns the view at offset off of Buf, and the position in its text. Offsets of a separator count as the end of
// the preceding view.
func (j *Joined) At(off int) (v *View, at int) {
	i := sort.SearchInts(j.start, off+1) - 1
	return j.views[i], min(off-j.start[i], len(j.views[i].Text))
}
