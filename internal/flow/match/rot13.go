package match

import "mcpproxy/internal/flow/model"

// unlikely is the mean cost, in bits a letter, from which a text is read in rot13
// too: above what people and programs write.
const unlikely = 4

// rotated are the pieces in rot13 that may be one. Text in which most words are
// turned is undone with the other disguises; this finds what hides in few words.
func rotated(pieces []piece, costs []float32) ([]piece, []float32) {
	for _, p := range pieces {
		if p.decoded != "" {
			continue
		}
		costs = model.Cost(p.skeleton, costs[:0])
		sum := float32(0)
		for _, c := range costs {
			sum += c
		}
		if sum < unlikely*float32(len(p.skeleton)) {
			continue
		}
		turned := make([]byte, len(p.skeleton))
		for i, c := range p.skeleton {
			if c >= 'a' && c <= 'z' {
				c = 'a' + (c-'a'+13)%26
			}
			turned[i] = c
		}
		p.skeleton, p.decoded = turned, "rot13"
		pieces = append(pieces, p)
	}
	return pieces, costs
}
