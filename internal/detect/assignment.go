package detect

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Assignments are found by the characters between a name and its value:
//
//	name = value    name: "value"    'name' => 'value'    name := value
//	name || "value"    name ?? "value"    | name | value |
//	name "value"
//	-H "Name: value"    --name value    setenv("name", "value")    <name>value</name>

// operator marks the bytes that can follow a name.
var operator = table("=:>,-|?\"' ")

// betweens can be between a name's operator and its value.
var betweens = table(" \t\"'`=>:~|?([{\\@")

// ends are the bytes that end an unquoted value.
var ends = table(" \t\r\n\"'`,;<>()[]{}|&\\")

// nameBytes are the bytes of names, including letters of other languages in any encoding.
var nameBytes = func() [256]bool {
	t := table("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. \t")
	for c := 0x80; c < len(t); c++ {
		t[c] = true
	}
	return t
}()

func table(bytes string) (t [256]bool) {
	for i := 0; i < len(bytes); i++ {
		t[bytes[i]] = true
	}
	return t
}

const (
	maxBetween = 8  // bytes between an operator and its value
	maxPadding = 32 // spaces among them that align columns
)

// assignment reads the assignment whose operator is at byte i of s. It returns the name and the position of the
// value. The value is empty if there is none.
func assignment(s string, i int) (name string, start, end int) {
	nameEnd := i
	switch s[i] {
	case '-': // only before an option: --name value; or after a word for secrets: acme-key-value
		if !joinsSecret(s, i) {
			return option(s, i)
		}
	case ',': // only between quotes: ("name", "value")
		if i == 0 || s[i-1] != '"' && s[i-1] != '\'' {
			return "", 0, 0
		}
	case '|', '?': // only a default: name || "value", name ?? "value"; or cells of a table: | name | value |
		if !cell(s, i) && (i == 0 || s[i-1] != s[i] || !quoteFollows(s, i+1)) {
			return "", 0, 0
		}
	case '"', '\'': // only after a name and a space: name "value"
		if !openedBehindName(s, i) {
			return "", 0, 0
		}
	case ' ': // only between a word for secrets and a long value: API key value
		if !besideSecretWord(s, i) {
			return "", 0, 0
		}
	case '>': // the end of <name>, or of an arrow, whose '=' or '-' was the operator
		if i == 0 || s[i-1] == '=' || s[i-1] == '-' {
			return "", 0, 0
		}
	default:
		if i > 0 && (s[i-1] == '=' || s[i-1] == ':' && s[i] == '=') { // == or :=, which was processed before
			return "", 0, 0
		}
		if clock(s, i) { // a time: "rotated at 08:12"
			return "", 0, 0
		}
	}
	start = afterBlanks(s, i+1)
	from := start
	for start < len(s) && start-from < maxBetween && (betweens[s[start]] || onNextLine(s, start)) {
		start++
	}
	end = valueEnd(s, start)
	if end-start < minValue {
		return "", 0, 0
	}
	nameEnd = beforeBlanks(s, nameEnd)
	to := nameEnd
	for nameEnd > 0 && to-nameEnd < maxBetween &&
		(betweens[s[nameEnd-1]] || s[nameEnd-1] == ']' || s[nameEnd-1] == ')') {
		nameEnd--
	}
	nameEnd = beforeRemark(s, nameEnd)
	from = nameEnd
	for from > 0 && nameEnd-from < maxName && nameBytes[s[from-1]] {
		from--
	}
	for from < nameEnd && !utf8.RuneStart(s[from]) { // the name begins earlier
		from++
	}
	if ofDigest(s, from) {
		return "", 0, 0
	}
	name = s[from:nameEnd]
	if other := named(s, from, name); other != "" {
		return other, start, end
	}
	return name, start, end
}

// maxRemark is the maximum length of a remark between a name and its operator.
const maxRemark = 24

