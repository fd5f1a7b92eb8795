package passage

import (
	"cmp"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"mcpproxy/internal/intent"
)

// key identifies a word or a value.
type key uint32

// The parameters of the 32-bit FNV-1a hash, which is the key.
const (
	keyOffset key = 2166136261
	keyPrime  key = 16777619
)

func keyOf(s string) key {
	k := keyOffset
	for i := range len(s) {
		k = (k ^ key(s[i])) * keyPrime
	}
	return k
}

// keyOfLetters returns keyOf(letters(s)) without allocating the text between.
func keyOfLetters(s string) key {
	k := keyOffset
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if l := lowered[c]; l != 0 {
				k = (k ^ key(l)) * keyPrime
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		var room [utf8.UTFMax]byte
		for _, c := range room[:utf8.EncodeRune(room[:], unicode.ToLower(r))] {
			k = (k ^ key(c)) * keyPrime
		}
	}
	return k
}

const (
	stemRunes = 6   // characters of a word that are compared; the ending does not matter
	minWord   = 3   // minimum number of characters of a word
	maxCommon = 7   // bytes of the longest common word
	maxToken  = 200 // bytes of a value
)

// common lists words that occur in most texts.
var common = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for with from that this are was were will have has had not you your our their his her its
		all any can could should would may must into onto via per but who what when where which how than then them they there here been
		being over under about after before also only just more most some such each other please true false null none new use using used
		der die das und den dem des ein eine einen mit für von auf aus bei nach ist sind wird werden bitte nicht auch oder noch
		les des une dans pour avec sur par est sont pas que qui aux del los las una por con para que como est pero gli che per con una
		dos das uma com por http https www com org net name type text value data string object id list items result content`) {
		set[w] = true
	}
	return set
}()

// stem returns the key of a word without its ending. ok is false for a word that is ignored.
func stem(w string) (k key, ok bool) {
	if common[w] {
		return 0, false
	}
	end := len(w)
	runes := 0
	digits := false
	for i, r := range w {
		if runes == stemRunes && end == len(w) {
			end = i
		}
		runes++
		digits = digits || unicode.IsDigit(r)
	}
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case runes < minWord && first < 0x1100 && !digits, runes < 2:
		return 0, false
	case digits || runes <= stemRunes+1:
		end = len(w)
	}
	return keyOf(w[:end]), true
}

// stems yields the keys of the words of a text. It leaves out ignored words.
func stems(s string) iter.Seq[key] {
	return func(yield func(key) bool) {
		for at := 0; at < len(s); {
			start := at
			for at < len(s) && s[at] < utf8.RuneSelf && lowered[s[at]] != 0 {
				at++
			}
			switch {
			case at < len(s) && s[at] >= utf8.RuneSelf: // a word with characters beyond ASCII, up to its end
				for at < len(s) && (s[at] >= utf8.RuneSelf || lowered[s[at]] != 0) {
					at++
				}
				for w := range intent.Words(s[start:at]) {
					if k, ok := stem(w); ok && !yield(k) {
						return
					}
				}
			case at == start:
				at++
			default:
				if k, ok := stemOfLetters(s[start:at]); ok && !yield(k) {
					return
				}
			}
		}
	}
}

// stemOfLetters is [stem] for a word of ASCII letters and digits, which it reads in lower case.
func stemOfLetters(w string) (k key, ok bool) {
	digits := false
	for i := range len(w) {
		digits = digits || w[i] <= '9'
	}
	if len(w) < 2 || len(w) < minWord && !digits {
		return 0, false
	}
	end := len(w)
	if !digits && end > stemRunes+1 {
		end = stemRunes
	}
	k = keyOffset
	for i := range end {
		k = (k ^ key(lowered[w[i]])) * keyPrime
	}
	if len(w) <= maxCommon && commonKeys[k%commonSlots] && isCommon(w) {
		return 0, false
	}
	return k, true
}

// isCommon reports whether the lower case of a word of at most maxCommon ASCII letters and digits is a common word.
func isCommon(w string) bool {
	var lower [maxCommon]byte
	for i := range len(w) {
		lower[i] = lowered[w[i]]
	}
	return common[string(lower[:len(w)])]
}

// commonKeys has the keys of common words, modulo commonSlots. Most words are not among them, which saves the lookup
// of the word.
var commonKeys = func() (table [commonSlots]bool) {
	for w := range common {
		table[keyOf(w)%commonSlots] = true
	}
	return table
}()

const commonSlots = 1 << 12

// value is a text that must be equal letter by letter: an address, a path, a number, an identifier.
type value struct {
	key  key
	text string
}

// values yields the values in a text, and the hosts of the addresses among them.
func values(s string) iter.Seq[value] {
	return func(yield func(value) bool) {
		groups, digits := "", 0
		dialled := "" // the digits of a telephone number so far, from its "+"
		flush := func() bool {
			number, written := groups, cmp.Or(dialled, groups)
			enough := digits >= 6
			groups, digits = "", 0
			dialled = ""
			return !enough || yield(value{keyOf(strings.ToLower(number)), written})
		}
		for w := range fields(s) {
			if len(w) > 1 && w[0] == '+' && digitAt(w, 1) {
				if !flush() {
					return
				}
				dialled = "+"
			}
			if w = trimmed(w); onlyLetters(w) { // an ordinary word
				if !flush() {
					return
				}
				continue
			}
			part := w
			if dialled != "" && digitAt(w, len(w)-1) {
				part = letters(w)
			}
			if n := group(part); n >= 0 {
				if dialled == "+" {
					dialled += part
				} else if dialled != "" {
					dialled += " " + part
				}
				groups += part
				digits += n
			} else if !flush() {
				return
			}
			if !isValue(w) {
				continue
			}
			if !yield(value{keyOfLetters(w), w}) {
				return
			}
			if host := hostOf(w); host != "" && host != w && !yield(value{keyOfLetters(host), host}) {
				return
			}
		}
		flush()
	}
}

// digitAt reports whether a byte of a text is a digit.
func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && '0' <= s[i] && s[i] <= '9' }

// fields yields the parts of a text between characters that end a value.
func fields(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(s); {
			start := i
			for i < len(s) && s[i] < utf8.RuneSelf && asciiKinds[s[i]]&isEnd == 0 {
				i++
			}
			size := 1
			for i < len(s) && s[i] >= utf8.RuneSelf { // rarely
				var r rune
				if r, size = utf8.DecodeRuneInString(s[i:]); endsValue(r) {
					break
				}
				for i += size; i < len(s) && s[i] < utf8.RuneSelf && asciiKinds[s[i]]&isEnd == 0; {
					i++
				}
				size = 1
			}
			if i > start && !yield(s[start:i]) {
				return
			}
			i += size
		}
	}
}

func endsValue(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && asciiKinds[r]&isEnd != 0
	}
	return unicode.IsSpace(r) || strings.ContainsRune("，。、；：（）「」“”„", r) || r > 0x1100 && isWide(r)
}

// The roles of an ASCII character in and around values.
const (
	isEnd    = 1 << iota // it ends a value
	isEdge               // it may surround a value and does not belong to it
	isLetter             // a letter of the alphabet
)

// asciiKinds holds the roles of each ASCII character.
var asciiKinds = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case unicode.IsSpace(rune(c)), strings.IndexByte("\"<>()[]{}|,;", c) >= 0:
			kinds[c] = isEnd
		case strings.IndexByte(".:!?*_~`'=&$%\\", c) >= 0:
			kinds[c] = isEdge
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			kinds[c] = isLetter
		}
	}
	return kinds
}()

