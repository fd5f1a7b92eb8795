package passage

import (
	"iter"
	"slices"
	"strings"
)

const (
	maxPassage = 500 // bytes of a passage; a longer one ends at the end of a sentence
	maxField   = 80  // bytes of a value that a system filled in
	fieldWords = 6   // words of a value that a system filled in
)

// piece is a part of a text: a passage of prose, or the value of a field.
type piece struct {
	text  string
	field bool
}

// isHeader reports whether a line is a header that a mail program fills in.
func isHeader(line string) bool {
	name, _, _ := strings.Cut(line, ":")
	switch strings.ToLower(strings.Trim(name, "*-# ")) {
	case "from", "to", "cc", "bcc", "sender", "reply-to", "date", "message-id", "message id", "thread id", "id", "author",
		"von", "an", "de", "à", "para", "da", "a", "van", "aan", "od", "do", "от", "кому", "發件人", "发件人", "差出人", "보낸사람":
		return true
	}
	return false
}

// isMail reports whether a text begins with a header of a mail. Whoever wrote the mail also wrote the tables in it.
func isMail(s string) bool {
	first, _ := lineAt(s, 0)
	return strings.Contains(first, ":") && isHeader(first)
}

// pieces splits a text. A line "name: value" with a short value is a field. Consecutive other lines form one passage.
// In a text that outsiders may have written, only the headers of a mail, and a text that is short as a whole, are
// fields.
func pieces(s string, trusted bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		if isField(s) {
			yield(piece{s, true})
			return
		}
		listed := trusted && isList(s)
		mail := isMail(s)
		start, end := -1, 0
		flush := func() bool {
			if start < 0 {
				return true
			}
			text := s[start:end]
			start = -1
			return sentences(text, yield)
		}
		for at := 0; at < len(s); {
			line, stop := lineAt(s, at)
			_, v, named := strings.Cut(line, ": ")
			if item := strings.TrimLeft(line, "-*• "); item != line && !strings.Contains(item, " ") {
				v, named = item, true // an item of a list
			}
			switch {
			case line == "":
				if !flush() {
					return
				}
			case named && isField(v) && len(line)-len(v) < 40 && (trusted || isHeader(line)):
				if !flush() || !yield(piece{v, true}) {
					return
				}
			case listed:
				if !yield(piece{line, true}) {
					return
				}
			case trusted && isRow(line):
				if !flush() || !cells(columns(line), yield) {
					return
				}
			case trusted && !mail && isAligned(s, at):
				if !flush() || !aligned(s, &at, yield) {
					return
				}
				continue
			case trusted && separator(s, at) != "":
				if !flush() || !table(s, &at, separator(s, at), yield) {
					return
				}
				continue
			default:
				if start >= 0 && stop-start > maxPassage && !flush() {
					return
				}
				if start < 0 {
					start = at
				}
				end = stop
			}
			at = stop + 1
		}
		flush()
	}
}

// minCells is the minimum number of cells in a line of a table.
const minCells = 3

// isRow reports whether a line belongs to a table that a program printed, such as a listing with tabs between the
// columns.
func isRow(line string) bool {
	tabs := strings.Count(line, "\t")
	if tabs >= minCells-1 {
		return true
	}
	if tabs+strings.Count(line, "|") < minCells-1 { // a row has a tab or a bar in every gap
		return false
	}
	n := 0
	for range gaps(line) {
		if n++; n == minCells-1 {
			return true
		}
	}
	return false
}

// columns returns the cells of a line of a table.
func columns(line string) (cells []string) {
	at := 0
	for start, end := range gaps(line) {
		cells = append(cells, line[at:start])
		at = end
	}
	return append(cells, line[at:])
}

// gaps yields the ranges between the columns of a line: a bar with space on both sides, or a tab.
func gaps(line string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i := 0; i < len(line); i++ {
			end := i + blanks(line[i:])
			if end > i && end < len(line) && line[end] == '|' {
				if behind := blanks(line[end+1:]); behind > 0 {
					end += 1 + behind
					if !yield(i, end) {
						return
					}
					i = end
				}
			}
			for ; i < end; i++ {
				if line[i] == '\t' && !yield(i, i+1) {
					return
				}
			}
		}
	}
}

// blanks returns the number of blank characters at the beginning of a text.
func blanks(s string) (n int) {
	for n < len(s) && isBlank(s[n]) {
		n++
	}
	return n
}

// isBlank reports whether a byte matches \s of a regular expression.
func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// cells yields the cells of a line. Short cells are values, and long ones are prose.
func cells(all []string, yield func(piece) bool) bool {
	for _, cell := range all {
		if cell = strings.TrimSpace(cell); cell != "" && !yield(piece{cell, isField(cell)}) {
			return false
		}
	}
	return true
}

// lineAt returns the line that begins at a byte offset of a text, without the spaces around it, and the offset of its
// end.
func lineAt(s string, at int) (line string, stop int) {
	stop = len(s)
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		stop = at + i
	}
	return strings.TrimSpace(s[at:stop]), stop
}

