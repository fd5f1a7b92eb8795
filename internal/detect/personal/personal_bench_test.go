package personal

import (
	"fmt"
	"strings"
	"testing"
)

// readings are typical texts of calls, by name.
var readings = map[string]string{
	"prose": "The committee met in the spring of 1994 and agreed, after some discussion, that the report should be published as it stood. " +
		"Nobody objected to the wording; the chair thanked the 12 members who had come, and the meeting was closed at half past nine. ",
	"JSON":   `{"id":48213,"name":"build-agent","status":"active","created_at":"2024-03-18T09:21:44Z","size":20481,"tags":["linux","x64"],"url":"https://ci.example.org/agents/48213","ratio":0.731},`,
	"orders": "order 1048576203 shipped 2024-03-18, invoice INV-20240318-0042, tracking 9405511899223197428490, total 1,249.99 EUR; ",
	"stamps": "2024-03-18T09:21:44.123Z 1710753704123 1710753704 09:21:44 [12345] request 7f3a2b1c9d8e took 184 ms\n",
	"UUIDs":  "550e8400-e29b-41d4-a716-446655440000 6ba7b810-9dad-11d1-80b4-00c04fd430c8 ",
	"hashes": "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709 ",
	"prices": "SKU 4711-0815 at $1,299.00, 19.99 EUR, 3 x 24.50; VAT 19%, rebate 12.5%, weight 0.75 kg, 10 pcs; ",
	"digits": "1 2 34 567 8901 23456 789012 3456789 01234567 890123456 7890123456 78901234567 890123456789 ",
	"people": "Mail jane.roe@mail.example or call +44 20 7946 0958; card 4111 1111 1111 1111, SSN 219-09-1234. ",
}

// fill repeats a text up to size bytes.
func fill(s string, size int) string { return strings.Repeat(s, size/len(s)+1)[:size] }

func BenchmarkPersonal(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10} {
		for name, unit := range readings {
			text := fill(unit, size)
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					Find(text, "")
				}
			})
		}
	}
}
