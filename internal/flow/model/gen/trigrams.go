package main

import (
	"math"

	"mcpproxy/internal/flow/model"
)

// n is the number of symbols.
const n = model.Symbols

const (
	// maxOwner is how many symbols of one owner are counted, so that none
	// outweighs the others.
	maxOwner = 1 << 20
	// foreignCost is the cost of a byte of another script, of which little is
	// read: a character is two or three bytes, and worth four to six bits.
	foreignCost = 2 * model.Unit
	// repeatCost is the most that a byte costs that repeats the two before it.
	repeatCost = 1 * model.Unit
)

// trigrams counts which symbol follows which two.
type trigrams struct {
	counts [n][n][n]float64
	left   int // symbols of the present owner that are still counted
}

func (t *trigrams) learn(skeleton []byte) {
	skeleton = skeleton[:min(len(skeleton), t.left)]
	t.left -= len(skeleton)
	a, b := byte(model.Other), byte(model.Other)
	for _, c := range skeleton {
		s := model.Symbol(c)
		if s != model.Other { // which has a cost of its own
			t.counts[a][b][s]++
		}
		a, b = b, s
	}
}

// costs is the table of costs: of each symbol after each two, in units of
// [model.Unit]. What was seen after both is trusted the more the less varied it
// was, and completed by what follows the nearer one, and that by how frequent
// symbols are at all (I. Witten, T. Bell: The zero-frequency problem, 1991).
func (t *trigrams) costs() []byte {
	var one [n]float64
	var two [n][n]float64
	for a := range n {
		for b := range n {
			for c, count := range t.counts[a][b] {
				two[b][c] += count
				one[c] += count
			}
		}
	}
	var even [n]float64
	for c := range even {
		even[c] = 1.0 / n
	}
	base := smooth(one, even)
	out := make([]byte, 0, n*n*n)
	for a := range n {
		for b := range n {
			for c, p := range smooth(t.counts[a][b], smooth(two[b], base)) {
				out = append(out, cost(a, b, c, p))
			}
		}
	}
	return out
}

// cost is that of c after a and b, where it has the probability p.
func cost(a, b, c int, p float64) byte {
	bits := math.Round(-model.Unit * math.Log2(p))
	switch {
	case c == model.Other:
		return foreignCost
	case a == b && b == c:
		bits = min(bits, repeatCost)
	}
	return byte(max(1, min(bits, math.MaxUint8)))
}

// smooth is the distribution of what was counted, completed by another one.
func smooth(counts, lower [n]float64) (p [n]float64) {
	total, kinds := 0.0, 0.0
	for _, count := range counts {
		total += count
		if count > 0 {
			kinds++
		}
	}
	if total == 0 {
		return lower
	}
	for c := range p {
		more := float64(kinds * lower[c]) // rounded alike on every machine
		p[c] = (counts[c] + more) / (total + kinds)
	}
	return p
}
