package value

import (
	"slices"
	"unsafe"

	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

const (
	maxScanned   = 64 << 10 // bytes of a document whose values are stored
	maxTwice     = 8        // a value that one source contains this often is ignored
	maxPublished = 16 << 10 // bytes of a public text in which every run of words becomes public
	maxRecords   = 1 << 29  // maximum number of records
)

// Values recognises single values of the sources: whole secrets and pieces of them, addresses and accounts, records
// with several matching fields, and numbers. It stores only hashes. The zero value is ready for use.
type Values struct {
	tokens   table.Table[uint32] // from the hash of a value to its record and class
	heads    table.Sieve         // rules out most hashes of first letters and lengths that no value has
	owners   []owner             // sorted by record
	next     uint32              // number of the next record
	secrets  []secretOf
	names    []string // categories of secrets
	shards   shards
	public   table.Public
	*scratch // set between work and rest
}

// Count returns the number of stored values. Pieces of secrets do not count.
func (v *Values) Count() int {
	_, n := v.tokens.Size()
	return n
}

// InPieces returns how many bytes of secrets are stored in pieces.
func (v *Values) InPieces() uint32 { return v.shards.next }

// SetBytes returns the memory of the sets. Single values are never removed from a set.
func (v *Values) SetBytes() int { return v.heads.Bytes() + v.shards.some.Bytes() + v.public.Bytes() }

// ForgetPublic empties the set of public values.
func (v *Values) ForgetPublic() { v.public = table.Public{} }

// owner is the source of a range of records.
type owner struct {
	first, end uint32
	ref        uint16
}

// secretOf holds the facts about a stored secret.
type secretOf struct {
	ref      uint16
	category uint8
	given    bool // a detector found it
	carried  bool // a call of this session carried it, so an external result with it does not make it public
}

// Reading is one text of a document, as it is or decoded.
type Reading struct {
	Text    string
	field   string // the innermost name that contains it
	Decoded string // the encodings that were undone
	Of      *Letters
}

// ReadingOf returns the reading of a view in a field.
func ReadingOf(l *Letters, field string) Reading {
	return Reading{l.View.Text, field, l.View.How, l}
}

// Remains says which data of a source is still stored.
type Remains uint8

const (
	AllRemains Remains = iota
	SecretsRemain
	NothingRemains
)

// Add stores the values of a document, of its parts and of decoded texts, up to limit bytes of each.
func (v *Values) Add(ref uint16, doc *text.Document, texts []string, limit int, secrets []Secret) {
	v.work()
	defer v.rest()
	s := &v.scanner
	s.reset()
	s.scan(doc, limit)
	s.plain = s.record
	for _, t := range texts {
		t = t[:min(len(t), limit)]
		limit -= len(t)
		s.text(t)
	}
	known := map[uint64]bool{}
	for _, given := range secrets {
		v.addSecret(ref, given.Value, given.Category, true, known)
	}
	for _, key := range s.keys {
		v.addSecret(ref, key, "", false, known)
	}
	v.addTokens(ref, known)
}

// addSecret stores a secret, as a whole and in pieces.
func (v *Values) addSecret(ref uint16, value, category string, given bool, known map[uint64]bool) {
	skeleton := skeletonOf(value)
	if len(skeleton) < leastToken {
		return
	}
	h := table.HashSkeleton(skeleton)
	if known[h] {
		return
	}
	known[h] = true
	for _, r := range v.tokens.Find(nil, h, maxHolders+maxSame) {
		if n := r / uint32(classCount); class(r%uint32(classCount)) >= classKey && (v.secrets[n].given || !given) {
			v.secrets[n].ref = ref // the last source that contained it
			return
		}
	}
	entry := uint32(len(v.secrets))
	v.secrets = append(v.secrets, secretOf{ref: ref, category: v.category(category), given: given})
	c := classSecret
	if !given {
		c = classKey
	}
	v.heads.Add(headOf(skeleton))
	v.tokens.Add(h, entry*uint32(classCount)+uint32(c))
	v.shards.add(secret{hash: h, entry: entry}, skeleton)
}

// addTokens stores the scanned values. It leaves out secrets, and values that the source repeats often.
func (v *Values) addTokens(ref uint16, secrets map[uint64]bool) {
	tokens := v.scanner.tokens
	slices.SortFunc(tokens, func(a, b token) int {
		if a.hash != b.hash {
			return cmpUint(a.hash, b.hash)
		}
		return cmpUint(uint64(a.record), uint64(b.record))
	})
	if v.next+v.scanner.record+1 >= maxRecords/uint32(classCount) {
		return
	}
	for i, seen := 0, 0; i < len(tokens); {
		if i >= seen {
			seen = min(i+table.Batch, len(tokens))
			v.ahead(tokens[i:seen])
		}
		end := i + 1
		for end < len(tokens) && tokens[end].hash == tokens[i].hash {
			end++
		}
		if same := tokens[i:end]; len(same) <= maxTwice && !secrets[same[0].hash] {
			if same[0].class != classNumber {
				v.heads.Add(same[0].head)
			}
			for n, t := range same {
				if n == 0 || t.record != same[n-1].record && t.record < v.scanner.plain {
					v.addToken(t.hash, (v.next+t.record)*uint32(classCount)+uint32(t.class))
				}
			}
		}
		i = end
	}
	end := v.next + v.scanner.record + 1
	v.owners = append(v.owners, owner{v.next, end, ref})
	v.next = end
}

// ahead prefetches the memory in which the values will be stored.
func (v *Values) ahead(tokens []token) {
	q := &v.query
	q.hashes = q.hashes[:0]
	for _, t := range tokens {
		q.hashes = append(q.hashes, t.hash)
	}
	q.warmed |= v.tokens.Ahead(q.hashes)
}

func cmpUint(a, b uint64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// addToken stores a value unless so many records have it that it is ignored. Thousands of equal entries would slow
// down every search.
func (v *Values) addToken(h uint64, ref uint32) {
	if v.query.refs = v.tokens.Find(v.query.refs[:0], h, maxHolders); len(v.query.refs) < maxHolders {
		v.tokens.Add(h, ref)
	}
}

// category returns the number under which the name of a category is stored.
func (v *Values) category(name string) uint8 {
	at := slices.Index(v.names, name)
	if at < 0 && len(v.names) < 255 {
		v.names = append(v.names, name)
		at = len(v.names) - 1
	}
	return uint8(max(at, 0))
}

// AddPublic makes the values of a document public. The document is an external result, a message of the user, or the
// description of a tool. Secrets do not become public.
func (v *Values) AddPublic(doc *text.Document) {
	v.work()
	defer v.rest()
	limit := maxPublished
	for _, p := range doc.Parts {
		if p.Opened() {
			continue
		}
		t := p.Text[:min(len(p.Text), limit)]
		limit -= len(t)
		v.query.read(AllLetters(&text.View{Text: t}))
		for run := range v.query.runs(publicRun) {
			v.public.Add(run.hash)
		}
		for n := range numbersIn(t) {
			v.public.Add(n.hash)
		}
	}
	s := &v.scanner
	s.reset()
	s.scan(doc, maxScanned)
	for _, t := range s.tokens {
		v.public.Add(t.hash)
	}
	for _, key := range s.keys {
		v.public.Add(table.HashSkeleton(skeletonOf(key)))
	}
}

// source returns the source of a record.
func (v *Values) source(record uint32) (uint16, bool) {
	i, found := slices.BinarySearchFunc(
		v.owners,
		record,
		func(o owner, r uint32) int { return cmpUint(uint64(o.first), uint64(r)) },
	)
	if !found {
		i--
	}
	if i < 0 || record >= v.owners[i].end {
		return 0, false
	}
	return v.owners[i].ref, true
}

// Sweep drops the data of sources that, according to left, no longer remains.
func (v *Values) Sweep(left func(ref uint16) Remains) {
	v.tokens.Retain(func(r uint32) bool {
		if n, c := r/uint32(classCount), class(r%uint32(classCount)); c >= classKey {
			return left(v.secrets[n].ref) != NothingRemains
		} else if ref, ok := v.source(n); ok {
			return left(ref) == AllRemains
		}
		return false
	})
	v.shards.sweep(func(s *secret) bool { return left(v.secrets[s.entry].ref) != NothingRemains })
	v.owners = kept(v.owners, func(o *owner) bool { return left(o.ref) == AllRemains })
	if v.Count() == 0 {
		v.heads = table.Sieve{}
	}
}

// Bytes returns the memory in use, without the sets.
func (v *Values) Bytes() int {
	n, _ := v.tokens.Size()
	return n + v.shards.bytes() + cap(
		v.owners,
	)*int(
		unsafe.Sizeof(owner{}),
	) + cap(
		v.secrets,
	)*int(
		unsafe.Sizeof(secretOf{}),
	)
}
