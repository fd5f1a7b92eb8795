package scan

// humps reads a word with humps, such as "ignorePrevious", piece by piece. It fails if no piece of three letters or
// more is known.
func (r *viewReader) humps(start, end int) bool {
	var pieces [8][2]int
	n, from := 0, start
	for i := start + 1; i <= end && n < len(pieces); i++ {
		if i == end || r.text[i] >= 'A' && r.text[i] <= 'Z' && r.text[i-1] >= 'a' && r.text[i-1] <= 'z' {
			pieces[n] = [2]int{from, i}
			n++
			from = i
		}
	}
	var numbers [8]int32
	any := false
	for i, p := range pieces[:n] {
		w := r.spellPart(p[0], p[1])
		r.rehash()
		numbers[i] = r.number(w)
		any = any || numbers[i] != 0 && len(r.word) >= 3
	}
	if !any {
		r.spell(start)
		r.rehash()
		return false
	}
	for i, p := range pieces[:n] {
		r.passed(p[0], p[1], numbers[i])
	}
	return true
}

// spellPart folds the part of the text between start and end.
func (r *viewReader) spellPart(start, end int) spelling {
	whole := r.text
	r.text = r.text[:end]
	w := r.spell(start)
	r.text = whole
	return w
}

// unglue reads words without spaces between them, "ignoreallprevious". It fails if a part is not a known word.
func (r *viewReader) unglue(start, end int) bool {
	n := len(r.word)
	if n != end-start { // each letter must be one byte
		return false
	}
	r.rehash()
	var from [maxWord + 1]int8 // start of the last word before an offset, plus 1
	var number [maxWord + 1]int32
	from[0] = 1
	for i := range n {
		if from[i] == 0 {
			continue
		}
		for j := min(n, i+15); j >= i+2; j-- {
			if from[j] != 0 {
				continue
			}
			key := r.hash[j] - r.hash[i]*powers[j-i]
			if !r.v.maybe(key) {
				continue
			}
			if k := r.v.probe(key, r.word[i:j], false); k != 0 && (j-i > 2 || !r.v.entries[k-1].means.empty()) {
				from[j], number[j] = int8(i+1), k
			}
		}
	}
	if from[n] == 0 {
		return false
	}
	var cuts [maxWord + 1]int
	pieces := 0
	for j := n; j > 0; j = int(from[j]) - 1 {
		cuts[pieces] = j
		pieces++
	}
	if pieces < 3 {
		return false
	}
	for i := pieces - 1; i >= 0; i-- {
		j := cuts[i]
		r.passed(start+int(from[j])-1, start+j, number[j])
	}
	return true
}
