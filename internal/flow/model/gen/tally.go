package main

import "slices"

// A keyCounter finds the keys that several owners have.
type keyCounter struct {
	own []uint64 // keys of the current owner, with duplicates
	all []uint64 // keys of the earlier owners, each once per owner
}

// sweep is the number of keys after which duplicates are dropped.
const sweep = 1 << 22

func (t *keyCounter) add(key uint64) {
	if t.own = append(t.own, key); len(t.own) == cap(t.own) && len(t.own) >= sweep {
		t.own = distinct(t.own)
	}
}

// done ends the keys of one owner.
func (t *keyCounter) done() {
	t.all = append(t.all, distinct(t.own)...)
	t.own = t.own[:0]
}

// common returns the keys of at least n owners, ascending.
func (t *keyCounter) common(n int) []uint64 {
	slices.Sort(t.all)
	var out []uint64
	for i, j := 0, 0; i < len(t.all); i = j {
		for j = i; j < len(t.all) && t.all[j] == t.all[i]; j++ {
		}
		if j-i >= n {
			out = append(out, t.all[i])
		}
	}
	return out
}

// distinct sorts keys and drops duplicates.
func distinct(keys []uint64) []uint64 {
	slices.Sort(keys)
	return slices.Compact(keys)
}
