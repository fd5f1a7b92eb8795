// Package suggest finds the name that was probably meant by a misspelt one.
package suggest

import "strings"

// maxLength is the maximum length of the names that are compared, in bytes.
const maxLength = 256

// Nearest returns the candidate most similar to name, ignoring case. It returns "" if no candidate has at least half
// of its characters in common with name.
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
