package text

import "strings"

const (
	minSpaced = 8 // minimum number of separated letters
	maxGroup  = 8 // maximum number of letters between two separators
)

var (
	alnumByte = byteSet(isAlnum)
	gapByte   = byteSet(func(c byte) bool { return strings.IndexByte(" .-_*|/,~+:\n", c) >= 0 })
	joinByte  = byteSet(func(c byte) bool { return strings.IndexByte("+=_/-.:~", c) >= 0 })
)

// byteSet returns the set of bytes for which is returns true.
func byteSet(is func(byte) bool) (set [256]bool) {
	for c := range set {
		set[c] = is(byte(c))
	}
	return set
}

// spacingHow is the value of [View.How] for closeUp.
const spacingHow = "spacing"

// closeUp removes the separators between letters, or between groups with the same number of letters: "A K I A",
// "I-g-n-o-r-e", "AKIA-IOSF-…". A wider gap becomes a space between two words.
func closeUp(v *View) []*View {
	var b builder
	s := v.Text
	for i := 0; i < len(s); {
		if !alnumByte[s[i]] {
			i++
			continue
		}
		end := i + 1
		for end < len(s) && alnumByte[s[end]] {
			end++
		}
		size := end - i
		if size > maxGroup || end == len(s) || !gapByte[s[end]] || !goesOn(s, end, size) { // most words end here
			i = end
			continue
		}
		end, ok := spaced(s, i, end)
		if ok {
			b.close(s, i, end)
		}
		i = end
	}
	if len(b.text) == 0 {
		return nil
	}
	return []*View{b.view(v, spacingHow)}
}

// goesOn reports whether more groups of size letters may follow the gap at byte gap and the next gap. It returns true
// near the end of the text.
func goesOn(s string, gap, size int) bool {
	second := gap + 1 + size
	switch {
	case second+2+size >= len(s) || s[gap+1] == s[gap]:
		return true
	case s[second] != s[gap]:
		return false
	}
	return s[second+1] == s[gap] || s[second+1+size] == s[gap]
}

// spaced finds the groups of letters that begin at byte start, with the first gap at byte gap, and reports whether
// there are enough. It returns the position at which to continue.
func spaced(s string, start, gap int) (end int, ok bool) {
	size := gap - start
	letters, groups := size, 1
	for end = gap; end < len(s) && s[end] == s[gap]; {
		next := end + 1
		for next < len(s) && next-end < 3 && s[next] == s[gap] { // a wider gap between words
			next++
		}
		n := groupAt(s, next, s[gap])
		if n == 0 || n > size ||
			n < size && next+n+1 < len(s) && s[next+n] == s[gap] && groupAt(s, next+n+1, s[gap]) > 0 {
			break // only the last group can be shorter
		}
		letters = letters + n
		groups = groups + 1
		end = next + n
		if n < size {
			break
		}
	}
	if letters < minSpaced*min(size, 2) || groups < 4 {
		return gap, false
	}
	return end, true
}

// groupAt returns the number of letters at byte at. Between gaps, characters that join the parts of a key count as
// letters.
func groupAt(s string, at int, gap byte) int {
	n := 0
	for at+n < len(s) && n <= maxGroup && (alnumByte[s[at+n]] || s[at+n] != gap && joinByte[s[at+n]]) {
		n++
	}
	return n
}

// close adds s[start:end] without its gaps.
func (b *builder) close(s string, start, end int) {
	if len(b.text) > 0 {
		b.put("\n", start, 1)
	}
	first := start
	for alnumByte[s[first]] {
		first++
	}
	gap := s[first]
	for i := start; i < end; {
		n := groupAt(s, i, gap)
		if n == 0 {
			wide := 0
			for i+wide < end && s[i+wide] == gap {
				wide++
			}
			if wide > 1 {
				b.put(" ", i, wide)
			}
			i += max(wide, 1)
			continue
		}
		b.copy(s[i:i+n], i)
		i += n
	}
}
