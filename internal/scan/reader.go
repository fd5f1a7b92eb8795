package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy/internal/text"
)

// mark is a word or phrase of a view with a meaning.
type mark struct {
	start, end int // byte range in the view's text
	at, to     int // place of its first word, and place after its last
	means      set
	lead       bool // it is at the position of a command: at the start of a clause
	sentence   int  // counted from 0
}

// Distances between words, in places.
const (
	wordPlaces      = 2 // a word
	characterPlaces = 1 // a character of a script without spaces
	sentencePlaces  = 6 // the end of a sentence, in addition to its words
	paragraphPlaces = 8 // an empty line
)

// viewReader splits one view at a time into marks, and records where shapes begin. It is reused for every view of a
// document.
type viewReader struct {
	v     *vocabulary
	fold  *[foldable]uint16
	text  string
	fuzzy bool // misspelt words are recognised

	marks  []mark
	points []int // positions at which markup, links or commands may begin

	at     int  // place of the next word
	full   int  // number of sentences before it
	lead   bool // the next word starts a clause
	order  bool // the sentence contains a command
	word   []rune
	hash   [maxWord + 1]uint64
	recent [8]known // the last known words, as a ring buffer
	count  int
	streak int // number of them that directly follow each other
}

// known is a word of the vocabulary with its position.
type known struct {
	number int32
	lead   bool
	start  int
	at     int
}

func newViewReader(v *vocabulary) *viewReader {
	return &viewReader{v: v, fold: folds(), word: make([]rune, 0, 2*maxWord)}
}

// The kinds of bytes for the reader's main loop.
const (
	plain byte = iota
	letter
	digit
	space
	line
	stop  // ends a sentence
	comma // does not affect clauses
	quote // begins a clause
	point // a shape may begin here
	slash // a backslash
	high  // not ASCII
)

var kinds = func() (k [256]byte) {
	for c := range k {
		switch {
		case c >= 0x80:
			k[c] = high
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			k[c] = letter
		case c >= '0' && c <= '9':
			k[c] = digit
		}
	}
	for class, chars := range map[byte]string{
		space: " \t\r\v\f",
		line:  "\n",
		stop:  ".?!;:",
		comma: ",",
		quote: `"'([{]*>=|-_~/` + "`",
		point: "<#$\x1b",
		slash: `\`,
	} {
		for _, c := range []byte(chars) {
			k[c] = class
		}
	}
	return k
}()

// read splits v into marks.
func (r *viewReader) read(v *text.View, fuzzy bool) {
	r.text, r.fuzzy = v.Text, fuzzy
	r.marks, r.points = r.marks[:0], r.points[:0]
	r.at = 0
	r.full = 0
	r.lead = true
	r.order = false
	r.streak = 0
	for i := 0; i < len(r.text); {
		switch kinds[r.text[i]] {
		case letter, digit:
			i = r.token(i)
		case high:
			i = r.other(i)
		case line:
			i = r.newline(i + 1)
		case stop:
			i = r.sentence(i)
		case quote:
			if r.shapes(i) {
				r.points = append(r.points, i)
			}
			r.opens(i)
			if r.text[i] == '>' && i > 0 && (r.text[i-1] == '"' || r.text[i-1] == '\'') {
				r.breaks()
			}
			i++
		case point:
			r.points = append(r.points, i)
			i = r.markup(i)
		case slash:
			if i+1 < len(r.text) && strings.IndexByte("nrt", r.text[i+1]) >= 0 {
				i = r.newline(i + 2) // a line end that was escaped
				continue
			}
			i++
		case comma:
			r.lead = r.lead || r.order
			i++
		default:
			i++
		}
	}
}

// markup continues after a character that may begin a shape. A short tag is not a word, and only a tag that begins a
// block ends the sentence.
func (r *viewReader) markup(i int) int {
	t := r.text
	if t[i] != '<' {
		r.lead = true
		return i + 1
	}
	j := i + 1
	if j < len(t) && t[j] == '/' {
		j++
	}
	name := j
	for j < len(t) && j < name+10 && (kinds[t[j]] == letter || kinds[t[j]] == digit) {
		j++
	}
	if j == name || j == len(t) || t[j] != '>' && t[j] != '/' && t[j] != ' ' {
		r.lead = true
		return i + 1
	}
	switch strings.ToLower(t[name:j]) {
	case "b",
		"i",
		"u",
		"em",
		"strong",
		"span",
		"font",
		"small",
		"big",
		"mark",
		"code",
		"a",
		"s",
		"sub",
		"sup",
		"tt",
		"wbr":
	default:
		r.breaks()
	}
	if t[j] == '>' {
		return j + 1
	}
	return j // the attributes of a tag are read, too
}

// breaks ends the sentence.
func (r *viewReader) breaks() {
	r.full++
	r.at += sentencePlaces
	r.lead, r.order = true, false
	r.streak = 0
}

// meansCommand are the concepts that make a sentence a command.
var meansCommand = means("ignore|override|send|reveal|call|manage|visit|obey|edit|read")

// shapes reports whether a shape can begin at the character at i.
func (r *viewReader) shapes(i int) bool {
	switch r.text[i] {
	case '[', '{', '`', '|':
		return true
	case '-':
		return i+1 < len(r.text) && strings.IndexByte("eErdF-", r.text[i+1]) >= 0
	case '/':
		return strings.HasPrefix(r.text[i:], "/dev/tcp/") || strings.HasPrefix(r.text[i:], "/bin/")
	case '(':
		return i > 0 &&
			strings.IndexByte("clghnt", r.text[i-1]) >= 0 // exec, eval, DownloadString, fetch, sendBeacon, get
	}
	return false
}

