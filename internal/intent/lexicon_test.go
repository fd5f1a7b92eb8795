package intent

import (
	"strings"
	"testing"
)

func TestEveryLanguageHasABit(t *testing.T) {
	entries, err := files.ReadDir("lexicon")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > maxLanguages {
		t.Errorf("%d word lists, want at most %d", len(entries), maxLanguages)
	}
}

// plainSpelled is a simple [lexicon.spelled], which looks up every prefix of a word.
func plainSpelled(l *lexicon, w string, in language) Set {
	s := of(l.words[w], in)
	for n := len(w); n > 1; n-- {
		if in == everywhere && n < tellingStem {
			in = l.english
		}
		if m := of(l.stems[w[:n]], in); m != 0 {
			return s | m
		}
	}
	return s
}

func TestEveryStemIsFoundInItsWords(t *testing.T) {
	l := lexicons()
	for stem := range l.stems {
		if len(stem) > longestStem {
			t.Errorf("%q has %d bytes, but the sieve finds at most %d", stem, len(stem), longestStem)
		}
		for _, w := range []string{stem, stem + "s", stem + "ování", stem + strings.Repeat("x", longestStem)} {
			lengths, hash := l.stemSieve.prefixes(w)
			if hash != sieveHash(w) {
				t.Errorf("the hash of %q is %x, want %x", w, hash, sieveHash(w))
			}
			if len(stem) > 1 && lengths>>len(stem)&1 == 0 {
				t.Errorf("the sieve misses %q at the beginning of %q", stem, w)
			}
			for _, in := range []language{everywhere, l.english, l.thin} {
				if got, want := l.spelled(w, in), plainSpelled(l, w, in); got != want {
					t.Errorf("%q means %b in %b, want %b", w, got, in, want)
				}
			}
		}
	}
}

func TestEveryWordOfAListPassesItsSieve(t *testing.T) {
	l := lexicons()
	pass := func(s *sieve, w string) {
		if !s.may(w) {
			t.Errorf("a sieve misses %q", w)
		}
	}
	for w := range l.small {
		pass(l.smallSieve, w)
	}
	for w := range l.words {
		pass(l.wordSieve, w)
	}
	for w := range l.phrases {
		pass(l.phraseSieve, w)
	}
}

func FuzzSpelled(f *testing.F) {
	for _, w := range []string{"deleted", "löschen", "přepošli", "удали", "a", ""} {
		f.Add(w, uint32(everywhere))
	}
	f.Fuzz(func(t *testing.T, w string, in uint32) {
		l := lexicons()
		if got, want := l.spelled(w, language(in)), plainSpelled(l, w, language(in)); got != want {
			t.Errorf("%q means %b, want %b", w, got, want)
		}
	})
}

func BenchmarkReadLexicons(b *testing.B) {
	for b.Loop() {
		readLexicons()
	}
}
