package match

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unsafe"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// hash is the SHA-256 of a text, truncated to 128 bits (spec-027, FR-011).
type hash [16]byte

func hashOf(text string) hash {
	sum := sha256.Sum256(bytesOf(text))
	return hash(sum[:16])
}

// hashOfAll returns the hash of several texts, with a zero byte between them.
func hashOfAll(texts []string) hash {
	h := sha256.New()
	for i, s := range texts {
		if i > 0 {
			_, _ = h.Write([]byte{0})
		}
		_, _ = h.Write(bytesOf(s))
	}
	return hash(h.Sum(nil)[:16])
}

// bytesOf returns the bytes of a text without a copy. The caller must not change them.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// exact finds texts that are repeated completely: the full content, a field or an unbroken word, each also in its
// folded form (spec-027, FR-010 to FR-013).
type exact map[hash]holders

// holders lists the first sources of a text. If the list is full, the text is too common to identify a source.
type holders struct {
	refs [commonTexts]uint16
	n    uint8
}

// commonTexts is the number of sources from which a text is common.
const commonTexts = 3

// print is one hash of a document and the text from which it was computed.
type print struct {
	ends  uint64              // the hash of the text's first and last letters
	sum   func() (hash, bool) // computes the hash; false if the text carries too little information
	match string
	part  int // index into Document.Parts; -1 for the whole document
	bytes int
	text  string // the hashed text as it occurs in the part; "" for the whole document
}

// maxTaken is the maximum number of words taken from one text.
const maxTaken = 2000

// prints returns the hashes of a document: of the whole document, its fields, and the words of the fields.
func prints(doc *text.Document, o Options) []print {
	out := make([]print, 0, 2*len(doc.Parts)+1)
	var texts []string
	taken := 0
	values := 0
	only := ""
	normals := normalForms(doc)
	for i, p := range doc.Parts {
		if p.Kind != text.Value || taken > o.MaxBytes {
			continue
		}
		s := p.Text[:min(len(p.Text), o.MaxBytes-taken)]
		taken += len(p.Text)
		values, only = values+1, s
		texts = append(texts, s)
		normal, other := normals[i]
		switch {
		case !other:
			normal = s
		case len(s) < len(p.Text):
			normal = text.NormalForm(s)
		}
		out = o.appendField(out, s, normal, i, doc.Field(p))
	}
	if taken >= o.MinLength {
		sum := func() (hash, bool) {
			if values == 1 && !telling(strings.TrimSpace(only)) {
				return hash{}, false
			}
			return hashOfAll(append(texts, "\x00full")), true
		}
		out = append(out, print{beginningsOf(texts), sum, "full", -1, taken, ""})
	}
	return out
}

// normalForms returns the normal forms that differ from their parts, by part.
func normalForms(doc *text.Document) map[int]string {
	var out map[int]string
	for _, v := range doc.Views() {
		if v.How != "normal form" {
			continue
		}
		if out == nil {
			out = map[int]string{}
		}
		if _, ok := out[v.Part]; !ok {
			out[v.Part] = v.Text
		}
	}
	return out
}

// appendField appends the hashes of one text. normal is its normal form.
func (o Options) appendField(out []print, s, normal string, part int, field string) []print {
	if len(s) < o.MinLength || addressing(field, s) {
		return out
	}
	t := strings.TrimSpace(s)
	if len(t) < o.MinLength {
		return out
	}
	ends := endsOf(strings.TrimSpace(normal))
	out = append(out,
		print{ends, func() (hash, bool) { return fieldHash(t) }, "field", part, len(t), t},
		print{ends, func() (hash, bool) { return o.foldedHash(t, normal) }, "normalized", part, len(t), t})
	n := 0
	for start, i := 0, 0; i <= len(normal) && n < maxTaken; i++ {
		if i < len(normal) && !value.Breaks[normal[i]] {
			continue
		}
		if i-start >= o.MinLength {
			if word := normal[start:i]; telling(word) && !named(word) {
				out = append(
					out,
					print{
						noEnds,
						func() (hash, bool) { return hashOf(strings.ToLower(word)), true },
						"word",
						part,
						len(word),
						word,
					},
				)
				n++
			}
		}
		start = i + 1
	}
	return out
}

