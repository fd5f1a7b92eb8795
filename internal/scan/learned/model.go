package learned

import (
	_ "embed"
	"encoding/binary"
	"math"
)

// model is what [Model.Bytes] makes of the trained model.
//
//go:embed model.bin
var model string

// From these scores on the wording of a sentence is a hint, and proof where a phrase of the grammar
// says the same. They were chosen on honest tools of servers that the model was not trained with: on 0.5
// and 0.2 % of them it is above; see docs/measure.md.
const (
	Hint  = 1.7
	Proof = 2.1
)

// headBytes is the length of what stands before the weights: what one step of a weight is
// worth, and what a sentence without traits is worth.
const headBytes = 8

// Model is a model as it is trained: a weight for each trait, and what a sentence without
// traits is worth.
type Model struct {
	Weights [Buckets]float32
	Bias    float32
}

// Score is how much the sentence sounds like an attack; 0 is as likely as not.
func (m *Model) Score(t *Traits) float32 {
	sum := m.Bias
	t.Each(func(b uint16, say float32) { sum += float32(m.Weights[b] * say) })
	return sum
}

// Bytes is m with its weights rounded to one byte each.
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

// Score is how much the sentence sounds like an attack, by the model that the program comes
// with; 0 is as likely as not.
func Score(t *Traits) float32 { return ScoreBy(model, t) }

// ScoreBy is [Score] by another model, which [Model.Bytes] made.
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

// Weight is what t is worth without the bias, by the model that the program comes with.
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

// sayOf is the say of each of n traits of a group.
func sayOf(g Group, n int) float32 { return float32(1 / math.Sqrt(float64(n)+damping[g])) }

// ScoreOf is the score of traits with their says, as [Traits.Each] tells them, by a model that
// [Model.Bytes] made.
func ScoreOf(model string, buckets []uint16, says []float32) float32 {
	step, bias := headOf(model)
	sum := float32(0)
	for i, b := range buckets {
		sum += float32(float32(int8(model[headBytes+int(b)])) * says[i])
	}
	return float32(sum*step) + bias
}
