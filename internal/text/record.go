package text

// Record returns the number of the record that contains p: the innermost enclosing object that is an item of an
// array, or else the whole value. Parts of one record have the same number.
func (d *Document) Record(p Part) int {
	inObject := false
	at := p.node
	for ; at > 0; at = d.nodes[at].parent {
		if d.nodes[at].index >= 0 && inObject {
			break
		}
		inObject = d.nodes[at].index < 0
	}
	return int(at)
}
