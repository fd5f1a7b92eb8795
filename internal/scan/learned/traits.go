package learned

import "sync"

// bucketBits is the number of bits of a trait's number.
const bucketBits = 18

// Buckets is the number of traits that the model distinguishes.
const Buckets = 1 << bucketBits

// Group is a kind of traits. The traits of a group share its weight, so that a long sentence counts as much as a
// short one.
type Group uint8

// The groups of traits.
const (
	Words  Group = iota // words, and pairs of words
	Pieces              // stretches of letters within words
	Frames              // acts, their objects, meanings
	groups
)

// damping is added to the number of traits of a group, so that sentences with few traits do not count too much.
var damping = [groups]float64{30, 100, 30}

// Traits are the traits of one sentence. The zero value has none.
type Traits struct {
	of   [groups][]uint32
	seen [groups][Buckets / 64]uint64
}

// FNV-1a.
const (
	hashStart = 14695981039346656037
	hashTimes = 1099511628211
)

// bucket returns the number of a trait with the hash h.
func bucket(h uint64) uint32 {
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return uint32((h ^ h>>32) & (Buckets - 1))
}

// Text adds a trait of a family from parts, which are joined by spaces.
func (t *Traits) Text(g Group, family byte, parts ...string) {
	h := (hashStart ^ uint64(family)) * hashTimes
	for i, s := range parts {
		if i > 0 {
			h = (h ^ ' ') * hashTimes
		}
		for j := 0; j < len(s); j++ {
			h = (h ^ uint64(s[j])) * hashTimes
		}
	}
	t.add(g, bucket(h))
}

// Number adds a trait of a family from three numbers.
func (t *Traits) Number(g Group, family byte, a, b, c int) {
	h := (hashStart ^ uint64(family)) * hashTimes
	for _, n := range [...]int{a, b, c} {
		h = (h ^ uint64(n)) * hashTimes
		h ^= h >> 31
	}
	t.add(g, bucket(h))
}

func (t *Traits) add(g Group, b uint32) {
	if word, bit := &t.seen[g][b/64], uint64(1)<<(b%64); *word&bit == 0 {
		*word |= bit
		t.of[g] = append(t.of[g], b)
	}
}

// Reset removes all traits.
func (t *Traits) Reset() {
	for g := range t.of {
		for _, b := range t.of[g] {
			t.seen[g][b/64] = 0
		}
		t.of[g] = t.of[g][:0]
	}
}

// Each calls f for every trait of t, with the factor of its group.
func (t *Traits) Each(f func(bucket uint32, say float32)) {
	for g := range t.of {
		say := sayOf(Group(g), len(t.of[g]))
		for _, b := range t.of[g] {
			f(b, say)
		}
	}
}

var pool = sync.Pool{New: func() any { return new(Traits) }}

// Borrow returns an empty set of traits from the pool. Give it back with [Return].
func Borrow() *Traits { return pool.Get().(*Traits) }

// Return gives t back to the pool. It must not be used afterwards.
func Return(t *Traits) {
	t.Reset()
	pool.Put(t)
}
