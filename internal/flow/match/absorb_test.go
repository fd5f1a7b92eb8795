package match

import (
	"math/rand/v2"
	"testing"
)

func TestAnIndexKnowsTheDataOfTheIndexThatItAbsorbs(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	one, two := prose(r, 40), prose(r, 40)
	x, y := New(), New()
	x.Add(document(t, one), options, Source{ID: 0, Origin: "a"})
	y.Add(
		document(t, two),
		options,
		Source{ID: 0, Origin: "b", Secrets: []Secret{{Value: "q7Rk2vXw9LmZt4BcYd8HsN3f", Category: "api_token"}}},
	)
	y.Publish(document(t, one), options)
	x.Absorb(y, 10)
	for s, want := range map[string]int{two: 10, "q7Rk2vXw9LmZt4BcYd8HsN3f": 10} {
		if hits := x.Find(NewQuery(document(t, "so "+s), nil, options), ""); len(hits) != 1 || hits[0].Source != want {
			t.Errorf("%s: %+v", s, hits)
		}
	}
	if hits := x.Find(NewQuery(document(t, "so "+one), nil, options), ""); len(hits) != 0 {
		t.Errorf("text that is public in the absorbed index is a hit: %+v", hits)
	}
}
