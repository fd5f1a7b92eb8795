package page

import (
	"bytes"
	"compress/gzip"
	"testing"
)

// packed returns the size of raw as gzip packs it.
func packed(t *testing.T, raw []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
