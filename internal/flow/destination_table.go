package flow

import "crypto/sha256"

// key is the hash of a value. The value itself is not stored.
type key [16]byte

// keyOf returns the key of a value in a name space, such as 'h' for hosts.
func keyOf(space byte, value string) key {
	var room [256]byte // most values fit without an allocation
	return keyOfBytes(append(append(room[:0], space), value...))
}

// keyOfBytes returns the key of the value that follows its name space in b.
func keyOfBytes(b []byte) key {
	sum := sha256.Sum256(b)
	return key(sum[:16])
}

// The name spaces of keys.
const (
	inHosts        = 'h' // hosts and the URLs below them
	inMails        = 'm' // e-mail addresses
	inNames        = 'n' // names and channels, folded
	inSites        = 'o' // words of the user that can be the name of a site: letters and digits only
	inDigits       = 'd' // telephone and account numbers: letters and digits only
	inWords        = 'w' // words of instructions: letters and digits only
	inMade         = 'c' // objects that the session created
	inAttached     = 'a' // names under which documents were read
	inHanded       = 't' // sensitive values together with their receivers
	inSpelledHosts = 's' // the hosts and URLs in instructions: letters and digits only
)

// Limits of what a session records about destinations. The oldest entries are dropped first.
const (
	maxChosen   = 1 << 15 // values that the user named
	maxMet      = 1 << 16 // values in results
	maxDictated = 1 << 16 // word sequences of instructions
)

// table is a map with a bounded number of entries.
type table[T any] struct {
	of      map[key]T
	order   []key // the oldest first
	evicted int
}

func (t *table[T]) has(k key) bool { _, ok := t.of[k]; return ok }

// put stores v and drops the oldest entries beyond limit.
func (t *table[T]) put(k key, v T, limit int) {
	if t.of == nil {
		t.of = map[key]T{}
	}
	if _, ok := t.of[k]; !ok {
		if len(t.order) >= limit {
			delete(t.of, t.order[0])
			t.order = t.order[1:]
			t.evicted++
		}
		t.order = append(t.order, k)
	}
	t.of[k] = v
}