// fieldHash returns the hash of a text as it is written.
func fieldHash(t string) (hash, bool) {
	if !telling(t) {
		return hash{}, false
	}
	return hashOf(t), true
}

// foldedHash returns the hash of a text's folded form. ok is false if the text is its own folded form.
func (o Options) foldedHash(t, normal string) (hash, bool) {
	if !telling(t) {
		return hash{}, false
	}
	var room [512]byte
	f := text.AppendFoldedNormal(room[:0], normal)
	if string(f) == t || len(f) < o.MinLength {
		return hash{}, false
	}
	sum := sha256.Sum256(f)
	return hash(sum[:16]), true
}

// endsOf returns a hash of the first and last letters of a text. All forms of a text have the same hash. If no known
// text has it, the text is unknown, and its full hash is not needed. normal is the normal form of the text.
func endsOf(normal string) uint64 {
	near := min(len(normal), endBytes)
	first, last := lettersOf(normal[:near]), lettersOf(normal[len(normal)-near:])
	if len(first) < endLetters || len(last) < endLetters { // a ruled line or closing brackets, for example
		first = lettersOf(normal)
		last = first
	}
	return table.Scramble(table.HashSkeleton(first[:min(len(first), endLetters)]) +
		table.TokenBase*table.HashSkeleton(last[max(len(last)-endLetters, 0):]))
}

// lettersOf returns the letters of s in its folded form.
func lettersOf(s string) []byte { return text.AppendLetters(nil, strings.ToLower(s), nil) }

const (
	noEnds     = 0  // for a word, whose full hash is always looked up
	endLetters = 5  // number of first letters, and of last letters, that are used
	endBytes   = 40 // number of bytes that usually contain them
)

// beginningsOf returns a hash of the beginnings and the lengths of texts. The texts have no other form.
func beginningsOf(texts []string) uint64 {
	sum := uint64(len(texts))
	for _, t := range texts {
		sum = table.Scramble(sum + uint64(len(t)) + table.HashSkeleton([]byte(t[:min(len(t), 2*endLetters)])))
	}
	return sum
}

// addressing reports whether a value only names a destination.
func addressing(field, s string) bool {
	name := strings.ToLower(field)
	return value.AddressFields[name] && len(s) <= maxAddress &&
		(!strings.ContainsAny(s, " \n\t") || value.PeopleFields[name] && isMailbox(s))
}

// isMailbox reports whether s is an address with a short name, as in mail: Ada Lovelace <ada@example.com>.
func isMailbox(s string) bool {
	name, address, ok := strings.Cut(s, " <")
	return ok && len(name) <= maxPerson && strings.Count(name, " ") < maxNames &&
		strings.HasSuffix(address, ">") && value.IsMail(address) && !strings.ContainsAny(address, " \n\t")
}

const (
	maxPerson = 40 // bytes of a person's name
	maxNames  = 4  // words of a person's name
)

// maxAddress is the maximum length of an address. A longer one contains other data.
const maxAddress = 100

// addressLength returns the length of the part of an address that names a destination. In a URL that is only the host,
// because the rest can carry any data.
func addressLength(s string) int {
	at := strings.Index(s, "://")
	if at < 0 {
		return len(s)
	}
	if n := strings.IndexAny(s[at+3:], "/?#"); n >= 0 {
		return at + 3 + n
	}
	return len(s)
}

// maxShape is the length of a text that is examined to decide whether it carries information.
const maxShape = 512

// firstShape is the length that is enough to decide about most texts.
const firstShape = 96

// telling reports whether a text carries enough information to be recognised when it is repeated. A reference does
// not.
func telling(s string) bool {
	enough := float32(threshold)
	if strings.ContainsAny(s, " \n\t") {
		enough = phrase
	} else if len(s) <= maxShape && (value.Reference(s) == len(s) || value.IsMail(s)) {
		return false
	}
	var letters [maxShape]byte
	var costs [maxShape]float32
	for _, n := range []int{firstShape, maxShape} {
		skeleton := text.AppendLetters(letters[:0], s[:min(len(s), n)], nil)
		if sum(model.Cost(skeleton, costs[:0])) >= enough {
			return true
		}
		if len(s) <= n {
			break
		}
	}
	return false
}

