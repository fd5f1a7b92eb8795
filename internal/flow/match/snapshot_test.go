package match

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"mcpproxy/internal/flow/table"
)

func filled(t testing.TB) *Index {
	r := rand.New(rand.NewPCG(5, 5))
	x := New()
	for i := range 20 {
		doc := document(
			t,
			map[string]string{"text": prose(r, 120), "key": "q7Rk2vXw9LmZt4BcYd8HsN3f" + string(rune('a'+i))},
		)
		x.Add(doc, options, Source{
			ID:      i,
			Origin:  string(rune('a' + i)),
			Public:  i%3 == 0,
			Secrets: []Secret{{Value: doc.Parts[1].Text, Category: "api_token"}},
		})
	}
	x.Thin(4)
	x.Drop(7)
	x.sweep()
	return x
}

func TestASavedIndexIsTheSameAfterLoading(t *testing.T) {
	x := filled(t)
	saved := x.Save(nil)
	y := New()
	if err := y.Load(bytes.NewReader(saved)); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(x.exact, y.exact) {
		t.Errorf("the %d texts before differ from the %d texts after", len(x.exact), len(y.exact))
	}
	if !bytes.Equal(saved, y.Save(nil)) {
		t.Error("saving again gives other bytes")
	}
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 20 {
		doc := document(t, "so: "+prose(r, 120))
		a, b := len(x.Find(NewQuery(doc, nil, options), "")), len(y.Find(NewQuery(doc, nil, options), ""))
		if a != b || a == 0 && i != 4 && i != 7 {
			t.Errorf("text %d: %d hits before, %d after", i, a, b)
		}
	}
	if x.Bytes() != y.Bytes() {
		t.Errorf("%d bytes before, %d after", x.Bytes(), y.Bytes())
	}
	if len(y.free) == 0 {
		t.Error("the loaded index has lost the free numbers of dropped sources")
	}
}

func TestANewTextChangesASavedIndexInOnePlace(t *testing.T) {
	texts := exact{}
	for n := range 200 {
		texts[hashOf(string(rune(n+1)))] = holders{refs: [commonTexts]uint16{uint16(n)}, n: 1}
	}
	var before, after table.Encoder
	texts.save(&before)
	texts[hashOf("one more")] = holders{n: 1}
	texts.save(&after)
	start, end := 4, 0 // the number of texts is the first four bytes
	for start < len(before) && before[start] == after[start] {
		start++
	}
	for end < len(before)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	if changed := len(after) - start - end; changed > 40 {
		t.Errorf("%d of %d bytes changed", changed, len(after))
	}
}

func TestTextsOutOfOrderAreAnError(t *testing.T) {
	saved := table.Encoder{}
	table.PutAll(&saved, uint32(2))
	table.PutAll(&saved, make([]uint8, 1+len(hash{}))...)
	for last, ok := range map[uint8]bool{0: false, 1: true} {
		d := table.Decoder{R: bytes.NewReader(append(bytes.Clone(saved), maxSharedBytes, last))}
		New().loadExact(&d)
		if (d.Err == nil) != ok {
			t.Errorf("a second text whose hash ends in %d: %v", last, d.Err)
		}
	}
}

func TestADamagedIndexIsAnError(t *testing.T) {
	saved := filled(t).Save(nil)
	for n := 0; n < len(saved); n += 1 + len(saved)/200 {
		if err := New().Load(bytes.NewReader(saved[:n])); err == nil {
			t.Fatalf("Load accepts the first %d of %d bytes", n, len(saved))
		}
	}
}

func FuzzLoad(f *testing.F) {
	x := New()
	x.Add(document(f, "a short text that is long enough to be kept in an index"), options, Source{ID: 1})
	f.Add(x.Save(nil))
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		x := New()
		if x.Load(bytes.NewReader(b)) != nil {
			return
		}
		doc := document(t, "a short text that is long enough to be found in an index")
		x.Find(NewQuery(doc, nil, options), "")
		x.Add(doc, options, Source{ID: 77})
		x.sweep()
		if err := New().Load(bytes.NewReader(x.Save(nil))); err != nil {
			t.Errorf("a loaded index is saved in a form that cannot be loaded: %v", err)
		}
	})
}

func TestTextsAreSavedInTheOrderOfTheirHashes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 1000} {
		x := exact{}
		for i := range n {
			sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
			x[hash(sum[:])] = holders{}
		}
		got := x.sorted()
		if len(got) != n || !slices.IsSortedFunc(got, compareHashes) {
			t.Errorf("%d hashes are %d, and sorted: %v", n, len(got), slices.IsSortedFunc(got, compareHashes))
		}
		for _, h := range got {
			delete(x, h)
		}
		if len(x) > 0 {
			t.Errorf("%d of %d hashes are missing", len(x), n)
		}
	}
}
