package intent

import "testing"

func TestThereIsRoomForEveryLanguage(t *testing.T) {
	entries, err := files.ReadDir("lexicon")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > maxLanguages {
		t.Errorf("%d word lists, room for %d", len(entries), maxLanguages)
	}
}

func BenchmarkReadLexicons(b *testing.B) {
	for b.Loop() {
		readLexicons()
	}
}
