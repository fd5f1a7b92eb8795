package scan

import "testing"

// The vocabulary is built when the first text is read.
func BenchmarkVocabulary(b *testing.B) {
	for b.Loop() {
		newVocabulary(languages)
		compile(allRows())
	}
}
