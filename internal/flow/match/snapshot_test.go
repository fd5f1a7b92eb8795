package match

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"testing"
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
		t.Errorf("%d texts before, others after, %d", len(x.exact), len(y.exact))
	}
	rest := func(x *Index) []byte { // the part with a fixed order
		copied := *x
		copied.exact = nil
		return copied.Save(nil)
	}
	if !bytes.Equal(rest(x), rest(y)) {
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
		t.Error("the room of what was dropped is lost")
	}
}

func TestADamagedIndexIsAnError(t *testing.T) {
	saved := filled(t).Save(nil)
	for n := 0; n < len(saved); n += 1 + len(saved)/200 {
		if err := New().Load(bytes.NewReader(saved[:n])); err == nil {
			t.Fatalf("the first %d of %d bytes are an index", n, len(saved))
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
			t.Errorf("what was taken is written so that it cannot be read: %v", err)
		}
	})
}
