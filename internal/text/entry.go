package text

import "strings"

// maxEntry is the maximum number of parts before and after a value that can belong to its entry.
const maxEntry = 24

// Entry returns the name of the entry whose value is the part with this index: the text of the member "name" or "key"
// beside the member "value" or "default", as in {"name": "TOKEN", "value": "…"}. The name is empty for other parts.
// cookie reports whether the entry is a cookie in the form of browsers.
func (d *Document) Entry(part int) (name string, cookie bool) {
	p := d.Parts[part]
	n := d.nodes[p.node]
	if p.Kind != Value || n.index >= 0 || !strings.EqualFold(n.name, "value") && !strings.EqualFold(n.name, "default") {
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
