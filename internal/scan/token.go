package scan

import (
	"strings"
	"unicode/utf8"
)

// minGlued is the minimum length of several words without spaces between them.
const minGlued = 12

var (
	meansURL    = means("url")
	meansFree   = means("free")
	meansTodo   = means("todo")
	meansTool   = means("tool")
	meansSecret = means("secret|vault")

	meansPrivate = means("private")
	meansSlot    = means("slot")
	meansHost    = means("host")
)

// token reads the word at i and returns the offset after it.
func (r *viewReader) token(i int) int {
	if end := r.address(i); end > i {
		if strings.Contains(r.text[i:min(end, i+24)], metadataHost) {
			r.points = append(r.points, i)
		}
		return r.literal(i, end, meansURL)
	}
	w, simple := r.letters(i)
	if !simple {
		w = r.spell(i)
		if w.at > 0 {
			if end := mailEnd(r.text, w.at); end > 0 {
				return r.literal(i, end, meansURL)
			}
		}
		if w.letters == 0 && strings.HasPrefix(r.text[i:], metadataHost) {
			r.points = append(r.points, i)
		}
		if w.letters == 0 || len(r.word) == 0 {
			r.unknown()
			return w.end
		}
		r.rehash()
	}
	if len(r.word) > maxWord {
		r.unknown()
		return w.end
	}
	return r.known(i, w)
}

// letters reads a word of ASCII letters. It fails if the word continues with another character.
func (r *viewReader) letters(i int) (w spelling, ok bool) {
	t := r.text
	word := r.word[:0]
	h := uint64(0)
	small := false
	j := i
	for ; j < len(t) && len(word) < maxWord; j++ {
		c := t[j]
		if kinds[c] != letter {
			break
		}
		if c >= 'a' {
			small = true
		} else if small {
			w.humps++
			small = false
		}
		h = h*hashBase + uint64(c|0x20) + 1
		word = append(word, rune(c|0x20))
		r.hash[len(word)] = h
	}
	w.end, w.letters = j, j-i
	r.word = word
	if j == len(t) {
		return w, j > i
	}
	switch c := t[j]; kinds[c] {
	case letter, digit, high:
		return w, false
	default:
		return w, j > i && c != '\'' && c != '@' && c != '$'
	}
}

// known looks up the word in reader.word and records its meaning.
func (r *viewReader) known(i int, w spelling) int {
	end := w.end
	if i > 0 && r.text[i-1] == '.' && (i == 1 || kinds[r.text[i-2]] != letter && kinds[r.text[i-2]] != digit) &&
		secretFile(r.text[i:end]) {
		return r.literal(i-1, end, meansSecret)
	}
	if end+1 < len(r.text) && r.text[end] == '_' && kinds[r.text[end+1]] == letter && (i == 0 || r.text[i-1] != '_') {
		r.identifier(i)
	}
	number := r.number(w)
	if number == 0 && w.humps > 0 && r.humps(i, end) || number == 0 && len(r.word) >= minGlued && r.unglue(i, end) {
		return end
	}
	colon := end < len(r.text) && r.text[end] == ':'
	if colon && r.lead && r.speaker(i, end) || len(r.word) == 6 && r.text[i:end] == "cookie" {
		r.points = append(r.points, i)
	}
	if end-i == 3 && r.text[i:end] == "DAN" { // "do anything now"; Dan is a name
		return r.literal(i, end, meansFree)
	}
	r.passed(i, end, number)
	if colon && len(r.word) == 4 && strings.EqualFold(r.text[i:end], "todo") {
		r.marks = append(r.marks, mark{
			start:    i,
			end:      end,
			at:       r.at - wordPlaces,
			to:       r.at,
			means:    meansTodo,
			lead:     true,
			sentence: r.full,
		})
	}
	return end
}

// identifier records a name such as send_mail, which may be a tool's.
func (r *viewReader) identifier(i int) {
	end := i
	for end < len(r.text) && end < i+2*maxWord &&
		(kinds[r.text[end]] == letter || kinds[r.text[end]] == digit || r.text[end] == '_') {
		end++
	}
	m := meansTool
	if credentialName(r.text[i:end]) {
		m = meansPrivate
	}
	r.marks = append(r.marks, mark{
		start:    i,
		end:      end,
		at:       r.at,
		to:       r.at + wordPlaces,
		means:    m,
		lead:     r.lead,
		sentence: r.full,
	})
}

// credentialName reports whether environment variables with this name hold secrets, such as GITHUB_TOKEN.
func credentialName(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'a' && c <= 'z' {
			return false
		}
	}
	for _, tail := range [...]string{"_TOKEN", "_KEY", "_SECRET", "_PASSWORD", "_CREDENTIALS", "_PASSPHRASE"} {
		if strings.HasSuffix(name, tail) {
			return true
		}
	}
	return false
}

// maxPathShown is the maximum length of a path that is included in its mark.
const maxPathShown = 60

// maxSlot is the maximum length of a name between backquotes that is recorded.
const maxSlot = 32

