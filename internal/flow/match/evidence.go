package match

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"mcpproxy/internal/flow/gram"
)

const (
	// threshold is the minimum evidence, in bits, of a candidate that becomes a hit.
	threshold = 60
	// tolerance is the length of a skeleton, in letters, from which chance matches become more likely.
	tolerance = 128
	// crowd is the number of k-grams in an index from which chance matches become more likely. Each doubling of the
	// number adds a fixed number of bits.
	crowd      = 4096
	crowdCosts = 4
)

// agreement holds, in order, the runs of a piece's skeleton that one source contains too.
type agreement struct {
	ref  uint16
	runs []run
}

type run struct{ start, end int }

// fingerprinted finds the sources that share runs of text with a piece. Together, the runs with one source must have
// at least minLength characters.
func (x *Index) fingerprinted(p *piece, minLength int, found []candidate) []candidate {
	s := x.work()
	shared := x.agreements(p.skeleton)
	if len(shared) == 0 {
		return found
	}
	s.costs = p.cost(s.costs[:0])
	sums, doubt := s.sums(), x.doubt(len(p.skeleton))
	if shared = few(shared, func(a *agreement) bool { return a.most(sums)-doubt >= threshold }); len(shared) == 0 {
		return found
	}
	s.whole = append(s.whole[:0], sums...)
	weighed := x.weighShared(p, shared, doubt)
	for _, a := range shared {
		sums := weighed
		if x.sources[a.ref].public {
			sums = s.whole
		}
		bits := 0.0
		start := -1
		end := 0
		length := 0
		for _, r := range a.runs {
			part := float64(sums[r.end] - sums[r.start])
			if part == 0 || r.end <= p.before { // earlier calls sent all of it, so this call adds nothing
				continue
			}
			if start < 0 {
				start = r.start
			}
			bits = bits + part
			end = r.end
			length = length + r.end - r.start
		}
		if bits -= doubt; bits >= threshold && length >= minLength {
			found = append(found, candidate{
				ref:   a.ref,
				bits:  bits,
				piece: p,
				start: max(start, p.before),
				end:   end,
			})
		}
	}
	return found
}

// few returns the agreements for which worth holds, in order. It moves the other agreements behind the end, where the
// next piece reuses their memory.
func few(shared []agreement, worth func(*agreement) bool) []agreement {
	n := 0
	for i := range shared {
		if worth(&shared[i]) {
			shared[n], shared[i] = shared[i], shared[n]
			n++
		}
	}
	return shared[:n]
}

// weighShared returns the cumulated weighted costs of a piece if the piece shares text with internal sources. It makes
// the expensive checks only for agreements that have enough evidence without them.
func (x *Index) weighShared(p *piece, shared []agreement, doubt float64) []float32 {
	s := x.work()
	w := s.weights(len(p.skeleton))
	for i, takeOff := range []func(asked []run){
		func(asked []run) { x.weighStops(w, &s.grams, asked, s.whole) },
		func(asked []run) { x.weighPublic(w, &s.grams, asked) },
		func(asked []run) { p.weighLooks(w, asked) },
	} {
		asked := s.stretches(
			func(a *agreement) bool { return !x.sources[a.ref].public && a.most(s.sum)-doubt >= threshold },
			shared,
		)
		if len(asked) == 0 {
			break
		}
		if i > 0 { // for a text of megabytes, a cache would need three times the memory
			s.costs = p.cost(s.costs[:0])
		}
		takeOff(asked)
		for i, weight := range w {
			s.costs[i] *= weight
		}
		s.sums()
	}
	return s.sum
}

// agreements looks up the k-grams of a piece. It ignores a k-gram that many sources hold. The result is valid until
// the next call.
func (x *Index) agreements(skeleton []byte) []agreement {
	out, g := x.work().shared[:0], &x.work().grams
	g.reset(skeleton)
	for start, end := range x.promising() {
		hashes := g.in(start, end)
		for _, at := range x.likely(&x.work().likely, hashes) {
			i := start + int(at)
			for _, ref := range x.holders(hashes[at]) {
				if x.places[ref] == 0 {
					out = another(out, ref)
					x.places[ref] = int32(len(out))
				}
				out[x.places[ref]-1].extend(i)
			}
		}
	}
	for i := range out {
		x.places[out[i].ref] = 0
	}
	x.work().shared = out
	return out
}

// likely returns, in buf, the positions of the k-grams that sources may hold. The check is cheap and may report too
// many.
func (x *Index) likely(buf *[]int32, hashes []uint64) []int32 {
	s := x.work()
	s.asked, s.ahead = s.asked[:0], s.ahead[:0]
	for i, h := range hashes {
		if yes, known := s.held.recall(h); !known || yes {
			s.asked, s.ahead = append(s.asked, int32(i)), append(s.ahead, h)
		}
	}
	found, seen := x.grams.Likely((*buf)[:0], s.ahead)
	s.warmed |= seen
	next := 0
	for n, at := range s.asked {
		yes := next < len(found) && int(found[next]) == n
		if yes {
			found[next] = at
			next++
		}
		s.held.keep(hashes[at], yes)
	}
	*buf = found
	return found
}

