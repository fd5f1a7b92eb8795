package passage

import (
	"iter"
	"slices"
	"strings"
)

const (
	maxPassage = 500 // bytes of a passage, beyond which it ends with its sentence
	maxField   = 80  // bytes of a value that a system filled in
	fieldWords = 6   // words of one
)

// piece is a stretch of a text: a passage of prose, or a value that stands in a field.
type piece struct {
	text  string
	field bool
}

// isHeader reports whether a line is one that a mail program fills in.
func isHeader(line string) bool {
	name, _, _ := strings.Cut(line, ":")
	switch strings.ToLower(strings.Trim(name, "*-# ")) {
	case "from", "to", "cc", "bcc", "sender", "reply-to", "date", "message-id", "message id", "thread id", "id", "author",
		"von", "an", "de", "à", "para", "da", "a", "van", "aan", "od", "do", "от", "кому", "發件人", "发件人", "差出人", "보낸사람":
		return true
	}
	return false
}

// pieces takes a text apart. In what strangers may have written, only the headers of a mail
// are fields, and so is a text by itself. A line "name: value" with a short value is a field; lines that
// follow each other are one passage.
func pieces(s string, trusted bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		if isField(s) {
			yield(piece{s, true})
			return
		}
		listed := trusted && isList(s)
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

// minCells is how many cells a line of a table has at least.
const minCells = 3

// isRow reports whether a line is one of a table that a program has printed, such as a listing
// with tabs between the columns.
func isRow(line string) bool {
	tabs := strings.Count(line, "\t")
	if tabs >= minCells-1 {
		return true
	}
	if tabs+strings.Count(line, "|") < minCells-1 { // there is one of them in every gap
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

// columns are the cells of a line of a table.
func columns(line string) (cells []string) {
	at := 0
	for start, end := range gaps(line) {
		cells = append(cells, line[at:start])
		at = end
	}
	return append(cells, line[at:])
}

// gaps yields where the gaps between the columns of a line stand: a bar with space on both sides, or a tab.
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

// blanks is how many blank characters a text begins with.
func blanks(s string) (n int) {
	for n < len(s) && isBlank(s[n]) {
		n++
	}
	return n
}

// isBlank reports whether a byte is what \s of a regular expression stands for.
func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// cells yields the cells of a line: short ones as values, long ones as prose.
func cells(all []string, yield func(piece) bool) bool {
	for _, cell := range all {
		if cell = strings.TrimSpace(cell); cell != "" && !yield(piece{cell, isField(cell)}) {
			return false
		}
	}
	return true
}

// lineAt returns the line that begins at a byte of a text, without the spaces around it, and where it stops.
func lineAt(s string, at int) (line string, stop int) {
	stop = len(s)
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		stop = at + i
	}
	return strings.TrimSpace(s[at:stop]), stop
}

// separator returns what separates the columns of the table of comma-separated values, or the like, whose
// first line begins at a byte of a text; "" if no table begins there. Two lines with the same number of short cells
// are a table.
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

// table yields the cells of a table's lines, and moves at behind them.
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

// isList reports whether a text is a list of names or numbers, one on each line.
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

// sentences yields a passage, in parts when it is long.
func sentences(s string, yield func(piece) bool) bool {
	for len(s) > maxPassage {
		cut := lastStop(s[:maxPassage])
		if cut < maxPassage/4 {
			cut = maxPassage
			for cut > 0 && s[cut]&0xC0 == 0x80 { // in the middle of a character
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

// stops end sentences.
var stops = [...]string{". ", "! ", "? ", "。", "; ", "\n"}

// stopsBy is one more than the place in stops of the one that begins with a byte; 0 for none.
var stopsBy = func() (by [256]uint8) {
	for i, stop := range stops {
		by[stop[0]] = uint8(i + 1)
	}
	return by
}()

// nearStops is more than stops of every kind take that follow each other.
const nearStops = 24

// lastStop is the end of the last stop of a text; -1 for none. Of stops that follow each other without
// anything between them, the one that stands earlier in stops counts.
func lastStop(s string) int {
	var last [len(stops)]int // one more than the last place of each
	for i, end := len(s)-1, 0; i >= end; i-- {
		n := stopsBy[s[i]]
		if n == 0 || last[n-1] != 0 || !strings.HasPrefix(s[i:], stops[n-1]) {
			continue
		}
		last[n-1] = i + 1
		end = max(end, i-nearStops) // what stands before decides nothing
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
	return len(s) <= maxField && !strings.Contains(s, "\n") && strings.Count(strings.TrimSpace(s), " ") < fieldWords
}
