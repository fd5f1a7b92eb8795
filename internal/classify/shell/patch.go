package shell

import "strings"

// ReadPatch returns the content that a patch writes. The patch is in the format of Codex or a unified diff. The paths
// are those of the patch.
func ReadPatch(text string) []Content {
	var out []Content
	var before, after []string
	file, whole := "", false
	end := func() {
		if file != "" && len(after)+len(before) > 0 && len(out) < maxReads {
			c := Content{Path: file, Text: strings.Join(after, "\n") + "\n"}
			switch {
			case whole:
			case len(before) > 0:
				c.Old = strings.Join(before, "\n") + "\n"
			default:
				c.More = true
			}
			out = append(out, c)
		}
		before, after = nil, nil
	}
	removed := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "*** Add File" || name == "*** Update File" || name == "*** Delete File":
			end()
			file, whole = strings.TrimSpace(value), name == "*** Add File"
		case name == "*** Move to":
			end()
			file = strings.TrimSpace(value)
		case strings.HasPrefix(line, "*** "):
			end()
		case strings.HasPrefix(line, "--- "):
			end()
			removed = strings.TrimSpace(line[4:])
		case strings.HasPrefix(line, "+++ "):
			end()
			file, _, _ = strings.Cut(strings.TrimSpace(line[4:]), "\t")
			file = strings.TrimPrefix(file, "b/")
			whole = strings.HasPrefix(removed, "/dev/null")
		case strings.HasPrefix(line, "@@"):
			if !whole {
				end()
			}
		case strings.HasPrefix(line, "+"):
			after = append(after, line[1:])
		case whole:
		case strings.HasPrefix(line, "-"):
			before = append(before, line[1:])
		case strings.HasPrefix(line, " "):
			before, after = append(before, line[1:]), append(after, line[1:])
		}
	}
	end()
	return out
}

// patch applies a patch from its arguments or from its standard input.
func patch(m *machine, args []value, in value) value {
	texts := []value{in}
	for _, a := range args {
		switch {
		case strings.Contains(a.text, "\n"):
			texts = append(texts, a)
		case a.text != "" && !strings.HasPrefix(a.text, "-"):
			if v, ok := m.file(a.text); ok {
				texts = append(texts, v)
			}
		}
	}
	for _, t := range texts {
		for _, c := range ReadPatch(t.text) {
			if c.Path = m.place(c.Path); len(m.c.Wrote) < maxReads {
				m.change(c.Path)
				m.c.Wrote = append(m.c.Wrote, c)
			}
		}
	}
	return value{}
}
