package ledger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/go-json-experiment/json/jsontext"
	fast "github.com/go-json-experiment/json/v1"
	"golang.org/x/sync/errgroup"

	"mcpproxy"
)

// Form says which bytes of a stored record its hash covers.
type Form int

// The forms.
const (
	// FormWhole is the form of older logs: the hash covers arguments and response like all other
	// members.
	FormWhole Form = 1
	// FormDigest hashes digests of arguments and response. The values are stored next to the
	// record.
	FormDigest Form = 2
	// FormSworn is a FormWhole record whose arguments and response were removed. Its hash can no
	// longer be computed; a signature confirms that it was the record's hash.
	FormSworn Form = 3
	// FormKeyed is FormDigest with HMACs as digests. The salt is the key, so no byte can move
	// between the salt, the name and the value.
	FormKeyed Form = 4
)

// HasDigests reports whether records of this form hash digests of arguments and
// response instead of the values themselves.
func (f Form) HasDigests() bool { return f == FormDigest || f == FormKeyed }

// Sealed is a record in the form in which stores keep it.
type Sealed struct {
	Form Form
	// Body is the bytes that the hash covers; for a FormSworn record, the remaining bytes.
	Body []byte
	// Salt, Arguments and Response are stored next to the body. They are nil if the record has none
	// or they were removed. The salt is removed with them, so that nobody can guess a short value
	// from its digest.
	Salt, Arguments, Response []byte
	// Proof is the signature of a FormSworn record.
	Proof []byte
	// Prev and Hash are hex SHA-256.
	Prev, Hash string
}

// stored is the JSON form of a body.
type stored struct {
	*mcpproxy.Record
	ArgumentsDigest string `json:"arguments_digest,omitempty"`
	ResponseDigest  string `json:"response_digest,omitempty"`
}

// saltSize is the length of every salt in bytes. A salt of this length cannot be guessed.
const saltSize = 16

// Seal returns r in stored form, chained to the record with the hash prev. It does not change r.
func Seal(prev string, r *mcpproxy.Record) (Sealed, error) {
	s, err := Prepare(r)
	s.Follow(prev)
	return s, err
}

// Follow chains s to the record with the hash prev.
func (s *Sealed) Follow(prev string) { s.Prev, s.Hash = prev, Hash(prev, s.Body) }

// PrepareAll prepares records, on all processors if there are many.
func PrepareAll(records []*mcpproxy.Record) ([]Sealed, error) {
	const worthIt = 64
	sealed := make([]Sealed, len(records))
	part := func(from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			sealed[i], err = Prepare(records[i])
		}
		return err
	}
	if len(records) < worthIt {
		return sealed, part(0, len(records))
	}
	var group errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error { return part(w*len(records)/workers, (w+1)*len(records)/workers) })
	}
	return sealed, group.Wait()
}

// Prepare does the part of sealing r that does not need the previous record.
func Prepare(r *mcpproxy.Record) (Sealed, error) {
	s := Sealed{Form: FormKeyed, Arguments: r.Arguments, Response: r.Response}
	bare := *r
	bare.PrevHash = ""
	bare.Hash = ""
	bare.Arguments = nil
	bare.Response = nil
	bare.Redacted = false
	out := stored{Record: &bare}
	for _, part := range []struct {
		name   string
		raw    []byte
		digest *string
	}{{"arguments", r.Arguments, &out.ArgumentsDigest}, {"response", r.Response, &out.ResponseDigest}} {
		if len(part.raw) == 0 {
			continue
		}
		if !validBody(part.raw) {
			return s, fmt.Errorf("encoding record %s: its %s are not valid JSON", r.ID, part.name)
		}
		if s.Salt == nil {
			s.Salt = make([]byte, saltSize)
			rand.Read(s.Salt) // never fails
		}
		*part.digest = s.digest(part.name, part.raw)
	}
	var err error
	if s.Body, err = json.Marshal(out); err != nil {
		return s, fmt.Errorf("encoding record %s: %w", r.ID, err)
	}
	return s, nil
}

// validBody reports whether raw may be stored as arguments or response.
func validBody(raw []byte) bool {
	return jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true))
}

// digest returns the hex digest that represents a value in a hashed body. The value itself is
// stored next to the body under name.
func (s *Sealed) digest(name string, raw []byte) string {
	if s.Form == FormDigest {
		h := sha256.New()
		h.Write(s.Salt)
		h.Write([]byte(name))
		h.Write(raw)
		return hex.EncodeToString(h.Sum(nil))
	}
	h := hmac.New(sha256.New, s.Salt)
	h.Write([]byte(name))
	h.Write([]byte{0}) // terminates the name, which contains no zero byte
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil))
}

