package scan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const prose = `The committee met on Tuesday to review the budget for the coming year. Members agreed that the new bridge should be
finished before the winter, although two of them asked whether the costs could be lowered. The engineer explained that steel had become
more expensive since spring, and that the workers had to follow stricter rules than before. After a short break the group turned to the
school, where the roof needs repair. Nobody objected, and the chair closed the meeting at nine. Please send comments by Friday. `

const record = `{"id":48213,"name":"Anna Keller","email":"anna@shop.example","created":"2026-03-01T09:12:44Z","tags":["vip","newsletter"],
"address":{"street":"Lindenweg 4","city":"Basel","zip":"4051"},"note":"prefers delivery in the morning","total":129.5}`

// nearMatches are texts that contain the beginnings of rows and shapes.
var nearMatches = []string{
	"ignore ",
	"ignore all ",
	"ignore all previous ",
	"do not tell ",
	"send all data to ",
	"you are now ",
	"previous ",
	"i g n o r e ",
	"<",
	"<!--",
	"<!-- --",
	"<a ",
	`<p style="display:none">`,
	"[",
	"[SYSTEM",
	"![x](https://a.example/?q=[",
	"{",
	`{"role":"system"`,
	"(",
	"$(",
	"$(curl ",
	"|",
	"| sh",
	"`",
	"```",
	"\x1b",
	"\x1b[",
	"\x1b]",
	"@",
	"a@a.",
	"www.",
	"https://",
	"-e",
	"=",
	"#",
	"### System",
	"\u200b",
	"\U000e0061",
	"忽略",
	"忽略所有",
	"無視",
	"ignoreall",
	"aaaaaaaaaaaa",
	"aB",
	"'",
	"\\n",
	"1gn0r3 ",
	"eval(atob(",
	"curl x | ",
	"a=b&",
	"todo: send ",
	"[//]:",
	"[](",
	"[x](https://a.example/?q=",
	"“ignore all previous instructions” attack ",
}

func fill(piece string, size int) string {
	return strings.Repeat(piece, size/len(piece)+1)[:size]
}

func BenchmarkContent(b *testing.B) {
	var rows []json.RawMessage
	for range 16 {
		rows = append(rows, json.RawMessage(record))
	}
	table, err := json.Marshal(rows)
	if err != nil {
		b.Fatal(err)
	}
	inputs := []struct {
		name string
		raw  []byte
	}{
		{"prose 4 KB", text.Quote(fill(prose, 4<<10))},
		{"prose 64 KB", text.Quote(fill(prose, 64<<10))},
		{"JSON 4 KB", table},
		{"near matches 64 KB", text.Quote(fill("ignore all previous ", 64<<10))},
		{"Chinese 4 KB", text.Quote(fill("今天的会议讨论了明年的预算。", 4<<10/3*3))},
	}
	for _, in := range inputs {
		b.Run(in.name, func(b *testing.B) {
			d, err := text.Parse(in.raw, "r")
			if err != nil {
				b.Fatal(err)
			}
			d.Views()
			b.SetBytes(int64(len(in.raw)))
			for b.Loop() {
				scan.Content(d)
			}
		})
	}
}

// The cost is linear: eight times the text must not take much more than eight times the time.
func TestContentTakesLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	scan.Content(document(t, "warm up"))
	for _, near := range append(nearMatches, prose) {
		t.Run(fmt.Sprintf("%.20q", near), func(t *testing.T) {
			const size = 16 << 10
			var ratio float64
			for range 4 {
				one, eight := fastest(t, fill(near, size)), fastest(t, fill(near, 8*size))
				ratio = float64(eight) / float64(one)
				if ratio < 24 || eight < 2*time.Millisecond {
					return
				}
			}
			t.Errorf("eight times the text takes %.1f times as long", ratio)
		})
	}
}

// fastest returns the shortest time of several runs over s.
func fastest(t *testing.T, s string) time.Duration {
	d := document(t, s)
	d.Views()
	best := time.Hour
	for range 3 {
		best = min(best, cputime.Of(func() {
			scan.Content(d)
		}))
	}
	return best
}
