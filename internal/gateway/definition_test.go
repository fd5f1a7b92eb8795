package gateway

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefinitionsAreAdvertisedCompact compares the definitions of the tools of /mcp with the bytes that agents get.
func TestDefinitionsAreAdvertisedCompact(t *testing.T) {
	want, err := os.ReadFile("testdata/definitions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	definitions := [][]byte{retrieveDefinition, describeDefinition}
	for _, v := range variants {
		definitions = append(definitions, callDefinitionOf(v))
	}
	for _, d := range definitions {
		if !json.Valid(d) {
			t.Errorf("not JSON: %s", d)
		}
	}
	got := append(bytes.Join(definitions, []byte("\n")), '\n')
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}
