package main

import (
	"math"

	"mcpproxy/internal/flow/model"
)

// n is the number of symbols.
const n = model.Symbols

const (
	// maxOwner is the number of symbols that are counted of one owner, so that no owner outweighs the others.
	maxOwner = 1 << 20
	// foreignCost is the cost of a byte of another script. A character of such a script has two or three bytes, and
	// four to six bits of information.
	foreignCost = 2 * model.Unit
	// repeatCost is the maximum cost of a byte that continues a repetition.
	repeatCost = 1 * model.Unit
)

// trigrams counts how often each symbol follows each pair of symbols.
type trigrams struct {
	counts [n][n][n]float64
	left   int // symbols of the current owner that are still counted
}

func (t *trigrams) learn(skeleton []byte) {
	skeleton = skeleton[:min(len(skeleton), t.left)]
	t.left -= len(skeleton)
	a, b := byte(model.Other), byte(model.Other)
	for _, c := range skeleton {
		s := model.Symbol(c)
		if s != model.Other { // other symbols have a fixed cost
			t.counts[a][b][s]++
		}
		a, b = b, s
	}
}

// costs returns the table of costs: the cost of each symbol after each pair of symbols, in units of [model.Unit]. The
// counts after a pair are interpolated with the counts after the nearer symbol, and these with the frequencies of the
// symbols. Counts of few different symbols get a higher weight (I. Witten, T. Bell: The zero-frequency problem, 1991).
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

// cost returns the cost of c after a and b. p is the probability of c there.
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

// smooth returns the probabilities that follow from counts, interpolated with lower, the probabilities after a shorter
// context.
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
		more := float64(kinds * lower[c]) // the conversion rounds in the same way on every machine
		p[c] = (counts[c] + more) / (total + kinds)
	}
	return p
}