// opens makes the next word the start of a clause, unless the character at i joins two words, like "-" and "'" between
// letters.
func (r *viewReader) opens(i int) {
	if i > 0 && i+1 < len(r.text) && kinds[r.text[i-1]] == letter && kinds[r.text[i+1]] == letter && r.text[i] != '_' {
		return
	}
	if r.text[i] == '-' && i+1 < len(r.text) && i > 0 && r.text[i-1] == ' ' && r.text[i+1] == ' ' {
		r.full++ // possibly an item of a list
	}
	if r.text[i] == '-' && i+1 < len(r.text) && i > 0 && r.text[i-1] == ' ' && kinds[r.text[i+1]] != space {
		r.at += paragraphPlaces // an option, or a parenthesis
	}
	if r.text[i] == '`' {
		r.slot(i)
	}
	if r.text[i] == '~' && i+2 < len(r.text) && r.text[i+1] == '/' && r.text[i+2] > ' ' {
		r.homePath(i)
	}
	r.lead = true
}

// sentence ends a sentence at i, unless the full stop is inside a name or a number.
func (r *viewReader) sentence(i int) int {
	c := r.text[i]
	i++
	if c == '.' && i < len(r.text) && r.text[i] >= 'a' && r.text[i] <= 'z' {
		r.host(i)
	}
	if i < len(r.text) &&
		(kinds[r.text[i]] == digit || r.text[i] >= 'a' && r.text[i] <= 'z' || c == ':' && r.text[i] == '/') {
		return i
	}
	trails := c == '.' && i > 1 && r.text[i-2] == '.' // an ellipsis
	places, full := r.at, r.full
	r.breaks()
	if c == ':' || trails || i < len(r.text) && kinds[r.text[i]] == stop {
		r.at, r.full = places, full
	}
	return i
}

// newline continues at i, after a line end. The clause also ends if the line ends a paragraph or an item of a list
// follows. It does not end if the line is only wrapped.
func (r *viewReader) newline(i int) int {
	for i < len(r.text) && kinds[r.text[i]] == space {
		i++
	}
	if i == len(r.text) {
		return i
	}
	switch c := r.text[i]; {
	case c == '\n' || c == '\\':
		r.at += paragraphPlaces
		r.full++
		r.lead, r.order = true, false
	case c >= 'A' && c <= 'Z' || kinds[c] == digit || kinds[c] == quote || kinds[c] == point:
		if kinds[c] != letter {
			r.full++ // an item of a list
		}
		r.lead = true
	}
	return i
}

