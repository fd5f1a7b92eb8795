package valkey

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// random returns n bytes that are the same in each run.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

func TestAChangeInTheMiddleLeavesThePiecesBehindIt(t *testing.T) {
	content := random(100_000)
	had := map[string]bool{}
	for _, piece := range split(content) {
		had[string(piece)] = true
	}
	changed := bytes.Join([][]byte{content[:50_000], []byte("something else"), content[50_003:]}, nil)
	sent := 0
	for _, piece := range split(changed) {
		if !had[string(piece)] {
			sent += len(piece)
		}
	}
	if sent == 0 || sent > 2*leastAverage*mostFactor {
		t.Errorf("a change of 14 bytes sends %d", sent)
	}
	if n := len(had); n < 200 || n > 800 {
		t.Errorf("%d bytes are %d pieces, want about %d", len(content), n, len(content)/leastAverage)
	}
	if n := len(split(random(2 << 20))); n > 2*mostPieces {
		t.Errorf("2 MB are %d pieces", n)
	}
	if n := len(split(make([]byte, 1<<16))); n > 1<<16/(leastAverage*mostFactor)+1 && n > 1<<16/leastPiece {
		t.Errorf("zeros are %d pieces", n)
	}
}

func TestAListFindsItsContentAndNoOther(t *testing.T) {
	s, err := newSeal("a key of the group, of no value at all")
	if err != nil {
		t.Fatal(err)
	}
	content := random(5000)
	sumOf, pieces := s.summer("here"), map[name][]byte{}
	l := divide(content, nil, sumOf)
	var names []name
	for _, piece := range split(content) {
		names = append(names, sumOf(piece).name())
		pieces[names[len(names)-1]] = piece
	}
	list := l.encode()
	if got, err := join(list, pieces, sumOf); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("the list gives other %d bytes, %v", len(got), err)
	}
	if s.summer("elsewhere")(content).name() == s.summer("here")(content).name() {
		t.Error("equal pieces of two principals have the same name")
	}
	other := random(5001)[:len(pieces[names[0]])]
	for what, bad := range map[string]func() ([]byte, map[name][]byte){
		"a piece is missing": func() ([]byte, map[name][]byte) { return list, nil },
		"the list ends early": func() ([]byte, map[name][]byte) {
			return list[:len(list)-pieceName], pieces
		},
		"a name ends early": func() ([]byte, map[name][]byte) { return list[:len(list)-1], pieces },
		"no digest":         func() ([]byte, map[name][]byte) { return list[:20], pieces },
		"another piece": func() ([]byte, map[name][]byte) {
			changed := map[name][]byte{names[0]: other}
			for _, n := range names[1:] {
				changed[n] = pieces[n]
			}
			return list, changed
		},
	} {
		if got, err := joinWith(sumOf)(bad()); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
}

// joinWith returns join with a function for the sums.
func joinWith(sumOf func([]byte) sum) func([]byte, map[name][]byte) ([]byte, error) {
	return func(list []byte, pieces map[name][]byte) ([]byte, error) { return join(list, pieces, sumOf) }
}

// Everything that was stored is returned unchanged. Other data gives an error but no panic.
func FuzzSqueezed(f *testing.F) {
	f.Add([]byte("a piece of JSON: {\"a\":1,\"a\":1,\"a\":1,\"a\":1,\"a\":1,\"a\":1}"), []byte{})
	f.Add(random(300), []byte{zipped, 0xff, 0xff, 0xff, 0x7f, 0})
	f.Add([]byte{}, []byte{plain})
	f.Add([]byte{plain}, []byte{2})
	f.Fuzz(func(t *testing.T, piece, foreign []byte) {
		var all []byte
		for _, p := range split(piece) {
			stored := squeeze(p)
			if len(stored) > len(p)+1 {
				t.Fatalf("%d bytes are stored as %d", len(p), len(stored))
			}
			back, err := unsqueeze(stored)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, back...)
		}
		if !bytes.Equal(all, piece) {
			t.Errorf("%q came back as %q", piece, all)
		}
		if got, err := unsqueeze(foreign); err == nil && len(got) > mostAverage*mostFactor && len(got) >= len(foreign) {
			t.Errorf("%d bytes became %d", len(foreign), len(got))
		}
		if _, err := join(foreign, nil, func([]byte) sum { return sum{} }); err == nil && len(foreign) != 32 {
			t.Errorf("%q is a list of nothing", foreign)
		}
	})
}

// Measures the cost of a call that changes a few bytes of a session of 100 KB or 10 MB which the server already has.
func BenchmarkChangedPairs(b *testing.B) {
	for _, size := range []int{100 << 10, 10 << 20} {
		b.Run(fmt.Sprint(size>>10, "KB"), func(b *testing.B) {
			s, err := New(Options{URL: "valkey://127.0.0.1:1/0", Key: "a key of the group, of no value at all"})
			if err != nil {
				b.Fatal(err)
			}
			content := random(size)
			written := &Written{lists: map[string]*list{}, pieces: &tally{of: map[name]int{}}}
			commit := func() {
				written.pieces.add(s.change("here", Changes{Saved: map[string][]byte{"one": content}}, written).counts)
			}
			commit()
			for b.Loop() {
				content[size/2]++
				commit()
			}
		})
	}
}

// However a content changes, what is taken from its old list is what dividing it anew gives.
func FuzzDivide(f *testing.F) {
	f.Add(uint16(5000), uint16(100), []byte("inserted"), uint16(3))
	f.Add(uint16(5000), uint16(4999), []byte{}, uint16(1))
	f.Add(uint16(0), uint16(0), []byte("the first"), uint16(0))
	f.Add(uint16(40000), uint16(0), bytes.Repeat([]byte{0}, 5000), uint16(40000))
	f.Add(uint16(700), uint16(700), random(900), uint16(0))
	s, err := newSeal("a key of the group, of no value at all")
	if err != nil {
		f.Fatal(err)
	}
	sumOf := s.summer("here")
	f.Fuzz(func(t *testing.T, size, at uint16, put []byte, cut uint16) {
		content := random(int(size))
		from := min(int(at), len(content))
		to := min(from+int(cut), len(content))
		changed := bytes.Join([][]byte{content[:from], put, content[to:]}, nil)
		old := divide(content, nil, sumOf)
		for _, next := range [][]byte{changed, changed[:from], content, append(changed, content...)} {
			got, want := divide(next, old, sumOf), divide(next, nil, sumOf)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d bytes that were %d are divided into %d pieces, want %d", len(next), len(content), len(got.pieces),
					len(want.pieces))
			}
		}
	})
}