// lowered maps each ASCII letter to lower case, each digit to itself, and other characters to 0.
var lowered = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z':
			table[c] = c
		case 'A' <= c && c <= 'Z':
			table[c] = c | 0x20
		}
	}
	return table
}()

// trimmed removes the punctuation around a word.
func trimmed(w string) string {
	for w != "" && w[0] < utf8.RuneSelf && asciiKinds[w[0]] == isEdge {
		w = w[1:]
	}
	for w != "" && w[len(w)-1] < utf8.RuneSelf && asciiKinds[w[len(w)-1]] == isEdge {
		w = w[:len(w)-1]
	}
	return w
}

// onlyLetters reports whether a word consists of letters of the alphabet.
func onlyLetters(w string) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf || asciiKinds[w[i]] != isLetter {
			return false
		}
	}
	return true
}

// group returns the number of digits of a word that may be a group of a number with spaces. It returns -1 for other
// words.
func group(w string) int {
	if len(w) == 0 || len(w) > 12 {
		return -1
	}
	n := 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			n++
		case c >= 'A' && c <= 'Z':
		default:
			return -1
		}
	}
	if n == 0 {
		return -1
	}
	return n
}

// isValue reports whether a word is more than a word of a language.
func isValue(w string) bool {
	if len(w) < 4 || len(w) > maxToken || w[0] == '-' {
		return false
	}
	digits := 0
	letters := 0
	inner := false
	for i, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case i > 0 && i < len(w)-1 && strings.ContainsRune("@._-/:#+", r):
			inner = true
		}
	}
	switch {
	case letters == 0 && inner: // a date, a time, a version
		return digits >= 7 && strings.Count(w, ".") != 2 && strings.Count(w, "-") != 2 || strings.Count(w, ".") == 3
	case digits >= 4, digits > 0 && letters > 0 && digits+letters >= 5:
		return true
	case inner && letters >= 4:
		// A single hyphen may join two ordinary words: "follow-up".
		return strings.ContainsAny(w, "@._/:#+") || strings.Count(w, "-") > 1
	case w[0] == '@' || w[0] == '#':
		return letters >= 3
	}
	return false
}

