package eval

import (
	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/text"
)

// carried is the minimum number of letters in a row that count as text from an internal result.
const carried = 40

// carrying counts the false alarms whose call contains at least [carried] letters in a row from an internal result.
// Text that an external result contains too does not count. The results of all cases are searched, because a false
// alarm whose text comes from the result of another case is not an error of the matcher.
func carrying(alarms []*flowCase, rows []row[flowCase]) int {
	const inside, outside = 1, 2
	held := map[uint64]uint8{} // the k-grams of the alarms, with where they occurred
	for _, c := range alarms {
		for _, h := range c.grams() {
			held[h] = 0
		}
	}
	for i := range rows {
		for _, o := range rows[i].data.Origins {
			where := uint8(outside)
			if o.Class == "internal" {
				where = inside
			}
			for _, h := range gram.Hashes(nil, text.AppendLetters(nil, o.Text, nil)) {
				if met, ok := held[h]; ok {
					held[h] = met | where
				}
			}
		}
	}
	n := 0
	for _, c := range alarms {
		run := gram.K - 1
		for _, h := range c.grams() {
			if run++; held[h] != inside {
				run = gram.K - 1
			}
			if run == carried {
				n++
				break
			}
		}
	}
	return n
}

// grams returns the k-grams of what a case sends.
func (c *flowCase) grams() []uint64 {
	var letters []byte
	doc, err := text.Parse(c.Call.Args, "")
	if err != nil {
		return nil
	}
	for _, p := range doc.Parts {
		if p.Kind != text.Key {
			letters = text.AppendLetters(letters, p.Text, nil)
		}
	}
	return gram.Hashes(nil, letters)
}
