package value

import (
	"math"
	"strings"

	"mcpproxy/internal/flow/table"
)

const (
	maxHolders   = 64   // a value in this many records is ignored
	maxSame      = 8    // number of further secrets with the same value
	maxSightings = 8192 // per document
	keyWeight    = 1.5  // factor for a value that looks like a secret, because chance matches are less likely
)

// Find compares the readings with the values of sources. It returns the best hit of each source, and every secret.
// secrets are the secrets that detectors found in the readings. open reports whether a secret at a place is public; it
// may be nil.
func (v *Values) Find(
	readings []Reading,
	secrets []Secret,
	left func(ref uint16) Remains,
	open func(Place) bool,
) []Hit {
	v.work()
	defer v.rest()
	q := &v.query
	q.seen = q.seen[:0]
	if open == nil {
		open = func(Place) bool { return false }
	}
	var hits []Hit
	for i := range readings {
		q.read(readings[i].Of)
		v.findValues(readings[i], i, left)
		hits = v.findShards(hits, readings[i], i, left, open)
	}
	for _, s := range secrets {
		v.findLong(s.Value, readings, left)
	}
	return best(weigh(v.takeSecrets(hits, open), q.seen))
}

// findLong looks up a value that has too many words for a run.
func (v *Values) findLong(s string, readings []Reading, left func(ref uint16) Remains) {
	skeleton := skeletonOf(s)
	if len(skeleton) <= table.MaxToken {
		return
	}
	seen := sighting{hash: table.HashSkeleton(skeleton), bits: float32(information(skeleton)), reading: -1}
	for i, r := range readings {
		if at := strings.Index(r.Text, s); at >= 0 {
			seen.reading = int32(i)
			seen.start = int32(at)
			seen.end = int32(at + len(s))
			break
		}
	}
	v.see(seen, left)
}

// findValues looks up the possible values of a reading. q has read the reading.
func (v *Values) findValues(r Reading, reading int, left func(ref uint16) Remains) {
	q := &v.query
	skip := addressed(r)
	for i := 0; i+1 < len(q.words); {
		i = q.known(i, maxRun, &v.heads)
		var seen uint64
		q.likely, seen = v.tokens.Likely(q.likely[:0], q.hashes)
		q.warmed |= seen
		for _, n := range q.likely {
			run := q.some[n]
			if q.refs = v.tokens.Find(q.refs[:0], run.hash, maxHolders+maxSame); len(q.refs) == 0 {
				continue
			}
			start, end := r.Of.Written(run.start, run.end)
			v.seeHeld(sighting{
				hash:    run.hash,
				bits:    q.bits(run.start, run.end),
				reading: int32(reading),
				start:   int32(start),
				end:     int32(end),
				address: start < skip,
			}, left)
		}
	}
	for n, at := range numbersIn(r.Text) {
		s := sighting{
			hash:    n.hash,
			bits:    float32(n.bits),
			reading: int32(reading),
			start:   int32(at[0]),
			end:     int32(at[1]),
			address: at[0] < skip,
		}
		v.see(s, left)
		if n.other != 0 {
			s.hash = n.other
			v.see(s, left)
		}
	}
}

// see records the sources of a value. It ignores a value that many sources have, or that the agent may have from
// elsewhere. A value that several records have is weaker evidence.
func (v *Values) see(s sighting, left func(ref uint16) Remains) {
	q := &v.query
	q.refs = v.tokens.Find(q.refs[:0], s.hash, maxHolders+maxSame)
	if len(q.refs) > 0 {
		v.seeHeld(s, left)
	}
}

// seeHeld is see for a value whose entries are already in q.refs.
func (v *Values) seeHeld(s sighting, left func(ref uint16) Remains) {
	q := &v.query
	known := len(q.refs) >= maxHolders || v.public.Has(s.hash)
	bits := s.bits - shared[len(q.refs)]
	for _, r := range q.refs {
		if len(q.seen) == maxSightings {
			return
		}
		s.class, s.record = class(r%uint32(classCount)), r/uint32(classCount)
		s.bits = bits
		ok := true
		switch {
		case s.class == classSecret && (!s.address || bits >= leastBits), s.class == classKey && !known:
			s.ref = v.secrets[s.record].ref
			ok = left(s.ref) != NothingRemains
		case known || s.address || s.class >= classKey:
			continue
		default:
			s.ref, ok = v.source(s.record)
			ok = ok && left(s.ref) == AllRemains
		}
		if s.class == classPointer {
			s.bits = min(bits, pointerBits)
		}
		if ok {
			q.seen = append(q.seen, s)
		}
	}
}

// shared holds the bits that are deducted from the evidence of a value, by the number of records that have it.
var shared = func() (bits [maxHolders + maxSame + 1]float32) {
	for n := 1; n < len(bits); n++ {
		bits[n] = float32(math.Log2(float64(n)))
	}
	return bits
}()

// takeSecrets moves the secrets among the sightings to the hits.
func (v *Values) takeSecrets(hits []Hit, open func(Place) bool) []Hit {
	q := &v.query
	rest := q.seen[:0]
	for _, s := range q.seen {
		if s.class < classKey {
			rest = append(rest, s)
			continue
		}
		known := &v.secrets[s.record]
		h := hitOf("value", keyWeight*float64(s.bits), []sighting{s})
		if h.Ref = s.ref; known.given {
			if !known.carried && s.reading >= 0 && open(h.Places[0]) {
				continue
			}
			known.carried = true
			h.Match, h.Category = "secret", v.names[known.category]
		}
		if known.given || h.Bits >= leastBits {
			hits = append(hits, h)
		}
	}
	q.seen = rest
	return hits
}

// findShards looks for pieces of secrets in a reading. q has read the reading.
func (v *Values) findShards(hits []Hit, r Reading, i int, left func(ref uint16) Remains, open func(Place) bool) []Hit {
	q := &v.query
	q.pieces, q.hashes = v.shards.find(q.pieces[:0], q.hashes, q.skeleton)
	for _, piece := range q.pieces {
		held := &v.shards.held[piece.secret]
		known := &v.secrets[held.entry]
		size := piece.end - piece.start
		if left(known.ref) == NothingRemains || !known.given && v.public.Has(held.hash) ||
			!held.trusts(size) && q.bits(piece.start, piece.end) < plainBits*float32(size) {
			continue
		}
		start, end := r.Of.Written(piece.start, piece.end)
		at := Place{i, start, end}
		if known.given && !known.carried && open(at) {
			continue
		}
		counts := v.shards.leave(held, piece.from, piece.from+size)
		gone := held.gone()
		if !counts || gone < held.needed() {
			continue
		}
		known.carried = true
		hits = append(hits, Hit{
			Ref:      known.ref,
			Match:    "shards",
			Bits:     float64(gone) * float64(held.perByte),
			Category: v.names[known.category],
			Places:   []Place{at},
		})
	}
	return hits
}

// addressed returns the number of bytes of a reading that only name a destination. Values in them are not evidence,
// unless they are secrets.
func addressed(r Reading) int {
	if !AddressFields[strings.ToLower(r.field)] && !pointerName(r.field) {
		return 0
	}
	if strings.Contains(r.Text, "://") {
		if at := strings.IndexAny(r.Text, "?#"); at >= 0 {
			return at
		}
		return len(r.Text)
	}
	if r.Decoded == "" && (PeopleFields[strings.ToLower(r.field)] || !strings.ContainsAny(r.Text, " \n\t")) {
		return len(r.Text)
	}
	return 0
}
