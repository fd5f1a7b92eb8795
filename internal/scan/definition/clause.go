package definition

import (
	"slices"
	"sort"
	"strings"
)

// A definition is read clause by clause. The analysis determines the reader, the act, its object, its destination and
// its condition, and whether the act is required or forbidden. The matches of the grammar are only hints; the clause
// that contains them decides.

// mood is the way in which an act is mentioned.
type mood uint8

const (
	unsaid   mood = iota // as a noun or a purpose: "to read it", "a copy"
	stated               // the tool does it: "sends a copy"
	ordered              // the reader must do it: "send a copy", "must be sent"
	possible             // the reader may do it, or does it under a condition
)

// mention is an act in a sentence.
type mention struct {
	class
	mood
	negated bool
	word    int   // index of the act's word in the sentence
	what    class // classes of the words that belong to it
	shapes  uint8 // their shapes
}

// has reports whether the mention contains a word with the shape.
func (d *mention) has(k shape) bool { return d.shapes&(1<<k) != 0 }

// lexeme is a word of a sentence.
type lexeme struct {
	entry
	shape      shape
	start, end int  // bytes of the text
	strange    bool // its letters are mixed with unusual characters
	breaks     bool // a comma or a similar sign precedes it
	stops      bool // a semicolon, a colon or a dash precedes it
	covered    bool // it is part of a condition
	infinitive bool // it is "to"
	accessing  bool // it is "access", which is a noun before "key"
	into       bool // it is "to", "into" or "in"
	tool       bool // it is "tool"
	uses       bool // it is "use", which often offers something instead of ordering it
	tells      bool // it is an act of telling, not of displaying
}

// shape is the kind of a word judging by its characters.
type shape uint8

const (
	shapeNone shape = iota
	shapeName       // an identifier such as send_email
	shapeURL        // an address on the web or for mail
	shapePath       // a path of a file
	shapeKey        // a path of a file with credentials
	shapeCode       // something between backquotes
)

// sentence is a part of a text, as words with the acts among them.
type sentence struct {
	start, end int
	words      []lexeme
	mentions   []mention
	class      // of all words
	shapes     uint8
	isEnglish  bool
	aboutTool  bool // it mentions a tool
}

// has reports whether the sentence contains a word with the shape.
func (s *sentence) has(k shape) bool { return s.shapes&(1<<k) != 0 }

// The length of a text that is read clause by clause, and the maximum length of a sentence, in bytes. The rest is
// only matched with the grammar.
const (
	maxClauses  = 32 << 10
	maxSentence = 4 << 10
)

// sentencesOf splits s into sentences.
func sentencesOf(s string) []sentence {
	s = s[:min(len(s), maxClauses)]
	var out []sentence
	for from := 0; from < len(s); {
		to := sentenceEnd(s, from)
		out = append(out, readSentence(s, from, to))
		from = to
	}
	return out
}

// overlapping returns the sentences that overlap the range from start to end.
func overlapping(all []sentence, start, end int) []sentence {
	first := sort.Search(len(all), func(i int) bool { return all[i].end > start })
	last := first
	for last < len(all) && (all[last].start < end || last == first) {
		last++
	}
	return all[first:last]
}

// sentenceEnd returns the end of the sentence that begins at byte from. A wrapped line continues; an item of a list,
// a paragraph and a tag do not.
func sentenceEnd(s string, from int) int {
	most := min(len(s), from+maxSentence)
	for i := from; i < most; i++ {
		switch c := s[i]; c {
		case '.', '!', '?':
			if i+1 == len(s) || (s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '\r' || s[i+1] == ')' ||
				s[i+1] == '"' || s[i+1] == '<') &&
				!abbreviated(s[:i]) {
				return i + 1
			}
		case '\n':
			if ends(s[i+1:]) && i > from {
				return i + 1
			}
		case '<':
			if i > from && i+1 < len(s) && (s[i+1] >= 'A' && s[i+1] <= 'Z' || s[i+1] == '/') {
				return i
			}
		case 0xD8, 0xE0, 0xE3, 0xEF:
			if n := foreignStop(s[i:]); n > 0 {
				return i + n
			}
		}
	}
	return most
}

// foreignStop returns the length of the sign at the start of s that ends a sentence in Chinese, Japanese, Hindi or
// Arabic, or 0.
func foreignStop(s string) int {
	for _, sign := range [...]string{"。", "！", "？", "।", "؟"} {
		if strings.HasPrefix(s, sign) {
			return len(sign)
		}
	}
	return 0
}

