package scan

import (
	"strings"
	"unicode/utf8"
)

// escapes examines the terminal control sequences of the current view. Colours are common and weak evidence.
// Sequences that hide text, link it elsewhere or overwrite it are strong evidence.
func (s *scanner) escapes() {
	t := s.v.Text
	for i := strings.IndexByte(t, '\x1b'); i >= 0 && i < len(t); {
		end, sure := sequence(t, i)
		tier := TierSoft
		if sure >= InjectedAt {
			tier = TierHard
		}
		s.observe(observation{
			check: checkANSI,
			tier:  tier,
			sure:  sure,
			start: i,
			end:   end,
		})
		next := strings.IndexByte(t[end:], '\x1b')
		if next < 0 {
			return
		}
		i = end + next
	}
}

// sequence returns the end of the sequence at i and its confidence.
func sequence(t string, i int) (end int, sure float64) {
	if i+1 == len(t) || t[i+1] >= utf8.RuneSelf {
		return i + 1, 0.1
	}
	switch t[i+1] {
	case '[':
		end = i + 2
		for end < len(t) && end < i+64 && t[end] >= ' ' && t[end] <= '?' {
			end++
		}
		if end == len(t) {
			return end, 0.1
		}
		if t[end] < '@' || t[end] > '~' {
			return end, 0.1
		}
		return end + 1, control(t[i+2:end], t[end])
	case ']', 'P', '_', '^', 'X': // links, titles, the clipboard: until BEL or ESC \
		limit := min(len(t), i+maxTag)
		for end = i + 2; end < limit; end++ {
			if t[end] == '\a' {
				return end + 1, 0.7
			}
			if t[end] == '\x1b' {
				if end+1 < len(t) && t[end+1] == '\\' {
					end += 2
				}
				return end, 0.7
			}
		}
		for end > i+2 && end < len(t) && !utf8.RuneStart(t[end]) {
			end--
		}
		return end, 0.7
	}
	return i + 2, 0.1
}

// control returns the confidence for a control sequence by its parameters and final byte.
func control(params string, final byte) float64 {
	switch final {
	case 'm':
		for p := range strings.SplitSeq(params, ";") {
			if p == "8" { // hides text
				return 0.9
			}
		}
		return 0.1
	case 'J': // erases the screen
		return 0.6
	case 'H', 'f', 'A', 'F', 'K', 'G':
		return 0.2
	}
	return 0.15
}