// beforeRemark returns the end of the name before a remark in parentheses, as in "token (prod): value". i is the
// position of the closing parenthesis.
func beforeRemark(s string, i int) int {
	if i >= len(s) || s[i] != ')' {
		return i
	}
	open := strings.LastIndexByte(s[max(0, i-maxRemark):i], '(')
	if open < 0 {
		return i
	}
	open += max(0, i-maxRemark)
	if open < 2 || s[open-1] != ' ' || !isNameLetter(s[open-2]) {
		return i
	}
	return open
}

// digestWords are words at the end of a digest's name.
var digestWords = []string{"checksum", "digest", "hash"}

// ofDigest reports whether the name that begins at byte from of s is the name of a digest, as in the annotation
// checksum/secret.
func ofDigest(s string, from int) bool {
	if from == 0 || s[from-1] != '/' {
		return false
	}
	return slices.ContainsFunc(digestWords, func(w string) bool { return strings.HasSuffix(s[:from-1], w) })
}

// afterBlanks returns the position of the first byte, from i on, that is not padding of a column.
func afterBlanks(s string, i int) int {
	end := i
	for end < len(s) && end-i < maxPadding && (s[end] == ' ' || s[end] == '\t') {
		end++
	}
	return end
}

// beforeBlanks returns the beginning of the padding of a column that ends at byte i.
func beforeBlanks(s string, i int) int {
	start := i
	for start > 0 && i-start < maxPadding && (s[start-1] == ' ' || s[start-1] == '\t') {
		start--
	}
	return start
}

// openedBehindName reports whether the quote at byte i begins a value after a name and a space, as in configuration
// that is code: accessKey "value".
func openedBehindName(s string, i int) bool {
	if i < 2 || s[i-1] != ' ' || !isNameLetter(s[i-2]) || i+minValue >= len(s) || s[i+1] <= ' ' {
		return false
	}
	end := strings.IndexAny(s[i+1:min(len(s), i+maxQuoted)], "\"'\n ")
	return end >= minValue && s[i+1+end] == s[i]
}

// maxQuoted is the maximum length of a value after a name and a space.
const maxQuoted = 200

// besideSecretWord reports whether the space at byte i is between a word for secrets and a possible value: a long
// word with a digit.
func besideSecretWord(s string, i int) bool {
	if !behindSecretWord(s, i) {
		return false
	}
	end, digits := i+1, 0
	for end < len(s) && !ends[s[end]] && end-i <= maxQuoted {
		if isDigit(s[end]) {
			digits++
		}
		end++
	}
	return end-i > minBeside && digits >= 2
}

// joinsSecret reports whether the hyphen at byte i is between a word for secrets and a possible value: "acme-secret-"
// and a value that does not look like a name.
func joinsSecret(s string, i int) bool {
	if !behindSecretWord(s, i) {
		return false
	}
	end, digits := i+1, 0
	for end < len(s) && (isNameLetter(s[end]) || s[end] == '-' || s[end] == '_') && end-i <= maxQuoted {
		if isDigit(s[end]) {
			digits++
		}
		end++
	}
	return end-i > minJoined && digits >= 2
}

// behindSecretWord reports whether one of besideWords ends right before byte i. It is called for every space and
// hyphen of every text, so it checks the last letter first.
func behindSecretWord(s string, i int) bool {
	if i < 3 || i+minBeside >= len(s) || !lastOfSecretWord[s[i-1]] {
		return false
	}
	from := i - 1
	for from > 0 && i-from < longestSecretWord && isNameLetter(s[from-1]) {
		from--
	}
	last := strings.ToLower(s[from:i])
	return slices.ContainsFunc(besideWords, func(w string) bool { return strings.HasSuffix(last, w) })
}

// besideWords are words for secrets that a value can follow without an operator.
var besideWords = []string{"key", "token", "secret", "access", "private", "apikey", "credential"}

// lastOfSecretWord marks the last letters of besideWords.
var lastOfSecretWord = table("ynstelYNSTEL")

