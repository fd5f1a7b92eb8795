package ledger_test

import (
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// FuzzASealedRecord opens arbitrary stored bytes. The result is a record or an error, and Examine agrees with it.
func FuzzASealedRecord(f *testing.F) {
	seal := func(arguments string) ledger.Sealed {
		s, err := ledger.Seal("00", &mcpproxy.Record{
			ID:        "01A",
			Type:      mcpproxy.RecordToolCall,
			Timestamp: time.Unix(1, 0).UTC(),
			Arguments: json.RawMessage(arguments),
		})
		if err != nil {
			f.Fatal(err)
		}
		return s
	}
	for _, s := range []ledger.Sealed{seal(""), seal(`{"a":1}`), {Form: ledger.FormWhole, Body: []byte(`{"id":"01A"}`)}} {
		f.Add(int(s.Form), s.Body, s.Salt, s.Arguments, s.Response, s.Proof)
	}
	f.Add(3, []byte("null"), []byte(nil), []byte("{"), []byte(nil), []byte("x"))
	f.Fuzz(func(t *testing.T, form int, body, salt, arguments, response, proof []byte) {
		s := ledger.Sealed{
			Form:      ledger.Form(form),
			Body:      body,
			Salt:      salt,
			Arguments: arguments,
			Response:  response,
			Proof:     proof,
		}
		s.Follow("00")
		r, err := s.Open()
		if err == nil && r == nil {
			t.Error("there is neither a record nor an error")
		}
		if r, problem := s.Examine(1, nil); r == nil && problem == "" {
			t.Error("what cannot be opened holds")
		}
	})
}

// FuzzReadKeys reads arbitrary files of public keys. Anything that is not a key is an error.
func FuzzReadKeys(f *testing.F) {
	dir := f.TempDir()
	signer, err := ledger.OpenSigner(dir)
	if err != nil {
		f.Fatal(err)
	}
	if err := signer.Publish(dir); err != nil {
		f.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, ledger.PublicFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(append(raw, raw...))
	f.Add([]byte("-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := ledger.ReadKeys(path)
		if err == nil && len(keys) == 0 {
			t.Error("a file without keys is taken")
		}
		for _, key := range keys {
			if len(key) != ed25519.PublicKeySize {
				t.Errorf("a key of %d bytes", len(key))
			}
		}
	})
}

// FuzzParseRoll parses arbitrary rolls. Only the key that has signed a roll verifies it.
func FuzzParseRoll(f *testing.F) {
	signer, err := ledger.OpenSigner(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	other := map[string]ledger.Replica{"00": {Key: []byte("short"), Host: "b", Head: ledger.Head{Seq: 3, Hash: "ff"}}}
	raw, err := json.Marshal(signer.SignRoll(ledger.Roll{Replicas: other}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"writer":"x","replicas":{"a":{"key":"AA=="}},"signature":"AA=="}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		roll, err := ledger.ParseRoll(raw)
		if err != nil {
			return
		}
		for id, r := range roll.Replicas {
			if (ledger.Keys{r.Key}).SignedRoll(roll) && ledger.KeyID(r.Key) != id && len(r.Key) != ed25519.PublicKeySize {
				t.Errorf("a key of %d bytes has signed", len(r.Key))
			}
		}
		_ = signer.Keys().SignedRoll(roll) // must not panic
	})
}
