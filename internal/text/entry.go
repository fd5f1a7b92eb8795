package text

import "strings"

// maxEntry is how many parts before and behind a value belong to its entry at most.
const maxEntry = 24

// Entry is the name of the entry whose value the part of this index is: the text of the member
// "name" or "key" beside it, when it is the member "value" itself, as in {"name": "TOKEN", "value": "…"}.
// The name is empty for other parts. Cookie reports whether the entry is a cookie as browsers store it.
func (d *Document) Entry(part int) (name string, cookie bool) {
	p := d.Parts[part]
	n := d.nodes[p.node]
	if p.Kind != Value || n.index >= 0 || !strings.EqualFold(n.name, "value") {
		return "", false
	}
	for i := max(0, part-maxEntry); i < min(len(d.Parts), part+maxEntry); i++ {
		q := d.Parts[i]
		beside := d.nodes[q.node]
		if beside.index >= 0 || beside.parent != n.parent || q.host != p.host {
			continue
		}
		switch strings.ToLower(beside.name) {
		case "name", "key":
			if q.Kind == Value {
				name = q.Text
			}
		case "httponly", "samesite":
			cookie = true
		}
	}
	return name, cookie
}
