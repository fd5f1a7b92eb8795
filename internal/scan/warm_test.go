package scan

import "testing"

// The cost of building the vocabulary, which happens when the first text is read.
func BenchmarkVocabulary(b *testing.B) {
	for b.Loop() {
		newVocabulary(languages)
		compile(allRows())
	}
}
