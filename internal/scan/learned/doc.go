// Package learned says how much a sentence of a definition sounds like an attack, by a
// linear model that was trained on labelled sentences.
//
// A sentence is a set of [Traits]: its words and pairs of words, pieces of words, and the
// frames that a reader of clauses found in it. Each trait is a number below [Buckets], by a
// hash; the model has one weight for each number, in one byte. The score is the sum of the
// weights, and nothing else. Equal sentences have equal scores on every machine.
//
// The room's guarantee: it reaches nothing, keeps nothing but the model, which is read where
// it lies in the program, and costs time linear in the number of traits.
//
// The model is made by go generate; see the command train, which says from what.
package learned

//go:generate go run ./train