// another appends an agreement without runs. It reuses the memory of earlier pieces.
func another(out []agreement, ref uint16) []agreement {
	if n := len(out); n < cap(out) {
		out = out[:n+1]
		out[n].ref, out[n].runs = ref, out[n].runs[:0]
		return out
	}
	return append(out, agreement{ref: ref})
}

// holders returns the sources that hold a k-gram, or nil if too many hold it.
func (x *Index) holders(h uint64) []uint16 {
	s := x.work()
	s.refs = x.grams.Find(s.refs[:0], h, commonSources)
	n := 0
	for _, ref := range s.refs {
		if src := &x.sources[ref]; !src.thin && !src.gone {
			s.refs[n] = ref
			n++
		}
	}
	s.refs = s.refs[:n]
	if n == commonSources {
		s.refs = s.refs[:0]
	}
	if len(s.refs) == 0 {
		s.held.keep(h, false) // cached as not held, because too many sources hold it
	}
	return s.refs
}

// shortPiece is the number of k-grams up to which all k-grams of a piece are looked up.
const shortPiece = 400

// promising yields the ranges of k-grams to look up. For a short text that is the whole text. For a longer text these
// are the known winnowed k-grams and the k-grams around the ends of each run. Between two neighbouring winnowed
// k-grams of one source, no lookup is necessary.
func (x *Index) promising() iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		n := x.work().grams.count()
		if n <= shortPiece {
			yield(0, n)
			return
		}
		s := x.work()
		s.pick()
		likely := x.likely(&s.marked, s.few)
		next := 0                // end of the last range
		var before, now []uint16 // sources of the previous k-gram and of this one
		for i, at := range s.picked {
			before, now = now, before[:0]
			if len(likely) > 0 && int(likely[0]) == i {
				now, likely = append(now, x.holders(s.few[i])...), likely[1:]
			}
			start, end := max(int(at)-gram.K, next), int(at)+1
			switch {
			case len(now) > 0 && overlap(before, now):
				start = int(at)
			case len(now) == 0 && len(before) > 0:
				start, end = next, min(next+gram.K, n)
			case len(now) == 0:
				continue
			}
			if !yield(start, end) {
				return
			}
			next = end
		}
		if len(now) > 0 {
			yield(next, min(next+gram.K, n))
		}
	}
}

// overlap reports whether two short lists have an element in common.
func overlap(a, b []uint16) bool {
	return slices.ContainsFunc(a, func(r uint16) bool { return slices.Contains(b, r) })
}

// most returns the evidence of an agreement without any deductions.
func (a *agreement) most(sums []float32) float64 {
	bits := float32(0)
	for _, r := range a.runs {
		bits += sums[r.end] - sums[r.start]
	}
	return float64(bits)
}

// stretches returns the ranges of a piece with the agreements for which counts holds, in order.
func (s *scratch) stretches(counts func(*agreement) bool, shared []agreement) []run {
	out := s.runs[:0]
	for i := range shared {
		if counts(&shared[i]) {
			out = append(out, shared[i].runs...)
		}
	}
	slices.SortFunc(out, func(a, b run) int { return cmp.Compare(a.start, b.start) })
	n := 0
	for _, r := range out {
		if n > 0 && r.start <= out[n-1].end+gram.K {
			out[n-1].end = max(out[n-1].end, r.end)
			continue
		}
		out[n] = r
		n++
	}
	out = out[:n]
	s.runs = out
	return out
}

// extend adds the k-gram at i. A gap that winnowing causes does not end a run.
func (a *agreement) extend(i int) {
	if n := len(a.runs); n > 0 && i <= a.runs[n-1].end+gram.W {
		a.runs[n-1].end = i + gram.K
		return
	}
	a.runs = append(a.runs, run{i, i + gram.K})
}

// doubt returns the number of bits that may match by chance.
func (x *Index) doubt(length int) float64 {
	_, n := x.grams.Size()
	return math.Log2(math.Max(1, float64(length)/tolerance)) + crowdCosts*math.Log2(math.Max(1, float64(n)/crowd))
}

// candidate is an agreement that may become a hit.
type candidate struct {
	ref        uint16
	bits       float64
	piece      *piece
	start, end int // range in the piece's skeleton
}

// hits returns the best candidate of each source with its positions. If many sources have the same text, it returns
// only some of them, and internal sources come first, so that external results cannot displace them.
func (x *Index) hits(found []candidate, hits []Hit) []Hit {
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.ref, b.ref), cmp.Compare(b.bits, a.bits))
	})
	found = slices.CompactFunc(found, func(a, b candidate) bool { return a.ref == b.ref })
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(b2i(x.sources[a.ref].public)-b2i(x.sources[b.ref].public), cmp.Compare(b.bits, a.bits))
	})
	for _, c := range found[:min(len(found), maxHits)] {
		hits = append(hits, Hit{
			Source:  x.sources[c.ref].id,
			Match:   "fingerprint",
			Bits:    c.bits,
			Spans:   c.piece.spans(c.start, c.end),
			Decoded: c.piece.decoded,
			Bytes:   c.end - c.start,
		})
	}
	return hits
}

// maxHits is the maximum number of sources reported for a document.
const maxHits = 20
