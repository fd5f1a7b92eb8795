package approval

import (
	"fmt"
	"strings"
	"unicode"

	"mcpproxy"
)

// Limits of the text that a person is shown, in characters. Long arguments are shown with their
// beginning and end, so that filler cannot push the important part out of sight.
const (
	maxLine   = 300
	maxHead   = 300
	maxTail   = 150
	maxListed = 3 // movements of data and origins
)

// render returns the text that a person is shown: one fact on each line.
func (r *Request) render() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if r.Boundary != nil && r.Boundary.Run != "" {
		line("May the agent run this with %s? %s", short(r.call()), short(r.Boundary.Run))
	} else {
		line("May the agent call %s?", short(r.call()))
	}
	for i, m := range r.moves() {
		if i == maxListed {
			line("It moves %d more.", len(r.moves())-i)
			break
		}
		line("Moves: %s", short(m.String()))
	}
	line("Why this is asked: %s", short(r.Reason))
	line("Rule: %s. Risk: %s (%d of 100). Kind of call: %s.", short(r.Rule), r.RiskLevel, r.RiskScore, r.Operation)
	for _, words := range r.InWords {
		line("%s", words)
	}
	if len(r.Data) > 0 {
		line("Carries: %s", short(strings.Join(r.Data, ", ")))
	}
	for i, o := range r.Origins {
		if i == maxListed {
			line("Data from %d more results.", len(r.Origins)-i)
			break
		}
		line("Data from: %s %s, activity %s", short(o.Name()), short(o.Tool), short(o.CallID))
	}
	line("Arguments, secrets masked: %s", r.Excerpt)
	b.WriteString("If you agree, exactly this call passes, once.")
	if len(r.Offers) > 1 {
		fmt.Fprintf(&b, " If you agree for longer, %s.", r.within())
	}
	return b.String()
}

// moves returns the lines about movements of data.
func (r *Request) moves() []mcpproxy.Movement {
	if r.Boundary == nil {
		return nil
	}
	return r.Boundary.Moves
}

// within returns the line that describes which calls a remembered answer covers.
func (r *Request) within() string { return short(r.Boundary.Within()) }

// short returns one value in a form that is safe to show.
func short(s string) string {
	runes := []rune(safe(s))
	if len(runes) > maxLine {
		return string(runes[:maxLine-1]) + "…"
	}
	return string(runes)
}

// excerpt returns the beginning and the end of masked arguments.
func excerpt(s string) string {
	runes := []rune(safe(s))
	if len(runes) <= maxHead+maxTail {
		return string(runes)
	}
	return fmt.Sprintf(
		"%s … (%d characters) … %s",
		string(runes[:maxHead]),
		len(runes)-maxHead-maxTail,
		string(runes[len(runes)-maxTail:]),
	)
}

// blank holds characters that Unicode classifies as letters but that have no visible shape.
var blank = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
	{Lo: 0x180B, Hi: 0x180F, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}}}

// maxMarks is the number of combining marks allowed on one letter. More marks would overlap
// neighbouring text.
const maxMarks = 2

// safe makes untrusted text safe to show: it keeps the text on one line, removes changes of writing
// direction, and removes invisible characters.
func safe(s string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case !unicode.IsPrint(r) || unicode.Is(blank, r) || marks > maxMarks:
			return '·'
		}
		return r
	}, s)
}
