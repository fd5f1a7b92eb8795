package personal

import (
	"strings"
	"sync"

	"mcpproxy"
)

// birthKinds are dates of birth. Other dates are not personal data.
var birthKinds = []dataKind{
	{
		id:       "date_of_birth",
		category: ofBirth,
		severity: mcpproxy.SeverityMedium,
		named:    0.9,
	},
}

// birthDate reads a date at or around the word text[s:e]. It counts if words near it say that somebody was born.
func (r *textReader) birthDate(s, e int) {
	if e-s > 8 || !isNumber(r.text[s]) || s > 0 && r.text[s-1] == '.' {
		return
	}
	start, end := r.numericDate(s, e)
	if end == 0 {
		start, end = r.writtenDate(s, e)
	}
	if end == 0 || isTime(r.text[end:]) || !r.context(start, end).tags.has(topicBirth) {
		return
	}
	confidence := 0.9
	switch d := r.context(start, end).leastBefore(&birthTags); {
	case d > 40:
		confidence = 0.5
	case d > 20:
		confidence = 0.75
	}
	if r.context(start, end).tags.has(topicNot) {
		confidence -= 0.35
	}
	r.add(r.x.byID["date_of_birth"], start, end, confidence)
}

var birthTags = tagsOf(topicBirth)

// isTime reports whether t, the text after a date, begins with a time of day other than midnight. The date is then
// taken for the date of an event, not for a date of birth.
func isTime(t string) bool {
	return len(t) > 4 && (t[0] == ' ' || t[0] == 'T') && isNumber(t[1]) && isNumber(t[2]) && t[3] == ':' &&
		isNumber(t[4]) &&
		!strings.HasPrefix(t[1:], "00:00")
}

// numericDate reads "1980-02-01", "1.2.1980", "2/1/80" or "19800201" at s; end is 0 if there is none.
func (r *textReader) numericDate(s, e int) (start, end int) {
	t := r.text
	if e-s == 8 {
		if all := []byte(t[s:e]); allNumbers(all) && isLongDate(all) {
			return s, e
		}
		return 0, 0
	}
	if s > 1 && (t[s-1] == '-' || t[s-1] == '/' || t[s-1] == '.') && isNumber(t[s-2]) {
		return 0, 0 // the number begins earlier
	}
	var part [3]int
	var width [3]int
	i := s
	for n := range 3 {
		for i < len(t) && isNumber(t[i]) && width[n] < 5 {
			part[n] = part[n]*10 + digit(t[i])
			width[n]++
			i++
		}
		if n == 2 {
			break
		}
		if i >= len(t) || strings.IndexByte("-/. ", t[i]) < 0 || n == 1 && t[i] != t[e] {
			return 0, 0
		}
		if i++; t[i-1] == '.' && i < len(t) && t[i] == ' ' {
			i++ // "1. 2. 1980"
		}
	}
	if i < len(t) && isAlnum(t[i]) && t[i] != 'T' || width[1] > 2 || width[1] == 0 {
		return 0, 0
	}
	if width[0] == 4 && width[2] <= 2 && width[2] > 0 && isBirth(part[0], part[1], part[2]) {
		return s, i
	}
	year := part[2]
	if width[0] > 2 || width[2] != 4 && width[2] != 2 {
		return 0, 0
	}
	if width[2] == 2 {
		year += 1900
	}
	if isBirth(year, part[1], part[0]) || isBirth(year, part[0], part[1]) {
		return s, i
	}
	return 0, 0
}

func isBirth(year, month, day int) bool {
	return year >= 1890 && year <= 2035 && isDate(0, month, day)
}

// writtenDate reads "12 May 1980", "12. Mai 1980", "12 de mayo de 1980" and
// "May 12, 1980" around the day at text[s:e], and "1980年2月1日".
func (r *textReader) writtenDate(s, e int) (start, end int) {
	t := r.text
	if e-s > 4 {
		return 0, 0
	}
	if e-s == 4 && allNumbers([]byte(t[s:e])) {
		return r.eastAsianDate(s, e)
	}
	day := e
	for day > s && isLetter(t[day-1]) {
		day--
	}
	if day-s > 2 || number([]byte(t[s:day])) > 31 {
		return 0, 0
	}
	i := skipTo(t, e, "de", "of", ".")
	if n := month(t[i:]); n > 0 {
		i = skipTo(t, i+n, "de", "del", ".", ",")
		if y := runOfDigits(t, i); y == 4 || y == 2 {
			return s, i + y
		}
	}
	before := strings.TrimRight(t[max(0, s-14):s], " .")
	from := strings.LastIndexAny(before, " \n\t:(\",") + 1
	if n := month(before[from:]); n > 0 && n >= len(before)-from {
		i = skipTo(t, e, ",", "th")
		if y := runOfDigits(t, i); y == 4 {
			return max(0, s-14) + from, i + y
		}
	}
	return 0, 0
}

// eastAsianDate reads a year, month and day with their signs in Chinese, Japanese or Korean.
func (r *textReader) eastAsianDate(s, e int) (start, end int) {
	t, i := r.text, e
	for n, signs := range [3][2]string{{"年", "년"}, {"月", "월"}, {"日", "일"}} {
		if n > 0 {
			for i < len(t) && t[i] == ' ' {
				i++
			}
			d := runOfDigits(t, i)
			if d == 0 || d > 2 {
				return 0, 0
			}
			i += d
		}
		if !strings.HasPrefix(t[i:], signs[0]) && !strings.HasPrefix(t[i:], signs[1]) {
			return 0, 0
		}
		i += len(signs[0])
	}
	return s, i
}

// skipTo skips spaces, and any of the given words with spaces around them.
func skipTo(t string, i int, words ...string) int {
	for {
		start := i
		for i < len(t) && (t[i] == ' ' || t[i] == '-') && i-start < 2 {
			i++
		}
		for _, w := range words {
			if rest := t[i:]; len(rest) > len(w) && strings.EqualFold(rest[:len(w)], w) && !isLetter(rest[len(w)]) {
				i += len(w)
			}
		}
		if i == start {
			return i
		}
	}
}

// months are the first three letters of the names of months in many languages, without accents.
const months = "jan ene gen sty led tam jaa oca feb fev hel uno maa vee sub mar mrt bre mae apr avr abr kwi dub huh nis may mai maj mag mei kve tou jun jui giu cze cer kes haz " +
	"jul lug lip hei tem aug aou ago agos sie srp elo sep set wrz zar syy eyl oct okt ott out paz rij lok eki nov noi lis mar kas dec dez dic des gru pro jou ara янв фев мар апр мая май июн июл авг сен окт ноя дек січ лют бер кві тра чер лип сер вер жов лис гру ιαν φεβ μαρ απρ μαι ιου αυγ σεπ οκτ νοε δεκ"

// month returns the length of the name of a month at the start of s, or 0.
func month(s string) int {
	n := 0
	var folded [12]byte
	letters := 0
	for n < len(s) {
		c, size := foldAt(s, n)
		if c == 0 {
			break
		}
		if letters < len(folded) {
			folded[letters] = c
		}
		letters++
		n += size
	}
	if letters < 3 || letters > len(folded) {
		return 0
	}
	if foldedMonths()[uint32(folded[0])<<16|uint32(folded[1])<<8|uint32(folded[2])] {
		return n
	}
	return 0
}

var foldedMonths = sync.OnceValue(func() map[uint32]bool {
	m := map[uint32]bool{}
	for name := range strings.FieldsSeq(months) {
		f := foldString(name)
		m[uint32(f[0])<<16|uint32(f[1])<<8|uint32(f[2])] = true
	}
	return m
})
