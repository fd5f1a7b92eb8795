package ledger_test

import (
	"bytes"
	"testing"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
)

// sealedForms returns a record sealed in every form that has digests. Its only body is arguments.
func sealedForms(t *testing.T, arguments string) map[string]ledger.Sealed {
	t.Helper()
	r := ledgertest.Full()
	r.Arguments, r.Response = []byte(arguments), nil
	s, err := ledger.Seal("", r)
	if err != nil {
		t.Fatal(err)
	}
	if s.Form != ledger.FormKeyed {
		t.Fatalf("a new record has form %d", s.Form)
	}
	older := s
	ledgertest.UnderDigest(t, &older)
	return map[string]ledger.Sealed{"keyed": s, "plain digest": older}
}

// The salt, the name and the body are hashed one after another. Moving a byte from one to the next changes the hash.
func TestBytesThatMoveBetweenSaltAndBodyAreFound(t *testing.T) {
	for name, s := range sealedForms(t, `{"path":"arguments are here, and more arguments"}`) {
		if _, problem := s.Examine(1, nil); problem != "" {
			t.Fatalf("%s: the intact record: %s", name, problem)
		}
		whole := bytes.Join([][]byte{s.Salt, []byte("arguments"), s.Arguments}, nil)
		moved := 0
		for at := range whole {
			if !bytes.HasPrefix(whole[at:], []byte("arguments")) {
				continue
			}
			forged := s
			forged.Salt, forged.Arguments = whole[:at], whole[at+len("arguments"):]
			if bytes.Equal(forged.Salt, s.Salt) {
				continue
			}
			moved++
			if _, problem := forged.Examine(1, nil); problem == "" {
				t.Errorf("%s: the salt %q with the arguments %q passes", name, forged.Salt, forged.Arguments)
			}
		}
		if moved == 0 {
			t.Errorf("%s: nothing was moved", name)
		}
	}
}

// HMAC pads short keys with zeros, so only the length tells two such salts apart.
func TestASaltOfAnotherLengthIsFound(t *testing.T) {
	for name, s := range sealedForms(t, `{"n":1}`) {
		for _, salt := range [][]byte{append(bytes.Clone(s.Salt), 0), s.Salt[:15], {0}} {
			forged := s
			forged.Salt = salt
			if _, problem := forged.Examine(1, nil); problem == "" {
				t.Errorf("%s: a salt of %d bytes passes", name, len(salt))
			}
		}
	}
}

// A body that is not JSON cannot have been written, whatever its digest says.
func TestABodyThatIsNoJSONIsFound(t *testing.T) {
	s := sealedForms(t, `{"n":1}`)["plain digest"]
	s.Arguments = []byte(`{"n":`)
	ledgertest.UnderDigest(t, &s)
	if _, problem := s.Examine(1, nil); problem == "" {
		t.Error("arguments that are no JSON pass")
	}
}
