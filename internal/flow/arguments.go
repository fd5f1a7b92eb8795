package flow

import (
	"crypto/sha256"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// digest identifies arguments: it is the SHA-256 of their canonical form (RFC 8785). White space and the order of
// members do not change it.
type digest [sha256.Size]byte

// digestOf returns the digest of arguments. valid is false if they are not strict JSON. tells is false if they are too
// short to distinguish calls. Missing arguments count as an empty object.
func digestOf(arguments []byte) (d digest, tells, valid bool) {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	v := jsontext.Value(slices.Clone(arguments))
	if v.Canonicalize() != nil {
		return d, false, false
	}
	return sha256.Sum256(v), len(v) >= minArguments, true
}

// sum is the digest of arguments, computed when it is first needed.
type sum struct {
	raw    []byte
	digest digest
	made   bool
	told   bool
	ok     bool
}

func (s *sum) make() {
	if !s.made {
		s.made = true
		s.digest, s.told, s.ok = digestOf(s.raw)
	}
}

// valid reports whether the arguments are strict JSON, so that they can be compared.
func (s *sum) valid() bool { s.make(); return s.ok }

// tells reports whether the arguments are long enough to distinguish calls.
func (s *sum) tells() bool { s.make(); return s.ok && s.told }
