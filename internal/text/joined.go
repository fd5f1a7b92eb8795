package text

import "sort"

// Joined is the readable text of a whole document in one buffer, so that a
// scanner makes one pass over it. Readings are separated by a line holding a
// NUL, which no pattern should cross.
type Joined struct {
	Buf   []byte
	parts []int // index into Document.Parts, per reading
	start []int // where the reading starts in Buf
	body  []int // where its text starts, after the name
}

const separator = "\n\x00\n"

// maxField is the longest member name that is put before its value.
const maxField = 64

// Join lays out every view of every string and number of d. A value is preceded
// by the name of the member that holds it, "name: ", since a name can tell what
// its value is.
func (d *Document) Join() *Joined {
	j := &Joined{Buf: make([]byte, 0, 2*d.Bytes+len(separator)*len(d.Parts))}
	for i, p := range d.Parts {
		field := ""
		if p.Kind != Key {
			field = d.Field(p)
		}
		for _, v := range p.Views() {
			j.parts = append(j.parts, i)
			j.start = append(j.start, len(j.Buf))
			if field != "" && len(field) <= maxField {
				j.Buf = append(append(j.Buf, field...), ": "...)
			}
			j.body = append(j.body, len(j.Buf))
			j.Buf = append(append(j.Buf, v.Text...), separator...)
		}
	}
	return j
}

// End is where the reading at offset off ends.
func (j *Joined) End(off int) int {
	i := sort.SearchInts(j.start, off+1)
	if i == len(j.start) {
		return len(j.Buf) - len(separator)
	}
	return j.start[i] - len(separator)
}

// InName reports whether offset off of Buf lies in a name put before a value.
func (j *Joined) InName(off int) bool {
	return off < j.body[sort.SearchInts(j.start, off+1)-1]
}

// At is the index of the part that offset off of Buf belongs to.
func (j *Joined) At(off int) int {
	i := sort.SearchInts(j.start, off+1) - 1
	return j.parts[i]
}
