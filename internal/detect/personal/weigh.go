package personal

// candidate is a run of words whose form matches at least one kind of personal data.
type candidate struct {
	start, end int
	id         []byte   // in capitals, without separators
	ctx        *context // nil if nothing announces it
	made       bool     // it counts up or repeats itself: an example
	doubt      float64  // factor for a value that nothing announces; 0 until computed
}

// weigh adds a finding for each form that ends with text[s:e] if the confidence is high enough.
func (r *textReader) weigh(s, e int, word *wordNode) {
	c := candidate{start: s, end: e}
	ends := word.free
	if r.short {
		ends = word.lone
	}
	if r.near.tags.meets(&word.want) {
		if ctx := r.context(s, e); ctx.tags.meets(&word.want) {
			ends, c.ctx = word.all, ctx
		}
	}
	if len(ends) == 0 {
		return
	}
	if c.id = r.squeeze(s, e); trivial(c.id) {
		return
	}
	c.made = sequential(c.id) || longestRun(c.id) >= 9
	for _, end := range ends {
		if confidence := r.judge(&c, end); confidence >= leastConfidence {
			r.add(end.kind, s, r.closed(e), confidence)
		}
	}
}

// judge returns the confidence that c is a value of the kind that end names, or 0 if it is not one.
func (r *textReader) judge(c *candidate, end formEnd) float64 {
	k := &r.x.kinds[end.kind]
	own := &r.x.own[end.kind]
	want := &r.x.want[end.kind]
	if c.ctx != nil && c.ctx.tags.meets(want) {
		if c.made && k.check != nil && k.category != ofBank && k.category != ofCard && !end.grouped &&
			!c.ctx.tags.meets(own) {
			return 0
		}
		if k.yields && c.ctx.isThing(want) {
			return 0
		}
		return r.announced(c, k, end, own, c.ctx.nearness(k, own, want, end.grouped))
	}
	confidence := k.bare
	if end.grouped {
		confidence = k.grouped
	}
	whole := r.short && (k.alone || confidence >= leastConfidence) && r.whole(c.start, c.end)
	if !whole && confidence < leastConfidence || c.made && !end.grouped && k.category != ofCard {
		return 0
	}
	g := k.grade(c.id, end.picture)
	if g == wrong || g == likely && !end.grouped && !(whole && k.alone && !k.strict) {
		return 0
	}
	if c.doubt == 0 {
		c.doubt = r.doubt(c.start, c.end, c.id, whole)
	}
	if confidence *= c.doubt; whole && k.alone {
		confidence = max(confidence, leastConfidence)
	}
	if g == likely && !end.grouped {
		confidence = min(confidence, leastConfidence)
	} else if g == likely && confidence > 0.5 {
		confidence -= 0.1
	}
	return confidence
}

// announced returns the confidence of a value that words announce, if the form and the check agree.
func (r *textReader) announced(c *candidate, k *dataKind, end formEnd, own *tagSet, confidence float64) float64 {
	g := k.grade(c.id, end.picture)
	if g == wrong {
		return 0
	}
	if r.glued(c.start, c.end) {
		confidence -= 0.15
	}
	if g == likely && c.ctx.tags.meets(own) {
		confidence -= 0.02
	} else if g == likely && confidence > 0.5 {
		confidence -= 0.1
	}
	return confidence
}

// grade applies the form and the check to a value.
func (k *dataKind) grade(id []byte, picture string) grade {
	if !shows(picture, id) {
		return wrong
	}
	if k.check == nil {
		return right
	}
	return k.check(id)
}

// doubt returns the factor by which the context of an unannounced value reduces its confidence: it is part of
// something longer, a price, the number of an order, or in a URL.
func (r *textReader) doubt(s, e int, id []byte, whole bool) float64 {
	factor := 1.0
	if r.glued(s, e) || r.priced(s, e) {
		factor *= 0.5
	}
	if r.near.tags.has(topicNot) && r.context(s, e).tags.has(topicNot) {
		factor *= 0.7
	}
	if !whole && (r.inURL(s) || lowerCase(r.text[s:e])) {
		factor *= 0.6
	}
	if sequential(id) {
		factor *= 0.5
	}
	if whole {
		return factor
	}
	if inThousands(r.text[s:e]) || isEpoch(id) || r.continues(s, e) && !isCardLength(len(id)) {
		factor *= 0.6
	}
	if looselyGrouped(r.text[s:e]) {
		factor *= 0.8
	}
	return factor
}

