package flow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"mcpproxy"
)

// Whatever has happened to a session between two saves, the second one writes what a first one would write.
func TestWhatIsEncodedBeforeIsWhatIsThere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s, made := NewSession(), 0
	steps := []struct {
		name string
		do   func()
	}{
		{"reads", func() {
			for range r.IntN(50) {
				made++
				o := &mcpproxy.Origin{CallID: fmt.Sprint("call-", made), Tool: "read"}
				if made%7 == 0 {
					o.Sensitive = []string{"api_token"}
				}
				s.add(o)
			}
		}},
		{"sends", func() {
			made++
			edges := make([]mcpproxy.Edge, r.IntN(500))
			s.remember(&mcpproxy.Call{ID: fmt.Sprint("call-", made), Tool: "send"}, Lineage{Edges: edges})
		}},
		{"forgets", func() {
			for range min(r.IntN(20), len(s.origins)) {
				s.evict(1, s.next, drop)
			}
		}},
		{"absorbs another session", func() {
			other := NewSession()
			other.add(&mcpproxy.Origin{CallID: fmt.Sprint("other-", made)})
			other.moves = append(other.moves, Move{CallID: "long ago", Time: time.Unix(1, 0)})
			s.absorb(other)
		}},
	}
	for range 40 {
		step := steps[r.IntN(len(steps))]
		step.do()
		origins, moves, err := s.coded.encode(s)
		if err != nil {
			t.Fatal(err)
		}
		var gotOrigins map[int]*mcpproxy.Origin
		var gotMoves []Move
		if err := json.Unmarshal(origins, &gotOrigins); err != nil {
			t.Fatalf("after it %s: %v", step.name, err)
		}
		if err := json.Unmarshal(moves, &gotMoves); err != nil {
			t.Fatalf("after it %s: %v", step.name, err)
		}
		if !reflect.DeepEqual(gotOrigins, s.origins) {
			t.Fatalf("after it %s, %d origins are written, which are not the %d", step.name, len(gotOrigins), len(s.origins))
		}
		if len(gotMoves) != len(s.moves) {
			t.Fatalf("after it %s, %d moves are written, want %d", step.name, len(gotMoves), len(s.moves))
		}
		for i, m := range gotMoves {
			if m.CallID != s.moves[i].CallID || !m.Time.Equal(s.moves[i].Time) {
				t.Fatalf("after it %s, move %d is that of %s, want %s", step.name, i, m.CallID, s.moves[i].CallID)
			}
		}
	}
	if s.total < 2*maxMoves || s.evicted == 0 {
		t.Errorf("only %d moves were made, and %d origins forgotten", s.total, s.evicted)
	}
	if s.coded.size == 0 || s.coded.size > s.bytes() {
		t.Errorf("the JSON takes %d bytes, and the session %d", s.coded.size, s.bytes())
	}
}
