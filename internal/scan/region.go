package scan

import "strings"

// maxTag is the maximum length of a tag or an attribute that is read.
const maxTag = 2048

// regions are stretches of a view that affect the weight of their text.
type regions struct {
	code   intervals // between code fences
	unseen intervals // not shown to people: comments, hidden elements, alternative texts
}

// survey finds the regions of the current view.
func (s *scanner) survey() {
	s.code, s.unseen = s.code[:0], s.unseen[:0]
	t := s.r.text
	fence := -1
	past := 0 // end of the part that was examined
	for _, at := range s.r.points {
		if at < past {
			continue
		}
		switch rest := t[at:]; {
		case strings.HasPrefix(rest, "```"):
			if fence < 0 {
				fence = at
			} else {
				s.code = append(s.code, interval{fence, at + 3})
				fence = -1
			}
			past = at + 3
		case strings.HasPrefix(rest, "<!--"):
			end := strings.Index(rest, "-->")
			if end < 0 {
				end = len(rest)
			}
			s.unseen = append(s.unseen, interval{at + 4, at + max(end, 4)})
			past = at + end
		case rest[0] == '<':
			past = s.tag(at)
		case strings.HasPrefix(rest, "[//]:") || strings.HasPrefix(rest, "[comment]:"): // a comment in markdown
			past = at + len(firstLine(rest, maxTag))
			s.unseen = append(s.unseen, interval{at, past})
		case rest[0] == '[' && at > 0 && t[at-1] == '!': // the text in place of a picture
			if end := strings.IndexByte(rest[:min(len(rest), maxTag)], ']'); end > 0 {
				s.unseen = append(s.unseen, interval{at + 1, at + end})
			}
		}
	}
	if fence >= 0 {
		s.code = append(s.code, interval{fence, len(t)})
	}
}

// tag records the regions that the HTML tag at the offset at hides from people, and returns the offset after it.
func (s *scanner) tag(at int) int {
	t := s.r.text
	next := strings.IndexAny(t[at+1:min(len(t), at+maxTag)], "<>")
	if next < 0 || t[at+1+next] == '<' || at+2 >= len(t) || kinds[t[at+1]] != letter {
		return at + 1
	}
	end := at + 1 + next
	tag := strings.ToLower(t[at:end])
	for _, name := range [...]string{" alt=", " title=", " aria-label=", " content=", " placeholder="} {
		if i := strings.Index(tag, name); i >= 0 {
			s.unseen = append(s.unseen, interval{at + i + len(name), end})
			return end
		}
	}
	if hides(tag) {
		close := strings.Index(t[end:], "</")
		if close < 0 {
			close = len(t) - end
		}
		s.unseen = append(s.unseen, interval{end, end + close})
		return end + close
	}
	return end
}

// blanks removes white space from a style.
var blanks = strings.NewReplacer(" ", "", "\t", "", "\n", "")

// hides reports whether an HTML tag in lower case hides its content.
func hides(tag string) bool {
	if strings.HasPrefix(tag, "<template") || strings.Contains(tag, " hidden") && !strings.Contains(tag, "overflow") {
		return true
	}
	i := strings.Index(tag, "style=")
	if i < 0 {
		return false
	}
	style := blanks.Replace(tag[i:])
	for _, rule := range [...]string{"display:none", "visibility:hidden", "font-size:0", "opacity:0;", `opacity:0"`, "opacity:0.0",
		"color:transparent", "left:-9999", "text-indent:-9999", "height:0", "width:0", "font-size:1px", "clip:rect(0"} {
		if strings.Contains(style, rule) {
			return true
		}
	}
	return sameColour(style)
}

// sameColour reports whether a style gives text the colour of its background, such as white on white.
func sameColour(style string) bool {
	ground := valueOf(style, "background-color:")
	if ground == "" {
		ground = valueOf(style, "background:")
	}
	ink := ""
	for rest := style; ink == ""; {
		i := strings.Index(rest, "color:")
		if i < 0 {
			return false
		}
		if i == 0 || rest[i-1] != '-' {
			ink = valueOf(rest[i:], "color:")
		}
		rest = rest[i+6:]
	}
	return ink == ground ||
		ground == "" && (ink == "white" || ink == "#fff" || ink == "#ffffff" || ink == "rgb(255,255,255)")
}

// valueOf returns the value after name in a style.
func valueOf(style, name string) string {
	_, value, ok := strings.Cut(style, name)
	if !ok {
		return ""
	}
	if end := strings.IndexAny(value, `;"'`); end >= 0 {
		value = value[:end]
	}
	return value
}
