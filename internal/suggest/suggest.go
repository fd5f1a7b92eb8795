// Package suggest finds the name that was probably meant.
package suggest

import "strings"

// maxLength bounds the bytes of a name that are compared.
const maxLength = 256

// Nearest returns the candidate most like name, ignoring case, or "" when none
// has at least half in common with it.
func Nearest(name string, candidates []string) string {
	best, least := "", maxLength
	for _, c := range candidates {
		d := distance(strings.ToLower(name), strings.ToLower(c))
		if d < least && d <= min(len(name), len(c))/2 {
			best, least = c, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of a and b, in bytes.
func distance(a, b string) int {
	a, b = a[:min(len(a), maxLength)], b[:min(len(b), maxLength)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
