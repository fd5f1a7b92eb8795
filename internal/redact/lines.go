package redact

import "strings"

// line is a line of a text. A quoted text has lines too, separated by \n, however often it was quoted. So has each
// string within it.
type line struct {
	raw   string
	end   string // the line break as it was written, or nothing
	plain string // raw without the quoting
	fresh bool   // a string begins or ends here, so that nothing continues
}

// lines returns the lines of text.
func lines(text string) []line {
	c := cutter{text: text, lines: make([]line, 0, strings.Count(text, "\n")+1)}
	quoted := isQuoted(text)
	strung := quoted || strings.Contains(text, "tack")
	for i := 0; i < len(text); {
		if !strung { // the usual case
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				break
			}
			c.cut(i+end, i+end+1)
			i += end + 1
			continue
		}
		run := backslashes(text, i)
		switch next := at(text, i+run); {
		case next == '\n' && run == 0:
			c.cut(i, i+1)
			c.open = ""
			i++
		case next == 'n' && run > 0 && quoted:
			c.cut(i, i+run+1)
			i += run + 1
		case strung && (next == '"' || next == '\''):
			c.quote(i, i+run+1)
			i += run + 1
		default:
			i += max(run, 1)
		}
	}
	c.cut(len(text), len(text))
	return c.lines
}

// cutter splits a text into lines.
type cutter struct {
	text  string
	from  int    // where the line begins
	open  string // the quote that ends the current string
	fresh bool
	lines []line
}

// cut ends a line at i; the next line begins at end.
func (c *cutter) cut(i, end int) {
	if c.from == end {
		return
	}
	raw := c.text[c.from:i]
	c.lines = append(c.lines, line{
		raw:   raw,
		end:   c.text[i:end],
		plain: strings.TrimRight(unquoted(raw), " \t\r"),
		fresh: c.fresh,
	})
	c.from, c.fresh = end, false
}

// quote ends a line at the quote from i to end, if it begins or ends a string.
func (c *cutter) quote(i, end int) {
	quote := c.text[i:end]
	switch {
	case c.open == quote:
		c.cut(i, i)
		c.open = ""
	case c.open == "" &&
		strings.IndexByte("=:[,{", at(c.text[:i], len(strings.TrimRight(c.text[max(0, i-2):i], " "))+max(0, i-2)-1)) >= 0:
		c.cut(end, end)
		c.open = quote
	default:
		return
	}
	c.fresh = true
}

// isQuoted reports whether \n in a text is a line end of a trace, not a part of a path.
func isQuoted(text string) bool {
	for i := 0; i < len(text); {
		next := strings.IndexByte(text[i:], '\\')
		if next < 0 {
			break
		}
		i += next
		run := backslashes(text, i)
		if at(text, i+run) == 'n' {
			rest := text[i+run+1:]
			for _, next := range []string{"  ", "\t", text[i:i+run] + "t", "Caused by", "Traceback (", "at ", "goroutine ", "#0 ", "stack traceback:"} {
				if strings.HasPrefix(rest, next) {
					return true
				}
			}
		}
		i += run
	}
	return false
}

func backslashes(s string, i int) int {
	n := 0
	for at(s, i+n) == '\\' {
		n++
	}
	return n
}

// unquoted removes the quoting of s as far as it matters for traces: tabs at the beginning, and quotes.
func unquoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	blank := true
	for i := 0; i < len(s); {
		run := backslashes(s, i)
		switch next := at(s, i+run); {
		case run > 0 && next == 't' && blank:
			out.WriteByte('\t')
		case run > 0 && (next == '"' || next == '\''):
			out.WriteByte(next)
		case run > 0 && next == 'r' && i+run+1 == len(s):
		default:
			run = max(run, 1) - 1
			out.WriteString(s[i : i+run+1])
			blank = blank && isSpace(s[i])
		}
		i += run + 1
	}
	return out.String()
}