// separator returns the separator of the table whose first line begins at a byte offset of a text: a comma or a
// similar character. It returns "" if no table begins there. A table begins with two lines that have the same number
// of short cells.
func separator(s string, at int) string {
	first, stop := lineAt(s, at)
	if stop >= len(s) {
		return ""
	}
	second, _ := lineAt(s, stop+1)
	for _, sep := range []string{";", ",", "|"} {
		n := strings.Count(first, sep)
		if n == 0 || n == 1 && sep == "," || n != strings.Count(second, sep) {
			continue
		}
		isProse := func(cell string) bool { return !isField(strings.TrimSpace(cell)) }
		if !slices.ContainsFunc(strings.Split(first+sep+second, sep), isProse) {
			return sep
		}
	}
	return ""
}

// table yields the cells of a table's lines, and moves at to the end of the table.
func table(s string, at *int, sep string, yield func(piece) bool) bool {
	first, _ := lineAt(s, *at)
	for n := strings.Count(first, sep); *at < len(s); {
		line, stop := lineAt(s, *at)
		if strings.Count(line, sep) != n {
			break
		}
		if !cells(strings.Split(line, sep), yield) {
			return false
		}
		*at = stop + 1
	}
	return true
}

// alignedCells yields the cells of a line whose columns are aligned with spaces, as a program prints them for a
// terminal: at least two spaces are between two cells.
func alignedCells(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line != "" {
			cell, rest, _ := strings.Cut(line, "  ")
			if !yield(cell) {
				return
			}
			line = strings.TrimLeft(rest, " ")
		}
	}
}

// isAligned reports whether a table with aligned columns begins at a byte offset of a text: two lines with at least
// minCells cells each.
func isAligned(s string, at int) bool {
	first, stop := lineAt(s, at)
	if stop >= len(s) || !hasCells(first) {
		return false
	}
	second, _ := lineAt(s, stop+1)
	return hasCells(second)
}

// hasCells reports whether a line has at least minCells aligned cells.
func hasCells(line string) bool {
	n := 0
	for range alignedCells(line) {
		if n++; n == minCells {
			return true
		}
	}
	return false
}

// aligned yields the cells of the lines of a table with aligned columns and moves at behind them.
func aligned(s string, at *int, yield func(piece) bool) bool {
	for *at < len(s) {
		line, stop := lineAt(s, *at)
		if !hasCells(line) {
			break
		}
		if !cells(slices.Collect(alignedCells(line)), yield) {
			return false
		}
		*at = stop + 1
	}
	return true
}

// isList reports whether a text is a list of names or numbers, one a line.
func isList(s string) bool {
	if len(s) > maxText || !strings.Contains(strings.TrimSpace(s), "\n") {
		return false
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); !isField(line) || strings.Count(line, " ") > 1 {
			return false
		}
	}
	return true
}

// sentences yields a passage. It splits a long passage at the ends of sentences.
func sentences(s string, yield func(piece) bool) bool {
	for len(s) > maxPassage {
		cut := lastStop(s[:maxPassage])
		if cut < maxPassage/4 {
			cut = maxPassage
			for cut > 0 && s[cut]&0xC0 == 0x80 { // within a character
				cut--
			}
		}
		if !yield(piece{s[:cut], false}) {
			return false
		}
		s = s[cut:]
	}
	return yield(piece{s, false})
}

// stops are the texts that end a sentence.
var stops = [...]string{". ", "! ", "? ", "。", "; ", "\n"}

// stopsBy holds, for each byte, the index in stops of the stop that begins with it, plus one, or 0.
var stopsBy = func() (by [256]uint8) {
	for i, stop := range stops {
		by[stop[0]] = uint8(i + 1)
	}
	return by
}()

// nearStops is more than the total length of one stop of every kind.
const nearStops = 24

// lastStop returns the end of the last stop of a text, or -1. Of stops that directly follow each other, the one that
// comes first in the list stops counts.
func lastStop(s string) int {
	var last [len(stops)]int // the last index of each, plus one
	for i, end := len(s)-1, 0; i >= end; i-- {
		n := stopsBy[s[i]]
		if n == 0 || last[n-1] != 0 || !strings.HasPrefix(s[i:], stops[n-1]) {
			continue
		}
		last[n-1] = i + 1
		end = max(end, i-nearStops) // earlier stops are too far away to adjoin this one
	}
	cut := -1
	for n, at := range last {
		if at-1 > cut {
			cut = at - 1 + len(stops[n])
		}
	}
	return cut
}

// isField reports whether a text is a value rather than prose.
func isField(s string) bool {
	return len(s) <= maxField && !strings.Contains(s, "\n") && atMostWords(s, fieldWords)
}

// atMostWords reports whether a line has at most n words.
func atMostWords(s string, n int) bool {
	for range strings.FieldsSeq(s) {
		if n--; n < 0 {
			return false
		}
	}
	return true
}
