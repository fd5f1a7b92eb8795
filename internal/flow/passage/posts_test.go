package passage

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is a simple implementation of posts.
type naive map[key][]uint32

func (m naive) add(k key, passage, oldest uint32) {
	l := m[k]
	if len(l) > maxPosts || slices.Contains(l, passage) {
		return
	}
	if len(l) == maxPosts {
		l = slices.DeleteFunc(l, func(n uint32) bool { return n < oldest })
	}
	m[k] = append(l, passage)
}

func (m naive) of(k key) []uint32 {
	if len(m[k]) > maxPosts {
		return nil
	}
	out := slices.Clone(m[k])
	slices.Reverse(out)
	return out
}

func TestPostsAreThePassagesThatHoldAWord(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	got, want := posts{words: map[key]list{}}, naive{}
	const keys, room = 40, 150
	compare := func(when string) {
		t.Helper()
		live := 0
		for k := range key(keys) {
			live += len(want[k])
			if g, w := slices.Collect(got.of(k)), want.of(k); !slices.Equal(g, w) {
				t.Fatalf("%s: word %d is in passages %d, want %d", when, k, g, w)
			}
		}
		if got.live != live || len(got.all) < live {
			t.Fatalf("%s: %d posts of %d, want %d", when, got.live, len(got.all), live)
		}
	}
	for n := range uint32(3000) {
		oldest := n - min(n, room)
		for range 20 {
			k := key(min(rnd.IntN(keys), rnd.IntN(keys), rnd.IntN(keys))) // some words occur in most passages
			got.add(k, n, oldest)
			want.add(k, n, oldest)
		}
		if n%500 == 0 {
			compare("after words were added")
		}
	}
	alive := func(n uint32) bool { return n > 2900 && n%5 != 0 }
	forget := func() {
		for k, l := range want {
			want[k] = slices.DeleteFunc(l, func(n uint32) bool { return !alive(n) })
		}
	}
	got.sweep(alive)
	forget()
	compare("after posts were swept")
	alive = func(n uint32) bool { return n > 2950 && n%3 != 0 }
	got.keep(alive)
	forget()
	compare("after passages were forgotten")
	if len(got.all) != got.live {
		t.Errorf("%d posts take the memory of %d", got.live, len(got.all))
	}
	other := posts{words: map[key]list{}}
	for n := range uint32(30) {
		for k := range key(keys / 2) {
			other.add(k, n, 0)
			if len(want[k]) <= maxPosts {
				want[k] = append(want[k], 5000+n)
			}
		}
	}
	got.absorb(&other, 5000)
	compare("after another index was taken over")
}