// abbreviated reports whether the word before a full stop is an abbreviation.
func abbreviated(before string) bool {
	return strings.HasSuffix(before, "e.g") || strings.HasSuffix(before, "i.e") || strings.HasSuffix(before, "etc") ||
		strings.HasSuffix(before, "vs")
}

// ends reports whether a sentence ends at a line end, given the text after it: an empty line, a list item, a heading,
// a number, a capital letter or a parameter of a docstring.
func ends(rest string) bool {
	line := strings.TrimLeft(rest, " \t")
	if line == "" || line[0] == '\n' || line[0] == '\r' {
		return true
	}
	switch c := line[0]; {
	case strings.IndexByte("-*+#>|<", c) >= 0, c >= '0' && c <= '9', strings.HasPrefix(line, "•"):
		return true
	case c >= 'A' && c <= 'Z':
		return true
	}
	word, _, _ := strings.Cut(line, " ")
	return strings.HasSuffix(word, ":") // a parameter of a docstring
}

// readSentence reads the words of s[from:to].
func readSentence(s string, from, to int) sentence {
	out := sentence{start: from, end: to, words: make([]lexeme, 0, (to-from)/bytesPerWord+2)}
	breaks, stops := false, false
	for i := from; i < to; {
		c := s[i]
		switch {
		case c == '`':
			n := strings.IndexByte(s[i+1:to], '`')
			if n < 0 {
				i++
				continue
			}
			inner := s[i+1 : i+1+n]
			k := shapeOf(inner)
			if k != shapeKey && k != shapeURL && k != shapePath {
				k = shapeCode
			}
			out.add(lexeme{
				shape:  k,
				start:  i,
				end:    i + n + 2,
				breaks: breaks,
				stops:  stops,
			})
			breaks, stops = false, false
			i += n + 2
		case c == ']' && i+1 < to && s[i+1] == '(': // the address of a link is skipped
			n := strings.IndexByte(s[i:to], ')')
			if n < 0 {
				n = to - i - 1
			}
			i += n + 1
		case wordByte(c) || c == '~' || c == '.' && i+1 < to && wordByte(s[i+1]) || c == '/' && i+1 < to &&
			wordByte(s[i+1]):
			end := wordEnd(s, i, to)
			w := lexeme{
				start:  i,
				end:    end,
				breaks: breaks,
				stops:  stops,
			}
			breaks, stops = false, false
			w.entry, w.shape = lookUp(s[i:end])
			w.strange = strange(s[i:end])
			out.add(w)
			i = end
		default:
			switch c {
			case ',', '(', ')', '"', '*':
				breaks = true
			case ';', ':', '|', '{', '}', '[':
				stops = true
			case '-':
				stops = stops || i > from && s[i-1] == ' '
			}
			i++
		}
	}
	out.pairs(s)
	out.act(s)
	return out
}

// bytesPerWord is the typical number of bytes of a word with the space after it.
const bytesPerWord = 6

func wordByte(c byte) bool { return nameByte(c) || c == '\'' || c == '_' || c >= 0x80 }

// wordEnd returns the end of the word that begins at i.
func wordEnd(s string, i, to int) int {
	end := i + 1
	for end < to {
		c := s[end]
		if wordByte(c) || strings.IndexByte("@~%=&?+$", c) >= 0 ||
			strings.IndexByte("./:-", c) >= 0 && end+1 < to && (wordByte(s[end+1]) || s[end+1] == '/' ||
				s[end+1] == '~' || c == '/' && s[end+1] == '.') {
			end++
			continue
		}
		break
	}
	return end
}

// lookUp returns the possible classes of a word and its shape.
func lookUp(w string) (entry, shape) {
	if len(w) > 48 {
		return entry{}, shapeOf(w)
	}
	e, known := clauseWords().single[strings.ToLower(w)]
	if known && len(w) > 2 && w == strings.ToUpper(w) && methods[w] {
		return entry{}, shapeNone
	}
	if known {
		return e, shapeNone
	}
	if i := strings.IndexAny(w, "’"); i > 0 {
		e, known = clauseWords().single[strings.ToLower(strings.ReplaceAll(w, "’", "'"))]
	}
	if known {
		return e, shapeNone
	}
	k := shapeOf(w)
	if k == shapeKey {
		e.class |= secret
	}
	if k == shapeName && keyWords(w) {
		e.class |= secret
	}
	if k == shapeNone && strings.Contains(w, "-") {
		head, _, _ := strings.Cut(w, "-")
		if h := clauseWords().single[strings.ToLower(head)]; h.class&(every|talk) != 0 {
			e.class |= h.class
		}
	}
	return e, k
}

