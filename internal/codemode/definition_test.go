package codemode

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefinitionsAreAdvertisedCompact compares the definitions of search and execute with the bytes that agents get.
func TestDefinitionsAreAdvertisedCompact(t *testing.T) {
	want, err := os.ReadFile("testdata/definitions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got := append(bytes.Join([][]byte{searchDefinition, executeDefinition}, []byte("\n")), '\n')
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}
