package personal

import (
	"strconv"
	"strings"
)

// A formTrie returns the possible kinds of a run of words by the length of each word, by whether it has letters or
// digits, and by the separators. A picture such as "999-99-9999" is a path of three words.
type formTrie struct {
	words []wordNode      // nodes at the end of a word; 0 if no word ends
	seps  []separatorNode // nodes after a separator; 0 is the start
}

// wordNode is the end of a word.
type wordNode struct {
	all  []formEnd // the forms that end here
	free []formEnd // those of all that count without being announced
	lone []formEnd // those that count without being announced, at least as the whole text
	want tagSet    // the tags that announce any of them
	next [separatorCount]uint16
}

// separatorNode maps the class of the next word to its end.
type separatorNode [wordClasses]uint16

// formEnd is one form of a kind.
type formEnd struct {
	kind    int
	picture string // without separators; "" if the classes of the words determine it
	grouped bool
}

// The classes of words: by number of digits, of letters, or of both mixed.
const (
	maxDigits   = 26
	maxLetters  = 12
	maxMixed    = 46
	letterClass = maxDigits
	mixedClass  = maxDigits + maxLetters
	wordClasses = maxDigits + maxLetters + maxMixed + 1
)

// separators numbers the bytes that can separate the words of one value.
var separators = [256]uint8{
	' ': 1,
	'-': 2,
	'.': 3,
	'/': 4,
	'(': 5,
	'_': 6,
	':': 7,
	'+': 8,
}

const separatorCount = 9

func newFormTrie() *formTrie {
	return &formTrie{words: make([]wordNode, 1), seps: make([]separatorNode, 1)}
}

// classOf returns the class of a word of n bytes with d digits; 0 for none.
func classOf(n, d int) int {
	switch {
	case d == n && n <= maxDigits:
		return n
	case d == 0 && n <= maxLetters:
		return letterClass + n
	case d > 0 && d < n && n <= maxMixed:
		return mixedClass + n
	}
	return 0
}

// add adds all forms of kind i to the trie.
func (t *formTrie) add(x *personalIndex, i int) {
	k := &x.kinds[i]
	if k.forms == "" {
		return
	}
	for _, form := range strings.Split(k.forms, "|") {
		form, loose := strings.CutPrefix(strings.TrimSpace(form), "?")
		for _, picture := range expandPicture(form) {
			grouped := !loose && strings.ContainsAny(picture, " -./(_:+")
			end := formEnd{kind: i, grouped: grouped, picture: pictureWithout(picture)}
			t.insert(0, picture, end, k, &x.want[i])
		}
	}
}

// counts reports whether a value in running text counts without being announced.
func (k *dataKind) counts(grouped bool) bool {
	return !grouped && k.bare >= leastConfidence || grouped && k.grouped >= leastConfidence
}

// insert adds the rest of a picture after the separator node at.
func (t *formTrie) insert(at int, picture string, end formEnd, k *dataKind, want *tagSet) {
	n := 0
	for n < len(picture) && strings.IndexByte("9AX", picture[n]) >= 0 {
		n++
	}
	for _, class := range classesOf(picture[:n]) {
		word := int(t.seps[at][class])
		if word == 0 {
			word = len(t.words)
			t.words = append(t.words, wordNode{})
			t.seps[at][class] = uint16(word)
		}
		if n == len(picture) {
			node := &t.words[word]
			node.all = append(node.all, end)
			if k.counts(end.grouped) {
				node.free = append(node.free, end)
			}
			if k.alone || k.counts(end.grouped) {
				node.lone = append(node.lone, end)
			}
			node.want.merge(want)
			continue
		}
		sep := separators[picture[n]]
		next := int(t.words[word].next[sep])
		if next == 0 {
			next = len(t.seps)
			t.seps = append(t.seps, separatorNode{})
			t.words[word].next[sep] = uint16(next)
		}
		t.insert(next, picture[n+1:], end, k, want)
	}
}

// classesOf returns the classes of words that match a picture without separators.
func classesOf(picture string) []int {
	n := len(picture)
	digits, letters := strings.Count(picture, "9"), strings.Count(picture, "A")
	var classes []int
	if letters == 0 {
		classes = append(classes, classOf(n, n))
	}
	if digits == 0 {
		classes = append(classes, classOf(n, 0))
	}
	if n > 1 && (digits < n && letters < n) {
		classes = append(classes, classOf(n, 1))
	}
	return classes
}

// pictureWithout removes the separators; it returns "" if the picture has only digits.
func pictureWithout(picture string) string {
	plain := strings.Map(func(c rune) rune {
		if strings.ContainsRune("9AX", c) {
			return c
		}
		return -1
	}, picture)
	if strings.Trim(plain, "9") == "" {
		return ""
	}
	return plain
}

// expandPicture expands repetitions and the separators for which ~ stands.
func expandPicture(form string) []string {
	if strings.Contains(form, "~") {
		var out []string
		for _, sep := range []string{" ", "-", "."} {
			out = append(out, expandPicture(strings.ReplaceAll(form, "~", sep))...)
		}
		return out
	}
	head, rest, ok := strings.Cut(form, "{")
	if !ok {
		return []string{form}
	}
	count, tail, _ := strings.Cut(rest, "}")
	low, high, ranged := strings.Cut(count, ",")
	if !ranged {
		high = low
	}
	from, _ := strconv.Atoi(low)
	to, _ := strconv.Atoi(high)
	var out []string
	for n := from; n <= to; n++ {
		unit := head[len(head)-1:]
		out = append(out, expandPicture(head[:len(head)-1]+strings.Repeat(unit, n)+tail)...)
	}
	return out
}

// shows reports whether id matches the picture.
func shows(picture string, id []byte) bool {
	if picture == "" {
		return true
	}
	if len(picture) != len(id) {
		return false
	}
	for i, c := range id {
		if p := picture[i]; p == '9' && !isNumber(c) || p == 'A' && !isLetter(c) {
			return false
		}
	}
	return true
}

// walk follows the words from s on through the trie and scores every form that ends on the way.
func (r *textReader) walk(s int) {
	t, text := r.x.trie, r.text
	node := &t.seps[0]
	for p := s; ; {
		digits, e := 0, p
		for e < len(text) && isAlnum(text[e]) {
			digits += int(byteClass[text[e]] & isDigitByte)
			e++
		}
		at := node[classOf(e-p, digits)]
		if at == 0 {
			return
		}
		word := &t.words[at]
		if len(word.all) > 0 {
			r.weigh(s, e, word)
		}
		if e+1 >= len(text) || !isAlnum(text[e+1]) {
			return
		}
		next := word.next[separators[text[e]]]
		if next == 0 {
			return
		}
		node, p = &t.seps[next], e+1
	}
}
