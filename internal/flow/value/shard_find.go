package value

import (
	"slices"
	"unsafe"

	"mcpproxy/internal/flow/table"
)

// shardRun is a match between a text and a secret.
type shardRun struct {
	secret     int
	start, end int // range in the text's skeleton
	from       int // start in the secret's skeleton
	backwards  bool
}

// find appends the longest matches between secrets and a skeleton. hashes is a buffer for the grams of the skeleton.
func (s *shards) find(dst []shardRun, hashes []uint64, skeleton []byte) ([]shardRun, []uint64) {
	hashes = hashes[:0]
	if s.next == 0 {
		return dst, hashes
	}
	hashes = gramHashes(hashes, skeleton)
	var found [sharedShard]uint32
	first := len(dst)
	for i, h := range hashes {
		if !s.some.Has(h) {
			continue
		}
		places := s.grams.Find(found[:0], h, sharedShard)
		if len(places) == sharedShard {
			continue
		}
		for _, place := range places {
			n := s.at(place)
			j := int(place - s.held[n].place)
			if within(dst[first:], n, i, j) {
				continue
			}
			if r, ok := s.held[n].extend(hashes, i, j); ok {
				r.secret = n
				dst = append(dst, r)
			}
		}
	}
	return dst, hashes
}

// within reports whether a run that was already found contains the match of the gram at i of the text with the gram at
// j of the secret. The runs are sorted, and few of them overlap.
func within(runs []shardRun, secret, i, j int) bool {
	for n := len(runs) - 1; n >= 0 && n >= len(runs)-2*sharedShard; n-- {
		r := &runs[n]
		if r.secret != secret || i < r.start || i+shardGram > r.end {
			continue
		}
		if r.backwards && j-r.from == r.end-shardGram-i || !r.backwards && j-r.from == i-r.start {
			return true
		}
	}
	return false
}

// extend extends the match of the gram at i of a text with the gram at j of the secret in both directions. The text
// may be reversed.
func (h *secret) extend(hashes []uint64, i, j int) (shardRun, bool) {
	start, end := i, i+1
	for start > 0 && j-(i-start) > 0 && h.is(j-(i-start)-1, hashes[start-1]) {
		start--
	}
	for end < len(hashes) && j+(end-i) < len(h.check) && h.is(j+(end-i), hashes[end]) {
		end++
	}
	best := shardRun{start: start, end: end + shardGram - 1, from: j - (i - start)}
	start, end = i, i+1
	for start > 0 && j+(i-start)+1 < len(h.check) && h.is(j+(i-start)+1, hashes[start-1]) {
		start--
	}
	for end < len(hashes) && j-(end-i) >= 0 && h.is(j-(end-i), hashes[end]) {
		end++
	}
	if n := end - start + shardGram - 1; n > best.end-best.start {
		best = shardRun{
			start:     start,
			end:       end + shardGram - 1,
			from:      j - (end - 1 - i),
			backwards: true,
		}
	}
	return best, best.end-best.start >= leastPiece
}

// is reports whether the gram at j of the secret may have the hash g. It compares only the stored bits.
func (h *secret) is(j int, g uint64) bool { return h.check[j] == uint8(g>>16) }

// sweep drops the secrets for which keep is false.
func (s *shards) sweep(keep func(*secret) bool) {
	s.grams.Retain(func(place uint32) bool { return keep(&s.held[s.at(place)]) })
	s.held = kept(s.held, keep)
	if len(s.held) == 0 {
		s.some = table.Sieve{}
	}
	s.recent = [manyPieces]piecePlace{}
}

// kept returns the elements for which keep is true, in a new slice if most are dropped.
func kept[T any](all []T, keep func(*T) bool) []T {
	left := slices.DeleteFunc(all, func(e T) bool { return !keep(&e) })
	if len(left) < cap(left)/2 {
		return slices.Clone(left)
	}
	return left
}

// bytes returns the memory in use, without the sieve.
func (s *shards) bytes() int {
	n, _ := s.grams.Size()
	if len(s.held) > 0 {
		n += int(s.next-s.held[0].place) * 9 / 8 // each place takes a byte of check and a bit of left
	}
	return n + cap(s.held)*int(unsafe.Sizeof(secret{}))
}