// slot records a name between backquotes at i, which may be a parameter's.
func (r *viewReader) slot(i int) {
	end := i + 1
	for end < len(r.text) && end <= i+maxSlot &&
		(kinds[r.text[end]] == letter || kinds[r.text[end]] == digit || r.text[end] == '_' || r.text[end] == '-') {
		end++
	}
	if end > i+1 && end < len(r.text) && r.text[end] == '`' {
		r.marks = append(r.marks, mark{
			start:    i,
			end:      end + 1,
			at:       r.at,
			to:       r.at,
			means:    meansSlot,
			lead:     false,
			sentence: r.full,
		})
	}
}

// homePath records a path in the user's home folder that begins at i.
func (r *viewReader) homePath(i int) {
	end := i + 2
	for end < len(r.text) && end < i+maxPathShown && r.text[end] > ' ' && strings.IndexByte(`,;)"'`+"`", r.text[end]) < 0 {
		end++
	}
	r.marks = append(r.marks, mark{
		start:    i,
		end:      end,
		at:       r.at,
		to:       r.at,
		means:    meansPrivate,
		lead:     r.lead,
		sentence: r.full,
	})
}

// secretFile reports whether a file or folder with a name that begins with a dot contains secrets.
func secretFile(name string) bool {
	switch name {
	case "env", "ssh", "aws", "npmrc", "netrc", "pgpass", "kube", "gnupg", "git-credentials", "pypirc":
		return true
	}
	return false
}

// speaker reports whether a line that begins with the word from i to end, and a colon, looks like a message of a
// chat.
func (r *viewReader) speaker(i, end int) bool {
	if i > 0 && r.text[i-1] != '\n' {
		return false
	}
	switch strings.ToLower(r.text[i:end]) {
	case "system", "assistant", "human":
		return true
	}
	return false
}

// spelling describes a word that was read into reader.word.
type spelling struct {
	end     int // offset after it
	at      int // offset of an "@" in it, or 0
	letters int // number of letters
	digits  int // number of digits or signs in place of letters
	ones    int // number of "1", which can be i or l
	humps   int // number of capitals after small letters
}

// spell folds the word at i into reader.word.
func (r *viewReader) spell(i int) (w spelling) {
	r.word = r.word[:0]
	small := false
	for i < len(r.text) {
		c := r.text[i]
		switch k := kinds[c]; {
		case k == letter:
			w.letters++
			if upper := c < 'a'; upper && small {
				w.humps++
				small = false
			} else {
				small = !upper
			}
			r.put(rune(c | 0x20))
			i++
		case k == digit:
			w.digits++
			if c == '1' {
				w.ones++
			}
			if l := leet(c); l != 0 {
				r.put(l)
			} else {
				r.put(rune(c))
			}
			i++
		case k == high:
			size := r.spellOther(i, &w)
			if size == 0 {
				w.end = i
				return w
			}
			i += size
		case c == '\'' && r.between(i) && !elides(string(r.word)):
			i++
		case (c == '@' || c == '$') && r.between(i):
			if c == '@' && w.at == 0 {
				w.at = i
			}
			w.digits++
			r.put(leet(c))
			i++
		default:
			if c == '@' && w.at == 0 {
				w.at = i
			}
			w.end = i
			return w
		}
	}
	w.end = i
	return w
}

// spellOther folds the non-ASCII character at i and returns its length, or 0 if it ends the word.
func (r *viewReader) spellOther(i int, w *spelling) int {
	c, size := utf8.DecodeRuneInString(r.text[i:])
	if a, b, ok := spelledOut(c); ok {
		w.letters++
		r.put(a)
		r.put(b)
		return size
	}
	switch {
	case isMark(c) || c == '\u00ad' || c >= 0xfe00 && c <= 0xfe0f:
		return size
	case c == '’' && i+size < len(r.text) && kinds[r.text[i+size]] == letter && !elides(string(r.word)):
		return size
	case c >= foldable || r.fold[c] == 0:
		return 0
	}
	w.letters++
	r.put(rune(r.fold[c]))
	return size
}

func (r *viewReader) put(c rune) {
	if len(r.word) <= maxWord {
		r.word = append(r.word, c)
	}
}

// between reports whether the character at i is between letters or digits.
func (r *viewReader) between(i int) bool {
	if i == 0 || i+1 >= len(r.text) {
		return false
	}
	a, b := kinds[r.text[i-1]], kinds[r.text[i+1]]
	return (a == letter || a == digit || a == high) && (b == letter || b == digit || b == high)
}

// number looks up the word in reader.word, also with "1" read as l.
func (r *viewReader) number(w spelling) int32 {
	fuzzy := r.fuzzy && w.letters >= 2
	found := r.v.lookup(r.word, &r.hash, fuzzy)
	if found == 0 && w.ones > 0 && w.letters > 0 {
		for i, c := range r.word {
			if c == 'i' {
				r.word[i] = 'l'
			}
		}
		r.rehash()
		found = r.v.lookup(r.word, &r.hash, fuzzy)
	}
	return found
}

// rehash computes the hashes of reader.word.
func (r *viewReader) rehash() {
	for i := range min(len(r.word), maxWord) {
		r.hash[i+1] = r.hash[i]*hashBase + uint64(r.word[i]) + 1
	}
}
