package match

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"mcpproxy/internal/flow/gram"
)

const (
	// threshold is the evidence, in bits, from which an agreement is a flow.
	threshold = 60
	// tolerance is the length of skeleton from which length itself makes chance
	// agreements likelier.
	tolerance = 128
	// crowd is the number of k-grams an index holds from which its size does, by so
	// many bits each time that it doubles.
	crowd      = 4096
	crowdCosts = 4
)

// agreement is what a piece has in common with one source: runs of its skeleton,
// in order.
type agreement struct {
	ref  uint16
	runs []run
}

type run struct{ start, end int }

// fingerprinted finds the sources that share runs of text with a piece, of at
// least some characters together.
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
			if part == 0 || r.end <= p.before { // or earlier calls said all of it
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

// few are the agreements that are worth it, in order. The others keep their memory,
// for the next piece.
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

// weighShared are the sums of a piece's costs by weight, where sources from inside
// share something with it. What is dear to find out is found out where without it
// there is evidence.
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
		if i > 0 { // read again and not remembered: of a text of megabytes, that would be three times as many
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

// agreements looks the k-grams of a piece up. A gram that many sources hold is no
// evidence. What is returned is good until the next piece is looked up.
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

// likely are the positions of the k-grams that sources may hold, in buf.
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

// another appends an agreement without runs, in the memory of one of an earlier
// piece where there is one.
func another(out []agreement, ref uint16) []agreement {
	if n := len(out); n < cap(out) {
		out = out[:n+1]
		out[n].ref, out[n].runs = ref, out[n].runs[:0]
		return out
	}
	return append(out, agreement{ref: ref})
}

// holders returns the sources that hold a k-gram. It returns none if they are many.
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
		s.held.keep(h, false) // it is not worth another look
	}
	return s.refs
}

// shortPiece is the number of k-grams that are all looked up.
const shortPiece = 400

// promising yields the stretches of k-grams that are worth looking up: all of a
// short text. Of a longer one, the winnowed grams that are known, and what stands
// around where they begin and end: between two of one source that follow each
// other, winnowing has left it nothing else.
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
		next := 0                // what is yielded ends before it
		var before, now []uint16 // sources of the last gram, and of this one
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

// overlap reports whether two short lists have something in common.
func overlap(a, b []uint16) bool {
	return slices.ContainsFunc(a, func(r uint16) bool { return slices.Contains(b, r) })
}

// most is the evidence of an agreement when nothing is taken off it.
func (a *agreement) most(sums []float32) float64 {
	bits := float32(0)
	for _, r := range a.runs {
		bits += sums[r.end] - sums[r.start]
	}
	return float64(bits)
}

// stretches are the parts of a piece in which there are agreements that count, in order.
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

// extend adds the k-gram at i. A gap that winnowing explains does not end a run.
func (a *agreement) extend(i int) {
	if n := len(a.runs); n > 0 && i <= a.runs[n-1].end+gram.W {
		a.runs[n-1].end = i + gram.K
		return
	}
	a.runs = append(a.runs, run{i, i + gram.K})
}

// doubt is the evidence that chance alone may bring.
func (x *Index) doubt(length int) float64 {
	_, n := x.grams.Size()
	return math.Log2(math.Max(1, float64(length)/tolerance)) + crowdCosts*math.Log2(math.Max(1, float64(n)/crowd))
}

// candidate is an agreement that may become a hit.
type candidate struct {
	ref        uint16
	bits       float64
	piece      *piece
	start, end int // of the piece's skeleton
}

// hits are the best candidates of each source, with their places: those of a few
// sources, where many have the same. What came from inside comes first, so that
// results from outside cannot crowd it out.
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

// maxHits is the number of sources that a document is said to repeat.
const maxHits = 20
