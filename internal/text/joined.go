package text

import "sort"

// Joined is the readable text of a whole document in one buffer, so that a
// scanner makes one pass over it. Readings are separated by a line holding a
// NUL, which no pattern should cross.
type Joined struct {
	Buf   []byte
	parts []int // index into Document.Parts, per reading
	start []int // where the reading starts in Buf
}

const separator = "\n\x00\n"

// Join lays out every view of every string and number of d.
func (d *Document) Join() *Joined {
	j := &Joined{Buf: make([]byte, 0, d.Bytes+len(separator)*len(d.Parts))}
	for i, p := range d.Parts {
		for _, v := range Views(p.Text) {
			j.parts = append(j.parts, i)
			j.start = append(j.start, len(j.Buf))
			j.Buf = append(append(j.Buf, v.Text...), separator...)
		}
	}
	return j
}

// At is the index of the part that offset off of Buf belongs to.
func (j *Joined) At(off int) int {
	i := sort.SearchInts(j.start, off+1) - 1
	return j.parts[i]
}
