package model

import _ "embed"

//go:embed words.bin
var words Filter

// Known reports whether independent projects use a word, or two adjacent words: "invoice", "createdat", "base64". The
// word must be folded by [mcpproxy/internal/text.AppendLetters]; two words are joined without a separator. A known
// word is never a value or a secret by itself.
func Known(word []byte) bool { return words.Has(Key(word)) }

// Key returns the key of a word in the table of words: its FNV-1a hash, mixed to distribute it evenly.
func Key(word []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range word {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