// phrase is the evidence, in bits, that several words need. It is high, because two people who write about the same
// thing may choose the same words.
const phrase = 110

// named reports whether a word consists of several words, like an identifier in a program. Such a word needs as much
// evidence as a phrase. A key has more digits than an identifier.
func named(word string) bool {
	skeleton := text.AppendLetters(nil, word, nil)
	bits, digits := float32(0), 0
	for i, c := range model.Cost(skeleton, nil) {
		bits += c
		digits += b2i(value.IsDigit(skeleton[i]))
	}
	return bits < phrase && 4*digits < len(skeleton) && value.Wordy(word)
}

// informs reports whether a repeated text contains a stretch that is neither public nor a common phrase.
func (x *Index) informs(q *Query, p print) bool {
	var whole piece
	if p.part >= 0 {
		whole.add(value.AllLetters(&text.View{Text: p.text}))
	} else {
		addValues(&whole, q.doc, q.doc.Views())
	}
	s := x.work()
	s.grams.reset(whole.skeleton)
	s.costs = model.Cost(whole.skeleton, s.costs[:0])
	bits := float32(0)
	for i, weight := range x.weigh(&whole, &s.grams, []run{{0, len(whole.skeleton)}}) {
		bits += s.costs[i] * weight
	}
	return bits >= threshold
}

// learn adds the texts of a source.
func (x *Index) learn(ref uint16, prints []print) {
	for _, p := range prints {
		sum, ok := p.sum()
		if !ok {
			continue
		}
		if p.match != "word" { // the full hash of a word is always looked up
			x.ends.Add(p.ends)
		}
		h, ok := x.exact[sum]
		if i := slices.IndexFunc(h.refs[:h.n], func(known uint16) bool { return x.sameOrigin(known, ref) }); i >= 0 {
			h.refs[i] = ref // another result of the same call
		} else {
			h.add(ref)
		}
		x.exact[sum] = h
		if !ok {
			x.sources[ref].texts += textBytes
		}
	}
}

// sameOrigin reports whether two sources are results of the same call.
func (x *Index) sameOrigin(a, b uint16) bool { return x.sources[a].origin == x.sources[b].origin }

func (h *holders) add(ref uint16) {
	for _, known := range h.refs[:h.n] {
		if known == ref {
			return
		}
	}
	if h.n < commonTexts {
		h.refs[h.n] = ref
		h.n++
	}
}

// retain drops the texts of sources for which wanted returns false.
func (e exact) retain(wanted func(ref uint16) bool) {
	for h, held := range e {
		kept := holders{}
		for _, ref := range held.refs[:held.n] {
			if wanted(ref) {
				kept.add(ref)
			}
		}
		if kept.n == 0 {
			delete(e, h)
		} else if kept != held {
			e[h] = kept
		}
	}
}

// known reports whether a text is common, or whether the agent may have it from elsewhere.
func (x *Index) known(h holders) bool {
	public := false
	for _, ref := range h.refs[:h.n] {
		public = public || x.sources[ref].public
	}
	return public || h.n == commonTexts
}

// equals finds the texts that the query repeats completely.
func (x *Index) equals(q *Query, hits []Hit) []Hit {
	for _, p := range q.prints {
		if p.ends != noEnds && !x.ends.Has(p.ends) {
			continue
		}
		sum, ok := p.sum()
		h, held := x.exact[sum]
		if !ok || !held {
			continue
		}
		known := x.known(h) || !x.informs(q, p)
		for _, ref := range h.refs[:h.n] {
			if src := &x.sources[ref]; !src.thin && !src.gone && (!known || src.public) {
				hits = append(hits, Hit{
					Source: src.id,
					Match:  p.match,
					Spans:  q.find(p.part, p.text),
					Bytes:  p.bytes,
				})
			}
		}
	}
	return hits
}

// find returns the position of s in a part. It returns the whole part if the part contains s in another form, and nil
// if the match is not in a single part.
func (q *Query) find(part int, s string) []text.Span {
	if part < 0 {
		return nil
	}
	whole := q.doc.Parts[part].Text
	if at := strings.Index(whole, s); at >= 0 {
		return []text.Span{{Part: part, Start: at, End: at + len(s)}}
	}
	return []text.Span{{Part: part, Start: 0, End: len(whole)}}
}
