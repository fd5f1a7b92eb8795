package upstream_test

import (
	"testing"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// Measuring ends for any answer, and never counts more binary content than the answer contains.
func FuzzBinaryContent(f *testing.F) {
	for _, seed := range []string{`{"content":[{"type":"image","mimeType":"a/b","data":"AAAA"}]}`, `{"blob":"AAAA","data":1}`,
		`{"contents":[{"blob":"AA","mimeType":{"data":"x"}}]}`, `[[{}],"blob",{"blob":["data"]}]`, `{"data":"x","mimeType":null}`, `"blob"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, result string) {
		if _, err := wire.Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)); err != nil {
			return
		}
		if n := upstream.Binary([]byte(result)); n < 0 || n > len(result) {
			t.Errorf("%d bytes of Base64 in %d", n, len(result))
		}
	})
}
