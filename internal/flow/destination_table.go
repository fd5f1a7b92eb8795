package flow

import "crypto/sha256"

// key stands for a value, so that no plaintext is kept.
type key [16]byte

// keyOf is the key of a value in a name space, such as 'h' for hosts.
func keyOf(space byte, value string) key {
	b := make([]byte, 1, 1+len(value))
	b[0] = space
	sum := sha256.Sum256(append(b, value...))
	return key(sum[:16])
}

// The name spaces of keys.
const (
	inHosts        = 'h' // hosts and the URLs below them
	inMails        = 'm' // e-mail addresses
	inNames        = 'n' // names and channels, folded
	inDigits       = 'd' // telephone and account numbers: letters and digits only
	inWords        = 'w' // the words of instructions: letters and digits only
	inMade         = 'c' // things that the session has created
	inHanded       = 't' // sensitive values with whom they were handed to
	inSpelledHosts = 's' // the hosts and URLs in instructions: letters and digits only
)

// Limits of what a session knows of destinations. The oldest are forgotten first.
const (
	maxChosen   = 1 << 15 // values that the user named
	maxMet      = 1 << 16 // values in results
	maxDictated = 1 << 16 // runs of words in instructions
)

// table remembers a bounded number of values.
type table[T any] struct {
	of      map[key]T
	order   []key // the oldest first
	evicted int
}

func (t *table[T]) has(k key) bool { _, ok := t.of[k]; return ok }

// put remembers v and forgets the oldest beyond limit.
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
