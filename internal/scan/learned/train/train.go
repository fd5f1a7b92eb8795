package main

import (
	"math"

	"mcpproxy/internal/scan/learned"
)

// How a model is trained. They were chosen by measuring with each source left out.
const (
	rounds      = 5    // how often every example is looked at
	hostileSay  = 3    // hostile sentences are rare: each counts as so many
	rate        = 0.3  // of the weights
	biasRate    = 0.1  // of the bias
	decay       = 1e-5 // of weights that nothing speaks for
	firstSquare = 1e-2 // of the gradients, before the first
	settled     = 1e-4 // a gradient that changes nothing
)

// trainer trains a model by Adagrad on the logistic loss. Products are rounded before they are
// added, so that every machine comes to the same weights.
type trainer struct {
	learned.Model
	squares [learned.Buckets]float32
	square  float32 // of the bias
}

// train makes a model of examples. A hostile definition counts by its worst sentence, since the
// others are honest; in the first round nobody knows which that is, and all of them count a little.
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

// score is what the model says of a sentence.
func (t *trainer) score(s *sentence) float32 {
	sum := t.Bias
	for i, b := range s.buckets {
		sum += float32(t.Weights[b] * s.says[i])
	}
	return sum
}

// worst is the score of the worst sentence, and which that is.
func (t *trainer) worst(e *example) (score float32, at int) {
	score = float32(math.Inf(-1))
	for i := range e.sentences {
		if x := t.score(&e.sentences[i]); x > score {
			score, at = x, i
		}
	}
	return score, at
}

// step moves the weights towards what the sentence is: 1 for hostile, 0 for honest.
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

// root is the square root, which is exact everywhere.
func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// logistic is 1/(1+e^-x). The exponential is worked out by squaring, so that it is the same on
// every machine; the one of the standard library is not.
func logistic(x float32) float32 {
	const halvings = 12
	p := 1 - float64(max(min(x, 30), -30))/(1<<halvings)
	for range halvings {
		p = float64(p * p)
	}
	return float32(1 / (1 + p))
}