// glued reports whether text[s:e] is part of a longer token: a decimal, a path, a version.
func (r *textReader) glued(s, e int) bool {
	t := r.text
	return s >= 2 && joins(t[s-1], t[s-2]) || e+1 < len(t) && joins(t[e], t[e+1])
}

// joins reports whether sep continues a token with the character beyond it.
func joins(sep, beyond byte) bool {
	switch sep {
	case '-', '/', '_', '@', '+':
		return isAlnum(beyond)
	case '.', ',', ':':
		return isNumber(beyond)
	}
	return false
}

// priced reports whether a currency sign or a per cent sign is beside text[s:e].
func (r *textReader) priced(s, e int) bool {
	t := r.text
	if s > 0 && (t[s-1] == '$' || t[s-1] == '#' || t[s-1] == '=' && s > 1 && t[s-2] == '=') {
		return true
	}
	if e < len(t) && (t[e] == '%' || t[e] == '$') {
		return true
	}
	for _, sign := range []string{"€", "£", "¥", "₹", "€ ", "£ ", "$ "} {
		if n := len(sign); s >= n && t[s-n:s] == sign {
			return true
		}
	}
	return e+3 <= len(t) && t[e:e+3] == "€"
}

// inURL reports whether s is inside a URL.
func (r *textReader) inURL(s int) bool {
	for i := s - 1; i >= 2 && s-i < 200; i-- {
		if c := r.text[i]; c <= ' ' || c == '"' || c == '<' || c == '>' {
			return false
		} else if c == '/' && r.text[i-1] == '/' && r.text[i-2] == ':' {
			return true
		}
	}
	return false
}

// closed returns the end of a value whose last part is in parentheses.
func (r *textReader) closed(e int) int {
	if e < len(r.text) && r.text[e] == ')' && (e >= 2 && r.text[e-2] == '(' || e >= 3 && r.text[e-3] == '(') {
		return e + 1
	}
	return e
}

func lowerCase(s string) bool {
	for i := range len(s) {
		if s[i] >= 'a' && s[i] <= 'z' {
			return true
		}
	}
	return false
}

// trivial reports whether all characters are the same, as in a placeholder.
func trivial(id []byte) bool {
	if len(id) < 6 {
		return false
	}
	return longestRun(id) == len(id)
}

// longestRun returns the maximum number of equal characters in a row.
func longestRun(id []byte) int {
	run, longest := 0, 0
	for i := range id {
		if run++; i > 0 && id[i] != id[i-1] {
			run = 1
		}
		longest = max(longest, run)
	}
	return longest
}

// looselyGrouped reports whether spaces or dots separate digits, as they do in tables and versions too.
func looselyGrouped(s string) bool {
	loose := false
	for i := range len(s) {
		if s[i] == ' ' || s[i] == '.' {
			loose = true
		} else if !isNumber(s[i]) {
			return false
		}
	}
	return loose
}

// continues reports whether further groups of digits are beside text[s:e].
func (r *textReader) continues(s, e int) bool {
	t := r.text
	before := s > 1 && t[s-1] == ' ' && isNumber(t[s-2]) && isNumber(t[s])
	return before || e+1 < len(t) && t[e] == ' ' && isNumber(t[e+1]) && isNumber(t[e-1])
}

func isCardLength(n int) bool { return n >= 14 && n <= 19 }

// isEpoch reports whether digits are a current time in seconds, milliseconds or microseconds.
func isEpoch(id []byte) bool {
	if n := len(id); n != 10 && n != 13 && n != 16 || !allNumbers(id) {
		return false
	}
	seconds := number(id[:10])
	return seconds >= 1_200_000_000 && seconds < 2_100_000_000
}

// inThousands reports whether digits are grouped like a large amount: "130 692 544".
func inThousands(s string) bool {
	for i := len(s) - 4; i >= 0; i -= 4 {
		if s[i] != ' ' && s[i] != '.' {
			return false
		}
	}
	return len(s)%4 != 0
}

// sequential reports whether the digits, after at most two letters, count up or down, as in an example.
func sequential(id []byte) bool {
	for n := 0; n < 2 && len(id) > 0 && isLetter(id[0]); n++ {
		id = id[1:]
	}
	if len(id) < 8 {
		return false
	}
	up, down := true, true
	for i := 1; i < len(id); i++ {
		if !isNumber(id[i]) || !isNumber(id[i-1]) {
			return false
		}
		d := int(id[i]) - int(id[i-1])
		up = up && (d == 1 || d == -9)
		down = down && (d == -1 || d == 9)
	}
	return up || down
}