// Hash returns the chain hash of a stored record: the hex SHA-256 of the previous hash and the
// bytes.
func Hash(prev string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// Open decodes the stored record. It is the inverse of Seal.
func (s *Sealed) Open() (*mcpproxy.Record, error) {
	r, _, err := s.open()
	return r, err
}

func (s *Sealed) open() (*mcpproxy.Record, *stored, error) {
	var r mcpproxy.Record
	body := stored{Record: &r}
	// This reads JSON as encoding/json does, in half the time.
	if err := fast.Unmarshal(s.Body, &body); err != nil {
		return nil, nil, fmt.Errorf("decoding a stored record: %w", err)
	}
	r.PrevHash, r.Hash = s.Prev, s.Hash
	if s.Form.HasDigests() {
		r.Arguments, r.Response = s.Arguments, s.Response
	}
	missing := body.ArgumentsDigest != "" && r.Arguments == nil || body.ResponseDigest != "" && r.Response == nil
	r.Redacted = missing || s.Form == FormSworn
	return &r, &body, nil
}

// Strip removes the arguments and the response. It needs the signer for records of the old form. ok
// is false if there was nothing to remove.
func (s *Sealed) Strip(seq int64, by *Signer) (ok bool, err error) {
	switch s.Form {
	case FormDigest, FormKeyed:
		ok = s.Salt != nil
	case FormWhole:
		r, err := s.Open()
		if err != nil || r.Arguments == nil && r.Response == nil {
			return false, err
		}
		r.PrevHash = ""
		r.Hash = ""
		r.Arguments = nil
		r.Response = nil
		r.Redacted = false
		if s.Body, err = json.Marshal(r); err != nil {
			return false, err
		}
		s.Form = FormSworn
		s.Proof = by.sign(s.signedText(seq))
		ok = true
	}
	s.Salt = nil
	s.Arguments = nil
	s.Response = nil
	return ok, nil
}

// signedText returns the bytes of a FormSworn record that are signed.
func (s *Sealed) signedText(seq int64) []byte {
	return fmt.Appendf(nil, "mcpproxy record without bodies\n%d\n%s\n%s\n%s", seq, s.Prev, s.Hash, s.Body)
}

// Examine compares a stored record with its hash, and its bodies with their digests. It returns the
// record, and what is wrong with it as a sentence, or "".
func (s *Sealed) Examine(seq int64, keys Keys) (r *mcpproxy.Record, problem string) {
	r, body, err := s.open()
	if err != nil {
		return nil, "the record's body cannot be read"
	}
	switch {
	case s.Form == FormSworn && !keys.valid(s.signedText(seq), s.Proof):
		return r, "the record was changed after it was written"
	case s.Form != FormSworn && subtle.ConstantTimeCompare([]byte(Hash(s.Prev, s.Body)), []byte(s.Hash)) == 0:
		return r, "the record was changed after it was written"
	case s.Form != FormWhole && s.Form != FormSworn && !s.Form.HasDigests():
		return r, "the record's form is unknown"
	case s.Form != FormSworn && s.Proof != nil,
		!s.Form.HasDigests() && (s.Salt != nil || s.Arguments != nil || s.Response != nil):
		return r, "a value was stored next to the record that does not belong to it"
	}
	return r, s.beside(body)
}

// ExamineContent compares the bodies of a FormKeyed record with their digests. Unlike Examine, it does not
// compute the record's hash: it is for records whose hash the caller has just computed with Follow.
func (s *Sealed) ExamineContent() (r *mcpproxy.Record, problem string) {
	switch {
	case s.Form != FormKeyed:
		return nil, "the record's form is unknown"
	case s.Proof != nil:
		return nil, "a value was stored next to the record that does not belong to it"
	}
	r, body, err := s.open()
	if err != nil {
		return nil, "the record's body cannot be read"
	}
	return r, s.beside(body)
}

// beside checks the values that are stored next to a record.
func (s *Sealed) beside(body *stored) (problem string) {
	if !s.Form.HasDigests() {
		return ""
	}
	if s.Salt == nil {
		if s.Arguments != nil || s.Response != nil {
			return "a value was stored next to the record that does not belong to it"
		}
		return "" // the caller decides whether they may be missing
	}
	if len(s.Salt) != saltSize {
		return "its salt does not have the length with which it was written"
	}
	for _, part := range []struct {
		name, want string
		raw        []byte
	}{{"arguments", body.ArgumentsDigest, s.Arguments}, {"response", body.ResponseDigest, s.Response}} {
		switch {
		case part.want == "" && part.raw != nil:
			return "a value was stored next to the record that does not belong to it"
		case part.want != "" && part.raw == nil:
			return "its " + part.name + " were removed"
		case part.want != "" && (s.digest(part.name, part.raw) != part.want || !validBody(part.raw)):
			return "its " + part.name + " were changed after they were written"
		}
	}
	if body.ArgumentsDigest == "" && body.ResponseDigest == "" {
		return "a value was stored next to the record that does not belong to it"
	}
	return ""
}
