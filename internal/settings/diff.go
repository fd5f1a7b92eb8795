package settings

import (
	"bytes"
	"fmt"
	"strings"
)

// around is the number of lines that are shown before and after a change.
const around = 3

// edit is a line of a diff: ' ', '-' or '+', and the line with its end.
type edit struct {
	sign byte
	line string
}

// Diff returns the change of a file as a unified diff; "" if nothing changes.
func Diff(path string, before, after []byte) string {
	if (before == nil) == (after == nil) && bytes.Equal(before, after) {
		return ""
	}
	names := [2]string{path, path}
	if before == nil {
		names[0] = "/dev/null"
	}
	if after == nil {
		names[1] = "/dev/null"
	}
	edits := compare(strings.SplitAfter(string(before), "\n"), strings.SplitAfter(string(after), "\n"))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", names[0], names[1])
	for from := 0; ; {
		start := from
		for start < len(edits) && edits[start].sign == ' ' {
			start++
		}
		if start == len(edits) {
			return out.String()
		}
		end, quiet := start, 0 // the hunk ends if the next change is too far away for the contexts to touch
		for at := start; at < len(edits) && quiet <= 2*around; at++ {
			quiet++
			if edits[at].sign != ' ' {
				end, quiet = at+1, 0
			}
		}
		first, last := max(from, start-around), min(len(edits), end+around)
		hunk(&out, edits, first, last)
		from = last
	}
}

// hunk writes one hunk of a diff.
func hunk(out *strings.Builder, edits []edit, first, last int) {
	var at, count [2]int
	for i, e := range edits[:last] {
		for side, other := range []byte{'+', '-'} {
			if e.sign == other {
				continue
			}
			if i < first {
				at[side]++
			} else {
				count[side]++
			}
		}
	}
	for side := range at {
		if count[side] > 0 {
			at[side]++
		}
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", at[0], count[0], at[1], count[1])
	for _, e := range edits[first:last] {
		fmt.Fprintf(out, "%c%s", e.sign, strings.TrimSuffix(e.line, "\n"))
		out.WriteByte('\n')
		if !strings.HasSuffix(e.line, "\n") {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
}

// compare returns the edits between two texts. It first skips the lines that are equal at both ends.
func compare(a, b []string) []edit {
	a, b = lines(a), lines(b)
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append([]edit{{' ', a[len(a)-1]}}, tail...)
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return append(append(head, common(a, b)...), tail...)
}

// maxLines is the maximum number of lines that are compared.
const maxLines = 4000

// common returns the longest common subsequence.
func common(a, b []string) []edit {
	var out []edit
	if len(a) > maxLines || len(b) > maxLines {
		for _, l := range a {
			out = append(out, edit{'-', l})
		}
		for _, l := range b {
			out = append(out, edit{'+', l})
		}
		return out
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || length[i+1][j] >= length[i][j+1]):
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	return out
}

// lines splits a text into lines. A newline at the end does not start another line.
func lines(pieces []string) []string {
	if n := len(pieces); n > 0 && pieces[n-1] == "" {
		return pieces[:n-1]
	}
	return pieces
}
