package scan

import "strings"

// shapes examines the positions at which markup, links and commands may begin.
func (s *scanner) shapes() {
	for _, at := range s.r.points {
		switch rest := s.r.text[at:]; rest[0] {
		case '<':
			s.angle(at, rest)
		case '[':
			s.bracket(at, rest)
			s.link(at)
		case '#':
			s.heading(at, rest)
		case '{':
			s.object(at, rest)
		case '$', '|', '-', '/', '(':
			s.command(at, rest)
		default:
			switch {
			case strings.HasPrefix(rest, "【"):
				s.lenticular(at, rest)
			case strings.HasPrefix(rest, "cookie"):
				s.cookie(at)
			case strings.Contains(rest[:min(len(rest), 24)], metadataHost):
				s.metadata(at, rest)
			case kinds[rest[0]] == letter:
				s.label(at, rest)
			}
		}
	}
}

// fakeTags are elements that imitate the frame around messages, with their confidence.
var fakeTags = map[string]float64{
	"system":              0.4,
	"system_prompt":       0.5,
	"system-prompt":       0.5,
	"systemprompt":        0.5,
	"system_message":      0.5,
	"system-message":      0.5,
	"system-reminder":     0.5,
	"system_instruction":  0.5,
	"system_instructions": 0.5,
	"system-instructions": 0.5,
	"instructions":        0.3,
	"instruction":         0.3,
	"important":           0.35,
	"information":         0.35,
	"critical":            0.35,
	"urgent":              0.35,
	"admin":               0.4,
	"hidden":              0.35,
	"secret":              0.35,
	"override":            0.4,
	"tool_result":         0.45,
	"tool_response":       0.45,
	"function_results":    0.5,
	"function_result":     0.5,
	"function_calls":      0.5,
	"tool_call":           0.45,
	"tool_use":            0.4,
	"invoke":              0.3,
	"user_query":          0.45,
	"assistant":           0.4,
	"human":               0.4,
	"im_start":            0.5,
	"sys":                 0.4,
	"developer":           0.35,
	"priority":            0.3,
	"user_request":        0.4,
	"prompt":              0.3,
	"directive":           0.35,
	"context":             0.2,
}

// angle examines text that begins with "<": tokens of chat templates and fake tags.
func (s *scanner) angle(at int, rest string) {
	rest = rest[:min(len(rest), 80)]
	if strings.HasPrefix(rest, "<|") {
		if end := strings.Index(rest, "|>"); end > 2 && chatTokens[strings.ToLower(rest[2:end])] {
			sure := 0.6
			if strings.HasPrefix(strings.ToLower(strings.TrimLeft(rest[end+2:], "\n ")), "system") {
				sure = 0.7
			}
			s.markup(at, at+end+2, sure)
		}
		return
	}
	if strings.HasPrefix(rest, "<<SYS>>") || strings.HasPrefix(rest, "<</SYS>>") {
		s.markup(at, at+7, 0.6)
		return
	}
	name := strings.TrimPrefix(rest[1:], "/")
	end := strings.IndexAny(name, " >\n/")
	if end < 1 {
		return
	}
	if sure := fakeTags[strings.ToLower(name[:end])]; sure > 0 {
		if strings.HasPrefix(name[end:], ">{") && sure >= 0.4 { // a complete call
			sure = InjectedAt
		}
		s.markup(at, at+1+end, sure)
	}
}

// chatTokens are the control tokens of chat templates.
var chatTokens = map[string]bool{
	"im_start":          true,
	"im_end":            true,
	"im_sep":            true,
	"system":            true,
	"user":              true,
	"assistant":         true,
	"endoftext":         true,
	"start_header_id":   true,
	"end_header_id":     true,
	"eot_id":            true,
	"begin_of_text":     true,
	"end_of_text":       true,
	"endofprompt":       true,
	"start_of_turn":     true,
	"end_of_turn":       true,
	"end":               true,
	"channel":           true,
	"message":           true,
	"call":              true,
	"return":            true,
	"tool":              true,
	"begin_of_sentence": true,
}