// methods are HTTP methods in capitals, which are not orders.
var methods = map[string]bool{
	"GET":  true,
	"POST": true,
	"PUT":  true,
	"READ": true,
	"LIST": true,
}

// keyFiles are parts of the paths of files with credentials.
var keyFiles = []string{"id_rsa", "id_ed25519", "id_dsa", "id_ecdsa", ".ssh", ".aws", ".env", ".netrc", ".npmrc",
	".pgpass", ".kube", ".gnupg",
	"/etc/passwd", "/etc/shadow", "wallet.dat", "authorized_keys", "mcp.json", "credentials", "seed.txt", "~/.",
	"_history", "claude_desktop_config", "hosts.yml",
	"cookies.sqlite"}

// shapeOf returns the shape of a word.
func shapeOf(w string) shape {
	if plainWord(w) {
		return shapeNone
	}
	low := strings.ToLower(w)
	path := strings.ContainsAny(w, "/\\") || strings.HasPrefix(w, "~") || strings.HasPrefix(w, ".")
	switch {
	case strings.Contains(low, "://") || strings.HasPrefix(low, "www.") || strings.Contains(low, "@") &&
		strings.Contains(low, "."):
		return shapeURL
	case len(w) > 7 && strings.Count(w, ".") == 3 && w[0] >= '1' && w[0] <= '9':
		return shapeURL
	case slices.ContainsFunc(keyFiles, func(k string) bool { return strings.Contains(low, k) }) && (path ||
		strings.ContainsAny(w, "._")):
		return shapeKey
	case path:
		return shapePath
	case strings.Contains(strings.Trim(w, "_"), "_") || isCamelCase(w):
		return shapeName
	}
	return shapeNone
}

// keyWords reports whether an identifier names a credential, such as api_key or GITHUB_TOKEN.
func keyWords(w string) bool {
	for _, part := range nameWords(w) {
		if part == "next" || part == "page" || part == "continuation" || part == "pagination" { // a key for the next page of a list
			return false
		}
		if part == "passwd" || clauseWords().single[part].class&secret != 0 {
			return true
		}
	}
	return false
}

// plainWord reports whether all letters of w after the first are small.
func plainWord(w string) bool {
	for i := 0; i < len(w); i++ {
		if c := w[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// isCamelCase reports whether a capital follows a small letter in w.
func isCamelCase(w string) bool {
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return true
		}
	}
	return false
}

func (s *sentence) add(w lexeme) {
	s.words = append(s.words, w)
	s.shapes |= 1 << w.shape
}

// pairs adds the classes of pairs of words.
func (s *sentence) pairs(t string) {
	lex := clauseWords()
	count := 0
	for i := range s.words {
		w := &s.words[i]
		if i+1 < len(s.words) && w.end-w.start < 16 {
			head := strings.ToLower(t[w.start:w.end])
			if next := &s.words[i+1]; lex.heads[head] && next.end-next.start < 16 {
				w.class |= lex.pairs[head+" "+strings.ToLower(t[next.start:next.end])]
			}
		}
		s.class |= w.class
		w.mark(t[w.start:w.end])
		s.aboutTool = s.aboutTool || w.tool
		if w.class&functional != 0 {
			count++
		}
	}
	s.isEnglish = count >= 1 && count*16 >= len(s.words)
}

// mark sets the flags of words that have a special role.
func (x *lexeme) mark(w string) {
	if len(w) > 9 {
		return
	}
	switch strings.ToLower(w) {
	case "to":
		x.infinitive, x.into = true, true
	case "into", "in":
		x.into = true
	case "access":
		x.accessing = true
	case "tool", "tools", "function":
		x.tool = true
	case "use", "uses", "used", "using":
		x.uses = true
	case "tell", "tells", "telling", "mention", "inform", "informing", "notify", "notifying", "say", "alert", "warn",
		"comment", "disclose", "leak":
		x.tells = true
	}
}

// strange reports whether w mixes letters with other characters, as disguised words do.
func strange(w string) bool {
	small, others := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case isLetter(c):
			small++
		case c >= '0' && c <= '9', c == '@', c == '$', c >= 0x80:
			others++
		default:
			return false
		}
	}
	return small > 0 && others > 0
}

// calls reports whether a word orders a call rather than offering one.
func (x *lexeme) calls() bool {
	return x.class&actCall != 0 && x.form&base != 0 && !x.uses
}
