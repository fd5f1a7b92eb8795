package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// There is a candidate wherever an encoded text may begin, at every position within a block of bytes.
func TestNoPlaceWhereAnEncodedTextMayBeginIsLeftOut(t *testing.T) {
	piece := rapid.SampledFrom(
		[]string{
			"word ",
			"a",
			"0x41, ",
			"4b:",
			"65 ",
			"fax",
			"be ",
			" ",
			"\n",
			"-",
			"/",
			"é",
			"QUtJQVo3UVgzTU5C",
			strings.Repeat("x", 15),
			strings.Repeat("y ", 30),
		},
	)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		places := map[int]bool{}
		c := candidates{s: s}
		for at := c.next(0); at < len(s); at = c.next(at + 1) {
			places[at] = true
		}
		for i := 0; i < len(s); i++ {
			begins := charset[s[i]] != 0 && (i == 0 || charset[s[i-1]] == 0)
			if !begins {
				if places[i] {
					t.Errorf("%q: byte %d is no beginning", s, i)
				}
				continue
			}
			end := i
			for end < len(s) && charset[s[end]] != 0 {
				end++
			}
			if (end-i >= minRun || mayBeCode(s, i)) && !places[i] {
				t.Errorf("%q: byte %d is left out", s, i)
			}
		}
	})
}