const (
	minBeside         = 16 // minimum bytes of a value that follows its name without an operator
	minJoined         = 20 // minimum bytes of a value that a hyphen joins to its name
	longestSecretWord = 12
)

// maxRow is the maximum distance, in bytes, of a cell from the beginning of its row.
const maxRow = 200

// cell reports whether byte i of s separates two cells of a row of a Markdown table.
func cell(s string, i int) bool {
	if s[i] != '|' || i < 2 || s[i-1] != ' ' || i+1 >= len(s) || s[i+1] != ' ' {
		return false
	}
	row := s[max(0, i-maxRow):i]
	return strings.HasPrefix(row[strings.LastIndexByte(row, '\n')+1:], "|")
}

// clock reports whether byte i of s is the colon of a time of day.
func clock(s string, i int) bool {
	digit := func(at int) bool { return at >= 0 && at < len(s) && s[at] >= '0' && s[at] <= '9' }
	name := func(at int) bool { return at >= 0 && at < len(s) && nameBytes[s[at]] && s[at] > ' ' && s[at] < 0x80 }
	from := i - 1
	if digit(i - 2) {
		from--
	}
	return s[i] == ':' && digit(i-1) && !name(from-1) && digit(i+1) && digit(i+2) && !name(i+3)
}

// quoteFollows reports whether a quote is at byte i, or after a space there.
func quoteFollows(s string, i int) bool {
	if i < len(s) && s[i] == ' ' {
		i++
	}
	return i < len(s) && (s[i] == '"' || s[i] == '\'' || s[i] == '`')
}

// option parses "--name value", whose first hyphen is byte i.
func option(s string, i int) (name string, start, end int) {
	if i > 0 && s[i-1] > ' ' && s[i-1] != '"' && s[i-1] != '\'' || i+2 >= len(s) {
		return "", 0, 0
	}
	to := i
	for to < len(s) && to-i < maxName && nameBytes[s[to]] && s[to] > ' ' {
		to++
	}
	if to-i < 3 || to >= len(s) || s[to] != ' ' || to+1 < len(s) && s[to+1] == '-' {
		return "", 0, 0
	}
	start = to + 1
	for start < len(s) && (s[start] == ' ' || s[start] == '"' || s[start] == '\'') && start-to <= 3 {
		start++
	}
	return s[i:to], start, valueEnd(s, start)
}

// valueEnd returns the end of the value that starts at byte start: at its closing quote, or before the first byte
// that cannot belong to it.
func valueEnd(s string, start int) int {
	limit := min(len(s), start+maxValue)
	if quote := opening(s, start); quote != 0 {
		for i := start; i < limit; i++ {
			if s[i] == quote || s[i] == '\n' || s[i] == '\\' && i+1 < limit && s[i+1] == quote {
				return i
			}
		}
	}
	end := start
	for end < limit && !ends[s[end]] {
		end++
	}
	for end > start && (s[end-1] == '.' || s[end-1] == ':') { // of the sentence
		end--
	}
	return end
}

// opening returns the quote before byte start, if there is one.
func opening(s string, start int) byte {
	if start > 0 && start <= len(s) {
		if c := s[start-1]; c == '"' || c == '\'' || c == '`' {
			return c
		}
	}
	return 0
}

// trimmed returns the position of the text in s without the surrounding white space and quotes.
func trimmed(s string) (start, end int) {
	end = len(s)
	for start < end && (s[start] <= ' ' || s[start] == '"' || s[start] == '\'') {
		start++
	}
	for end > start && (s[end-1] <= ' ' || s[end-1] == '"' || s[end-1] == '\'') {
		end--
	}
	return start, end
}

// onNextLine reports whether the value continues after the line end at byte i: in an opened element, or in a YAML
// block.
func onNextLine(s string, i int) bool {
	return (s[i] == '\n' || s[i] == '\r') && (s[i-1] == '>' || s[i-1] == '|' || s[i-1] == '\r')
}
