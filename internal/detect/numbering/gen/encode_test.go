package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTheTableIsGeneratedFromTheMetadata(t *testing.T) {
	want, err := build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../plans.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("plans.bin (%d bytes) is not made from this metadata (%d bytes): run make plans", len(got), len(want))
	}
}
