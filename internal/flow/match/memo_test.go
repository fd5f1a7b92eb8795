package match

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAMemoReturnsOnlyStoredAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m memo
		told := map[uint64]bool{}
		hash := rapid.Uint64Range(0, 1<<12)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch h := hash.Draw(t, "hash") &^ answer; rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				m.reset(rapid.IntRange(0, 2000).Draw(t, "letters"))
				clear(told)
			case 1, 2, 3, 4:
				told[h] = rapid.Bool().Draw(t, "answer")
				m.keep(h, told[h])
			default:
				yes, known := m.recall(h)
				if want, ok := told[h]; known && (!ok || yes != want) {
					t.Fatalf("%x: recall returns %t, but keep stored %t (%t)", h, yes, want, ok)
				}
			}
		}
	})
}

func TestAMemoRemembersUntilItIsReset(t *testing.T) {
	var m memo
	m.keep(8, true)
	if _, known := m.recall(8); known {
		t.Error("a memo without slots has an answer")
	}
	m.reset(10)
	m.keep(8, true)
	m.keep(12, false)
	if yes, known := m.recall(8); !yes || !known {
		t.Errorf("recall(8) = %t, %t", yes, known)
	}
	if yes, known := m.recall(12); yes || !known {
		t.Errorf("recall(12) = %t, %t", yes, known)
	}
	m.reset(10)
	if _, known := m.recall(8); known {
		t.Error("a reset memo has an answer of an earlier search")
	}
}
