package learned

import (
	_ "embed"
	"encoding/binary"
	"math"
)

// model is the trained model in the form that [Model.Bytes] returns.
//
//go:embed model.bin
var model string

// Minimum scores of a sentence. They were chosen with legitimate tools of servers that were not used for training; see
// docs/measure.md.
const (
	Hint  = 2.0 // the wording is a hint of an attack
	Proof = 1.9 // the wording is proof, if a match of the grammar has the same meaning
	Alone = 3.0 // the wording is proof without a match of the grammar
)

// headBytes is the length of the header before the weights: the value of one step of a weight, and the score of a
// sentence without traits.
const headBytes = 8

// Model is a trained model: a weight for each trait, and the score of a sentence without traits.
type Model struct {
	Weights [Buckets]float32
	Bias    float32
}

// Score returns how much the sentence resembles an attack; 0 means that both are equally likely.
func (m *Model) Score(t *Traits) float32 {
	sum := m.Bias
	t.Each(func(b uint32, say float32) { sum += float32(m.Weights[b] * say) })
	return sum
}

// Bytes returns m with its weights rounded to one byte each.
func (m *Model) Bytes() []byte {
	most := float32(0)
	for _, w := range m.Weights {
		most = max(most, w, -w)
	}
	step := most / math.MaxInt8
	out := make([]byte, headBytes, headBytes+Buckets)
	binary.LittleEndian.PutUint32(out, math.Float32bits(step))
	binary.LittleEndian.PutUint32(out[4:], math.Float32bits(m.Bias))
	for _, w := range m.Weights {
		n := 0.0
		if step > 0 {
			n = math.Round(float64(w / step))
		}
		out = append(out, byte(int8(n)))
	}
	return out
}

// Score returns how much the sentence resembles an attack according to the embedded model; 0 means that both are
// equally likely.
func Score(t *Traits) float32 { return ScoreBy(model, t) }

// ScoreBy is [Score] with another model, made by [Model.Bytes].
func ScoreBy(model string, t *Traits) float32 {
	step, bias := headOf(model)
	total := float32(0)
	for g := range t.of {
		sum := 0
		for _, b := range t.of[g] {
			sum += int(int8(model[headBytes+int(b)]))
		}
		total += float32(float32(sum) * sayOf(Group(g), len(t.of[g])))
	}
	return float32(total*step) + bias
}

// Weight returns the score of t without the bias, according to the embedded model.
func Weight(t *Traits) float32 {
	_, bias := headOf(model)
	return Score(t) - bias
}

// headOf returns the header before the weights of a model.
func headOf(model string) (step, bias float32) {
	head := []byte(model[:headBytes])
	return math.Float32frombits(binary.LittleEndian.Uint32(head)),
		math.Float32frombits(binary.LittleEndian.Uint32(head[4:]))
}

// sayOf returns the factor of each of n traits of a group.
func sayOf(g Group, n int) float32 { return float32(1 / math.Sqrt(float64(n)+damping[g])) }

// ScoreOf returns the score of traits with their factors, as [Traits.Each] reports them, for a model made by
// [Model.Bytes].
func ScoreOf(model string, buckets []uint32, says []float32) float32 {
	step, bias := headOf(model)
	sum := float32(0)
	for i, b := range buckets {
		sum += float32(float32(int8(model[headBytes+int(b)])) * says[i])
	}
	return float32(sum*step) + bias
}
