package value

import (
	"math/bits"
	"slices"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/table"
)

const (
	shardGram   = 5       // bytes of skeleton in a gram; pieces of secrets are found by their grams
	shardStep   = 2       // a gram is stored for every shardStep bytes
	shardBits   = 21      // minimum information of a stored gram of a secret that contains words
	leastPiece  = 6       // bytes of the shortest piece that is found
	shortBits   = 31      // information of a piece that counts if it continues another piece
	longBits    = 41      // information of a piece that counts on its own
	maxShards   = 2048    // bytes of a secret that are tracked
	sharedShard = 8       // a gram of this many secrets is ignored
	wordBits    = 4.5     // maximum information of a byte in a word
	hexBits     = 4       // information of a random hexadecimal digit
	letterBits  = 5.17    // information of a random digit or letter in one case
	manyPieces  = 64      // number of last pieces that the next piece may continue
	maxPlace    = 1 << 31 // a larger saved place is damage, because no process reads that many secrets
	plainBits   = 4.8     // a piece of a secret with words is common text if its bytes have less information
	wordWindow  = 8       // length of a stretch that is tested for words
)

// shards tracks which pieces of secrets are sent, over all calls of a session. Of each secret it stores hashes of some
// 5-grams, and which bytes were sent. A piece counts if it has eight bytes, or eleven hexadecimal digits. A piece of
// six or seven bytes counts only if it continues another piece. Otherwise chance matches would add up.
type shards struct {
	grams  table.Table[uint32] // from the hash of a gram to its place, counted over all secrets
	some   table.Sieve         // rules out most hashes that are not in grams
	held   []secret            // sorted by place
	next   uint32
	recent [manyPieces]piecePlace
	turn   int
}

// secret is one secret of a source.
type secret struct {
	hash    uint64
	entry   uint32   // number of the secret in the session
	place   uint32   // place of its first byte
	size    uint16   // tracked bytes of the skeleton
	perByte float32  // information of a byte, if it is random
	random  bool     // it contains no words
	telling uint16   // number of its bytes that are not part of words
	check   []uint8  // eight bits of the hash of each gram
	left    []uint64 // bit set of the bytes that were sent
}

// piecePlace is a range of a secret.
type piecePlace struct{ start, end uint32 }

// add stores a secret if it is long enough and some of its grams carry information.
func (s *shards) add(held secret, skeleton []byte) {
	if len(skeleton) < minKey {
		return
	}
	skeleton = skeleton[:min(len(skeleton), maxShards)]
	costs := model.Cost(skeleton, nil)
	held.perByte = alphabetBits(skeleton)
	held.random = held.perByte == hexBits || wordless(costs)
	seen := make(map[uint64]bool)
	covered := 0 // end of the last gram with enough information
	grams := gramHashes(nil, skeleton)
	for i := 0; i+shardGram <= len(skeleton); i++ {
		if !held.random && sum(costs[i:i+shardGram]) < shardBits {
			continue
		}
		held.telling += uint16(i + shardGram - max(i, covered))
		covered = i + shardGram
		if h := grams[i]; i%shardStep == 0 && !seen[h] {
			seen[h] = true
			s.some.Add(h)
			s.grams.Add(h, s.next+uint32(i))
		}
	}
	if len(seen) == 0 {
		return
	}
	held.place, held.size = s.next, uint16(len(skeleton))
	held.left = make([]uint64, (len(skeleton)+63)/64)
	held.check = make([]uint8, len(grams))
	for i, h := range grams {
		held.check[i] = uint8(h >> 16)
	}
	s.held = append(s.held, held)
	s.next += uint32(len(skeleton)) + 1
}

// wordless reports whether no part of a skeleton with these costs looks like a word.
func wordless(costs []float32) bool {
	for i := 0; i+wordWindow <= len(costs); i++ {
		if sum(costs[i:i+wordWindow]) < wordBits*wordWindow {
			return false
		}
	}
	return true
}

// gramHashes appends the hash of every gram of a skeleton. It is a rolling hash, and it is the same forwards and
// backwards.
func gramHashes(dst []uint64, skeleton []byte) []uint64 {
	if len(skeleton) < shardGram {
		return dst
	}
	dst = slices.Grow(dst, len(skeleton)-shardGram+1)
	var forward, backward uint64
	for i := range shardGram {
		forward = forward*table.TokenBase + table.LetterValues[skeleton[i]]
		backward = backward*table.TokenBase + table.LetterValues[skeleton[shardGram-1-i]]
	}
	dst = append(dst, table.Scramble(forward+backward))
	for i, c := range skeleton[shardGram:] {
		in, out := table.LetterValues[c], table.LetterValues[skeleton[i]]
		forward = forward*table.TokenBase + in - out*table.Powers[shardGram]
		backward = (backward-out)*table.TokenInverse + in*table.Powers[shardGram-1]
		dst = append(dst, table.Scramble(forward+backward))
	}
	return dst
}

// at returns the secret that contains a place.
func (s *shards) at(place uint32) int {
	i, found := slices.BinarySearchFunc(
		s.held,
		place,
		func(h secret, place uint32) int { return int(int64(h.place) - int64(place)) },
	)
	if !found {
		i--
	}
	return i
}

// needed returns how many bytes of a secret must be sent for a hit.
func (h *secret) needed() int { return max(minKey, min((int(h.telling)*2+4)/5, 48)) }

// trusts reports whether a piece of that length belongs to the secret, whatever characters it has.
func (h *secret) trusts(size int) bool { return h.random && float32(size)*h.perByte >= longBits }

// gone returns the number of its bytes that were sent.
func (h *secret) gone() int {
	n := 0
	for _, word := range h.left {
		n += bits.OnesCount64(word)
	}
	return n
}

func (h *secret) mark(start, end int) {
	for i := start; i < end; i++ {
		h.left[i/64] |= 1 << (i % 64)
	}
}

// leave records that bytes [start, end) of a secret are sent. It reports whether the piece counts. A short piece
// counts if it continues another.
func (s *shards) leave(h *secret, start, end int) bool {
	information := float32(end-start) * h.perByte
	if information < shortBits {
		return false
	}
	p := piecePlace{h.place + uint32(start), h.place + uint32(end)}
	counts := information >= longBits
	for _, r := range s.recent {
		if r.end > r.start && r.start <= p.end && p.start <= r.end && r != p {
			counts = true
			h.mark(int(r.start-h.place), int(r.end-h.place))
		}
	}
	if counts {
		h.mark(start, end)
	}
	s.recent[s.turn%len(s.recent)] = p
	s.turn++
	return counts
}

// alphabetBits returns the information of a byte of a random skeleton, which depends on the kinds of its characters.
func alphabetBits(skeleton []byte) float32 {
	hex, digits := true, true
	for _, c := range skeleton {
		digits = digits && IsDigit(c)
		hex = hex && isHex(c)
	}
	switch {
	case digits:
		return digitBits
	case hex:
		return hexBits
	}
	return letterBits
}
