package main

import (
	"math"

	"mcpproxy/internal/scan/learned"
)

// The parameters of the training. They were chosen by leaving out each source in turn.
const (
	rounds      = 8    // passes over the examples
	hostileSay  = 2    // weight of hostile sentences, which are rare
	rate        = 0.2  // learning rate of the weights
	biasRate    = 0.1  // learning rate of the bias
	decay       = 1e-5 // decay of weights without evidence
	firstSquare = 1e-2 // initial sum of squared gradients
	settled     = 1e-4 // a gradient below this is ignored
)

// trainer trains a model by Adagrad on the logistic loss. Products are rounded before they are added, so that every
// machine computes the same weights.
type trainer struct {
	learned.Model
	squares [learned.Buckets]float32
	square  float32 // of the bias
}

// train trains a model from examples. A hostile definition counts by its sentence with the highest score, because the
// others are harmless. In the first round that sentence is not known, so all of them count a little.
func train(examples []example) *learned.Model {
	t := &trainer{square: firstSquare}
	for i := range t.squares {
		t.squares[i] = firstSquare
	}
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	draw := random(88172645463325252)
	for round := range rounds {
		for i := len(order) - 1; i > 0; i-- {
			j := draw.below(i + 1)
			order[i], order[j] = order[j], order[i]
		}
		for _, i := range order {
			e := &examples[i]
			switch {
			case !e.bad:
				for n := range e.sentences {
					t.step(&e.sentences[n], 0, 1)
				}
			case round == 0:
				for n := range e.sentences {
					t.step(&e.sentences[n], 1, hostileSay/float32(len(e.sentences)))
				}
			default:
				_, worst := t.worst(e)
				t.step(&e.sentences[worst], 1, hostileSay)
			}
		}
	}
	return &t.Model
}

// score returns the model's score of a sentence.
func (t *trainer) score(s *sentence) float32 {
	sum := t.Bias
	for i, b := range s.buckets {
		sum += float32(t.Weights[b] * s.says[i])
	}
	return sum
}

// worst returns the highest score of a sentence, and the sentence's index.
func (t *trainer) worst(e *example) (score float32, at int) {
	score = float32(math.Inf(-1))
	for i := range e.sentences {
		if x := t.score(&e.sentences[i]); x > score {
			score, at = x, i
		}
	}
	return score, at
}

// step adjusts the weights towards the label of the sentence: 1 for hostile, 0 for harmless.
func (t *trainer) step(s *sentence, is, say float32) {
	g := float32((logistic(t.score(s)) - is) * say)
	if g > -settled && g < settled {
		return
	}
	for i, b := range s.buckets {
		slope := float32(g*s.says[i]) + float32(decay*t.Weights[b])
		t.squares[b] += float32(slope * slope)
		t.Weights[b] -= float32(float32(rate*slope) / root(t.squares[b]))
	}
	t.square += float32(g * g)
	t.Bias -= float32(float32(biasRate*g) / root(t.square))
}

// root returns the square root, which is the same on every machine.
func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// logistic returns 1/(1+e^-x). It computes the exponential by squaring, so that it is the same on every machine; the
// standard library's is not.
func logistic(x float32) float32 {
	const halvings = 12
	p := 1 - float64(max(min(x, 30), -30))/(1<<halvings)
	for range halvings {
		p = float64(p * p)
	}
	return float32(1 / (1 + p))
}
