package value

import "strings"

// maxColumns is the maximum number of cells of a row that are read.
const maxColumns = 256

// header returns the delimiter of the table that begins with this line. The line begins a table if it has as many
// cells as the next line. header stores the names of the columns. A table without names begins with a row.
func (s *scanner) header(line, rest string) (delimiter byte) {
	d := delimiterOf(line)
	if d == 0 {
		return 0
	}
	next, after, _ := strings.Cut(rest, "\n")
	if isRule(next) {
		next, _, _ = strings.Cut(after, "\n")
	}
	s.cells[0] = splitCells(s.cells[0][:0], line, d)
	s.cells[1] = splitCells(s.cells[1][:0], strings.TrimSuffix(next, "\r"), d)
	if n := len(s.cells[0]); n < 3 || n != len(s.cells[1]) {
		return 0
	}
	s.names = s.names[:0]
	if namesColumns(s.cells[0]) {
		s.names = append(s.names, s.cells[0]...)
		return d
	}
	if d == ',' && strings.Contains(line, ", ") {
		return 0
	}
	for range s.cells[0] {
		s.names = append(s.names, "")
	}
	s.row(line, d)
	return d
}

// row reads one row of a table. It returns false if the line is not a row.
func (s *scanner) row(line string, delimiter byte) bool {
	cells := splitCells(s.cells[0][:0], line, delimiter)
	s.cells[0] = cells
	if len(cells) != len(s.names) {
		return false
	}
	s.next()
	for i, cell := range cells {
		if !s.value(s.names[i], cell, true) {
			s.words(cell)
		}
	}
	s.next()
	return true
}

// delimiterOf returns the character that separates the cells of a line, or 0.
func delimiterOf(line string) byte {
	for _, d := range []byte("\t|;,") {
		if strings.Count(line, string(rune(d))) >= 2 {
			return d
		}
	}
	return 0
}

// isRule reports whether a line is a border of a table.
func isRule(line string) bool {
	return len(line) > 2 && strings.Trim(line, "-+|=: \t\r") == ""
}

// namesColumns reports whether the cells are names of columns.
func namesColumns(cells []string) bool {
	for _, c := range cells {
		if c == "" || len(c) > 40 || IsDigit(c[0]) || strings.ContainsAny(c, "@:=(){}<>\"./\\") {
			return false
		}
	}
	return true
}

// splitCells appends the cells of a row. A quoted cell may contain the delimiter.
func splitCells(dst []string, line string, delimiter byte) []string {
	if delimiter == '|' {
		line = strings.Trim(line, " \t")
		line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	}
	for len(dst) < maxColumns {
		end := -1
		if strings.HasPrefix(line, `"`) {
			if quote := strings.Index(line[1:], `"`+string(rune(delimiter))); quote >= 0 {
				end = quote + 2
			}
		} else {
			end = strings.IndexByte(line, delimiter)
		}
		if end < 0 {
			return append(dst, strings.TrimSpace(line))
		}
		dst = append(dst, strings.TrimSpace(line[:end]))
		line = line[end+1:]
	}
	return dst
}
