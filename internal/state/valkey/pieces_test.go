package valkey

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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
	name, pieces := s.namer("here"), map[string][]byte{}
	var names []string
	for _, piece := range split(content) {
		names = append(names, name(piece))
		pieces[name(piece)] = piece
	}
	list := listOf(content, names)
	if got, err := join(list, pieces); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("the list gives other %d bytes, %v", len(got), err)
	}
	if s.namer("elsewhere")(content) == s.namer("here")(content) {
		t.Error("equal pieces of two principals have the same name")
	}
	other := random(5001)[:len(pieces[names[0]])]
	for what, bad := range map[string]func() ([]byte, map[string][]byte){
		"a piece is missing": func() ([]byte, map[string][]byte) { return list, nil },
		"the list ends early": func() ([]byte, map[string][]byte) {
			return list[:len(list)-pieceName], pieces
		},
		"a name ends early": func() ([]byte, map[string][]byte) { return list[:len(list)-1], pieces },
		"no digest":         func() ([]byte, map[string][]byte) { return list[:20], pieces },
		"another piece": func() ([]byte, map[string][]byte) {
			changed := map[string][]byte{names[0]: other}
			for _, n := range names[1:] {
				changed[n] = pieces[n]
			}
			return list, changed
		},
	} {
		if got, err := join(bad()); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
}

// Everything that was stored is returned unchanged. Other data gives an error but no panic.
func FuzzSqueezed(f *testing.F) {
	f.Add([]byte("a piece of JSON: {\"a\":1,\"a\":1,\"a\":1,\"a\":1,\"a\":1,\"a\":1}"), []byte{})
	f.Add(random(300), []byte{zipped, 0x28, 0xb5, 0x2f, 0xfd})
	f.Add([]byte{}, []byte{plain})
	f.Add([]byte{plain}, []byte{2})
	f.Fuzz(func(t *testing.T, piece, foreign []byte) {
		var all []byte
		for _, p := range split(piece) {
			stored, err := squeeze(p)
			if err != nil || len(stored) > len(p)+1 {
				t.Fatalf("%d bytes are stored as %d, %v", len(p), len(stored), err)
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
		if _, err := join(foreign, nil); err == nil && len(foreign) != 32 {
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
			written := &Written{lists: map[string][]string{}}
			had := map[string]bool{}
			if _, err := s.pairs("here", map[string][]byte{"one": content}, had, written); err != nil {
				b.Fatal(err)
			}
			for _, name := range written.lists["one"] {
				had[name] = true
			}
			for b.Loop() {
				content[size/2]++
				if _, err := s.pairs("here", map[string][]byte{"one": content}, had, written); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