// fakeLabels are words that, in brackets or before a colon, imitate the system.
var fakeLabels = map[string]float64{
	"system":              0.4,
	"sys":                 0.4,
	"admin":               0.35,
	"inst":                0.45,
	"/inst":               0.45,
	"system message":      0.45,
	"system prompt":       0.5,
	"system.prompt":       0.5,
	"system override":     0.5,
	"system note":         0.4,
	"system update":       0.4,
	"system notice":       0.4,
	"system instruction":  0.5,
	"system instructions": 0.5,
	"important":           0.25,
	"developer":           0.35,
	"override":            0.45,
	"admin override":      0.5,
	"instructions":        0.3,
	"hidden":              0.3,
	"assistant":           0.3,
	"admin request":       0.4,
	"action required":     0.3,
	"priority override":   0.5,
	"security override":   0.5,
	"system command":      0.5,
	"root":                0.3,
	"ai":                  0.3,
}

// bracket examines "[SYSTEM]" and similar labels.
func (s *scanner) bracket(at int, rest string) {
	rest = rest[:min(len(rest), 40)]
	end := strings.IndexAny(rest, "]:")
	if end < 2 {
		return
	}
	name := strings.ToLower(strings.TrimSpace(strings.Trim(rest[1:end], "*_ ")))
	if sure := fakeLabels[name]; sure > 0 && (rest[1] < 'a' || sure > 0.4) {
		s.markup(at, at+end+1, sure)
	}
}

// lenticular examines "【系统】" and similar labels.
func (s *scanner) lenticular(at int, rest string) {
	name, _, ok := strings.Cut(rest[len("【"):min(len(rest), 48)], "】")
	if !ok {
		return
	}
	for _, frame := range [...]string{"system", "系统", "系統", "システム", "시스템", "admin", "管理员", "管理員", "管理者", "관리자"} {
		if strings.HasPrefix(strings.ToLower(name), frame) {
			s.markup(at, at+len("【")+len(name), 0.3)
			return
		}
	}
}

// heading examines "### System:" and similar headings.
func (s *scanner) heading(at int, rest string) {
	if at > 0 && s.r.text[at-1] != '\n' && s.r.text[at-1] != ' ' {
		return
	}
	line := strings.TrimLeft(rest[:min(len(rest), 48)], "# ")
	end := strings.IndexAny(line, ":\n")
	if end < 2 {
		return
	}
	switch strings.ToLower(strings.TrimSpace(line[:end])) {
	case "system",
		"system prompt",
		"system message",
		"instruction",
		"system instruction",
		"system instructions",
		"new instructions",
		"new instruction",
		"assistant",
		"human",
		"response":
		s.markup(at, at+len(rest[:min(len(rest), 48)])-len(line)+end+1, 0.4)
	}
}

// label examines "System:" at the beginning of a line.
func (s *scanner) label(at int, rest string) {
	end := strings.IndexByte(rest[:min(len(rest), 16)], ':')
	if end > 0 {
		s.markup(at, at+end+1, 0.25)
	}
}

// object examines JSON that imitates a message or a tool call.
func (s *scanner) object(at int, rest string) {
	name := strings.TrimLeft(rest[1:min(len(rest), 32)], " \n\\")
	if name == "" || name[0] != '"' && name[0] != '\'' {
		return
	}
	head := rest[:min(len(rest), 64)]
	for _, begin := range [...]string{`{"role":"system"`, `{"tool_calls":`, `{"function_call":`, `{"type":"tool_use"`, `{"system_instruction`, `{"system_prompt`} {
		if beginsJSON(head, begin) {
			s.markup(at, min(at+24, len(s.r.text)), 0.35)
		}
	}
}

// beginsJSON reports whether a text begins with the given JSON, also with other spaces, with escapes or with single
// quotation marks.
func beginsJSON(s, begin string) bool {
	for i := 0; begin != ""; i++ {
		if i == len(s) {
			return false
		}
		c := s[i]
		switch c {
		case ' ', '\n', '\\':
			continue
		case '\'':
			c = '"'
		}
		if c != begin[0] {
			return false
		}
		begin = begin[1:]
	}
	return true
}

// markup reports fake markup.
func (s *scanner) markup(start, end int, sure float64) {
	s.report(checkMarkup, start, end, sure)
}
