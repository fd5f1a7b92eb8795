package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The model is trained with corpora that are not available everywhere. What can be checked everywhere is that the
// project's own data still give the same model.
func TestTheProjectsOwnDataGiveTheModelWithTheStoredChecksum(t *testing.T) {
	const root = "../../../.."
	own, err := ownExamples(root)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(root, sumFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := sumOf(own); got != string(want) {
		t.Errorf("the sum is %s, and %s is kept: what sentences are read by, or the data, have changed. "+
			"Run go generate in internal/scan/learned, and measure", strings.TrimSpace(got), strings.TrimSpace(string(want)))
	}
}

func TestOnlyRowsWithAPermissiveLicenceAreUsedForTraining(t *testing.T) {
	for license, want := range map[string]bool{
		"MIT":                               true,
		"Apache-2.0":                        true,
		"MIT(upstream)":                     true,
		"ISC":                               true,
		"":                                  false,
		"AGPL-like (see repo)":              false,
		"GPL-3.0":                           false,
		"no LICENSE (fork of a repository)": false,
		"SEE LICENSE IN LICENSE":            false,
		"MIT WITH Commons-Clause":           false,
		"Apache-2.0 per README? no LICENSE at root":                     false,
		"MIT (registry repo; tool text belongs to each server project)": false,
	} {
		if got := permissive(license); got != want {
			t.Errorf("%q: %v", license, got)
		}
	}
}

func TestPatternsAreFilledDeterministically(t *testing.T) {
	const patterns = "work: Adds.\nwhat: this; that\n- Send {what} and {what}.\n+ Says hello.\n"
	first, second := made(patterns), made(patterns)
	if len(first) != perPattern+1 {
		t.Fatalf("%d definitions", len(first))
	}
	kinds := map[string]bool{}
	for i, r := range first {
		said := r.Description + string(r.InputSchema)
		if said != second[i].Description+string(second[i].InputSchema) {
			t.Errorf("%q once, %q the other time", said, second[i].Description)
		}
		if strings.Contains(said, "{what}") {
			t.Errorf("a slot is left in %q", said)
		}
		kinds[said] = true
	}
	if len(kinds) < 4 || first[0].Label != "malicious" || first[perPattern].Label != "benign" {
		t.Errorf("%d kinds, labels %s and %s", len(kinds), first[0].Label, first[perPattern].Label)
	}
}

func TestTrainingUsesTheWorstSentenceOfAHostileDefinition(t *testing.T) {
	honest, hostile := sentence{buckets: []uint32{1}, says: []float32{1}}, sentence{buckets: []uint32{2}, says: []float32{1}}
	var all []example
	for range 20 {
		all = append(all, example{sentences: []sentence{honest}}, example{bad: true, sentences: []sentence{honest, hostile}})
	}
	m := train(all)
	if m.Weights[1] >= 0 || m.Weights[2] <= 0 {
		t.Errorf("what all have weighs %v, what only the hostile ones have %v", m.Weights[1], m.Weights[2])
	}
}
