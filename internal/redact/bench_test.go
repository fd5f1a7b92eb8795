package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/redact"
)

// The time per byte must not depend on the length or the content of the text.
func BenchmarkError(b *testing.B) {
	for name, piece := range map[string]string{
		"prose":       "Expected string, received number at field 'query'. ",
		"trace":       "    at handler (/app/dist/index.js:10:15)\n",
		"paths":       "/app/x/y ",
		"colons":      ":",
		"slashes":     "/a",
		"backslashes": `\\a`,
		"urls":        "a://",
		"quotes":      `pwd="must '`,
		"digits":      "1",
		"words":       "a.",
		"ruby":        "/a.rb:1:in `f': ",
		"signs":       " ---> ",
		"keys":        "-----BEGIN RSA PRIVATE KEY",
		"logins":      "a:b@",
		"scripts":     "文/a件：",
		"tabs":        `\t\n\t`,
		"hosts":       "connect to a-1:10 ",
		"strings":     `"stack":["a.b(c.d:1)",`,
		"causes":      "XError: caused by ",
	} {
		for _, size := range []int{32 << 10, 256 << 10} {
			text := strings.Repeat(piece, size/len(piece))
			b.Run(fmt.Sprintf("%s/%dK", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					redact.ErrorTo(text, nil)
				}
			})
		}
	}
}
