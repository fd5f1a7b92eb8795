package source

import (
	"strconv"
	"strings"
)

// Pointer returns the JSON pointer for a path such as inputSchema.properties["a b"].enum[2]. It ends before the first
// part that cannot be parsed, because a path may have been shortened.
func Pointer(path string) string {
	var b strings.Builder
	for path != "" {
		switch {
		case strings.HasPrefix(path, "..."):
			return b.String()
		case path[0] == '.':
			path = path[1:]
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil || !strings.HasPrefix(path[1+len(quoted):], "]") {
				return b.String()
			}
			name, err := strconv.Unquote(quoted)
			if err != nil {
				return b.String()
			}
			step(&b, name)
			path = path[len(quoted)+2:]
		case path[0] == '[':
			index, rest, ok := strings.Cut(path[1:], "]")
			if _, err := strconv.Atoi(index); !ok || err != nil {
				return b.String()
			}
			step(&b, index)
			path = rest
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step(&b, path[:end])
			path = path[end:]
		}
	}
	return b.String()
}

// step adds a name to a pointer.
func step(b *strings.Builder, name string) {
	b.WriteByte('/')
	b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