// other reads a character that is not ASCII.
func (r *viewReader) other(i int) int {
	c, size := utf8.DecodeRuneInString(r.text[i:])
	switch {
	case c < foldable && (r.fold[c] != 0) || isSpelledOut(c):
		return r.token(i)
	case isIdeograph(c):
		return r.characters(i)
	case strings.ContainsRune("。！？；：．", c):
		r.at += sentencePlaces
		r.full++
		r.lead, r.order = true, false
	case c == '【':
		r.points = append(r.points, i)
		r.lead = true
	case strings.ContainsRune("“„”«»‘‚「」『』（《【〔［•–—·●▪", c):
		r.lead = true
	case unicode.IsLetter(c):
		return r.foreign(i)
	}
	return i + size
}

func isSpelledOut(c rune) bool {
	_, _, ok := spelledOut(c)
	return ok
}

// foreign reads a word of a script whose letters are not folded.
func (r *viewReader) foreign(i int) int {
	start := i
	r.word = r.word[:0]
	for i < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[i:])
		if c < foldable && r.fold[c] != 0 || !unicode.IsLetter(c) && !unicode.IsMark(c) || isIdeograph(c) {
			break
		}
		if !isMark(c) {
			r.put(c)
		}
		i += size
	}
	if len(r.word) > maxWord {
		r.unknown()
		return i
	}
	r.rehash()
	r.passed(start, i, r.number(spelling{}))
	return i
}

// unknown passes a word that is not in the vocabulary.
func (r *viewReader) unknown() {
	r.at += wordPlaces
	r.lead = false
	r.streak = 0
}

// passed records the known word from start to end with its number.
func (r *viewReader) passed(start, end int, number int32) {
	if number == 0 {
		r.unknown()
		return
	}
	e := &r.v.entries[number-1]
	r.lead = r.lead || e.joins && r.order
	at := r.at
	r.at += wordPlaces
	r.count++
	r.streak++
	r.recent[r.count%len(r.recent)] = known{
		number: number,
		lead:   r.lead,
		start:  start,
		at:     at,
	}
	if !e.means.empty() {
		r.order = r.order || r.lead && e.means.has(meansCommand)
		r.marks = append(r.marks, mark{
			start:    start,
			end:      end,
			at:       at,
			to:       r.at,
			means:    e.means,
			lead:     r.lead,
			sentence: r.full,
		})
	}
	if e.ends && r.streak > 1 {
		r.phrases(number, end)
	}
	r.lead = (r.lead || e.asks) && e.carries
}

// phrases adds the phrases that end with the word just passed.
func (r *viewReader) phrases(number int32, end int) {
	key := phrase{number}
	for n := 1; n < min(maxPhrase, r.streak); n++ {
		k := &r.recent[(r.count-n)%len(r.recent)]
		key[n] = k.number
		if m, ok := r.v.phrases[key]; ok {
			r.marks = append(r.marks, mark{
				start:    k.start,
				end:      end,
				at:       k.at,
				to:       r.at,
				means:    m,
				lead:     k.lead,
				sentence: r.full,
			})
		}
	}
}

// literal adds a mark for something that is recognised by its shape.
func (r *viewReader) literal(start, end int, m set) int {
	r.marks = append(r.marks, mark{
		start:    start,
		end:      end,
		at:       r.at,
		to:       r.at + wordPlaces,
		means:    m,
		lead:     r.lead,
		sentence: r.full,
	})
	r.at += wordPlaces
	r.lead = false
	r.streak = 0
	return end
}

// characters reads a run of ideographs. At each position it takes the longest known word that begins there.
func (r *viewReader) characters(i int) int {
	for i < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[i:])
		if !isIdeograph(c) {
			return i
		}
		end := 0
		var m set
		if r.v.heads[c] {
			for j, n := i+size, 1; n <= r.v.longest; n++ {
				if found, ok := r.v.chars[r.text[i:j]]; ok {
					end, m = j, found
				}
				next, width := utf8.DecodeRuneInString(r.text[j:])
				if !isIdeograph(next) && next != ' ' {
					break
				}
				j += width
			}
		}
		if end == 0 {
			r.at += characterPlaces
			i += size
			r.lead = false
			continue
		}
		r.lead = true // clauses are not distinguished
		if !m.empty() {
			r.literal(i, end, m)
		}
		i = end
	}
	return i
}
