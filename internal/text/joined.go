package text

import "sort"

// Joined is many views in one buffer, so that a scanner makes one pass over
// them. Views are separated by a line holding a NUL, which no pattern should
// cross.
type Joined struct {
	Buf   []byte
	views []*View
	start []int // where each view starts in Buf
}

const separator = "\n\x00\n"

// Join lays out views one after another.
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

// At is the view that offset off of Buf lies in, and where in its text. Offsets
// of a separator count as the end of the view before it.
func (j *Joined) At(off int) (v *View, at int) {
	i := sort.SearchInts(j.start, off+1) - 1
	return j.views[i], min(off-j.start[i], len(j.views[i].Text))
}
