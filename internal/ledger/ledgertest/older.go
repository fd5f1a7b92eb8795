package ledgertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"mcpproxy/internal/ledger"
)

// UnderDigest converts a sealed record to the form of versions before [ledger.FormKeyed]. The
// records after it must be chained again.
func UnderDigest(t *testing.T, s *ledger.Sealed) {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(s.Body, &body); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"arguments": s.Arguments, "response": s.Response} {
		if raw == nil {
			continue
		}
		sum := sha256.Sum256(bytes.Join([][]byte{s.Salt, []byte(name), raw}, nil))
		body[name+"_digest"] = json.RawMessage(`"` + hex.EncodeToString(sum[:]) + `"`)
	}
	var err error
	if s.Body, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	s.Form = ledger.FormDigest
	s.Follow(s.Prev)
}