// letters returns a value in the form that all its spellings have in common.
func letters(w string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, w)
}

// hostOf returns the host of an address, or "" for other values.
func hostOf(w string) string {
	if _, rest, ok := strings.Cut(w, "://"); ok {
		w = rest
	} else if _, domain, ok := strings.Cut(w, "@"); ok {
		w = domain
	} else {
		return ""
	}
	if _, rest, ok := strings.Cut(w, "@"); ok {
		w = rest
	}
	host, _, _ := strings.Cut(w, "/")
	host, _, _ = strings.Cut(host, ":")
	host, _, _ = strings.Cut(host, "?")
	return host
}

// aims reports whether a value decides where data goes: an address, a host, a handle, the number of an account.
func aims(v string) bool {
	digits := 0
	for _, r := range v {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	switch {
	case strings.Contains(v, "://") || strings.HasPrefix(v, "www.") || strings.HasPrefix(v, "@"):
		return true
	case strings.HasPrefix(v, "#") && letterCount(v) > 2: // a channel
		return true
	case strings.Contains(v, "@"):
		return true
	case digits >= 10 && !strings.ContainsAny(v, "-.:/_ "):
		return true
	case strings.Count(v, ".") == 3 && digits >= 4: // an IP address
		return true
	}
	if fileEnds[strings.ToLower(v[strings.LastIndexByte(v, '.')+1:])] || strings.ContainsAny(v, "/_ ()") || digits > 3 {
		return false
	}
	_, registered := publicsuffix.PublicSuffix(strings.ToLower(v))
	return registered && strings.Contains(v, ".")
}

// fileEnds lists the extensions of files. A file name looks like a host.
var fileEnds = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`md db cnf tmp bak out bin dat txt csv json yaml yml toml xml html htm pdf doc docx xls xlsx ppt pptx
		png jpg jpeg gif svg zip tar gz go py js ts tsx jsx rb rs java kt swift cpp hpp sh sql log
		conf cfg ini env lock mod sum parquet tf pem key crt dump bak css scss ods odt eml ics`) {
		set[w] = true
	}
	return set
}()

// isWide reports whether a character belongs to a script without spaces. In texts of such a script, values have Latin
// letters.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// letterCount returns the number of letters in s.
func letterCount(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
