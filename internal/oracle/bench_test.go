package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// pages are texts as tools return them, with the words that they consist of.
var pages = []struct {
	name  string
	lines []string
}{
	{"prose", []string{
		"The shipment of order %d was moved to another region after review by the team.",
		"Customers in the north asked for %d more chairs, and for an earlier delivery.",
		"We agreed to meet again in week %d; until then nothing changes for the warehouse.",
	}},
	{
		"config",
		[]string{
			"  timeout_ms: %d",
			"  retries: %d",
			"  api_key: ${API_KEY_%d}",
			"  access_token: \"{{ token_%d }}\"",
			"  password: changeme",
			"  region: eu-west-%d",
			"const auth = await client.login(secrets.get('service-%d'))",
			"export PATH=/opt/tool-%d/bin:$PATH",
		},
	},
	{
		"records",
		[]string{
			`{"id": %d, "name": "Blue chair", "sku": "CH-0%[1]d", "price": 49.5, "stock": 12, "tags": ["wood", "blue"]},`,
			`{"id": %d, "name": "Desk lamp", "sku": "LA-0%[1]d", "price": 19.0, "stock": 0, "commit": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},`,
		},
	},
}

var sizes = []int{4 << 10, 64 << 10}

// page returns a text of the given size, which is the same in each run.
func page(lines []string, size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < size {
		line := lines[r.IntN(len(lines))]
		if strings.Contains(line, "%") {
			line = fmt.Sprintf(line, r.IntN(90000)+1000)
		}
		b.WriteString(line + "\n")
	}
	return b.String()[:size]
}

func onPages(b *testing.B, run func(b *testing.B, page string)) {
	for _, p := range pages {
		for _, size := range sizes {
			s := page(p.lines, size)
			b.Run(fmt.Sprintf("%s/%dKB", p.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				run(b, s)
			})
		}
	}
}

// open returns a text as a document.
func open(b *testing.B, s string) *text.Document {
	b.Helper()
	doc, err := text.Parse(text.Quote(s), "text")
	if err != nil {
		b.Fatal(err)
	}
	return doc
}

func find(b *testing.B, d *detect.Detector, doc *text.Document) {
	if _, err := d.Find(doc); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDetect reads a text as the gate does: it parses the JSON and decodes every encoding.
func BenchmarkDetect(b *testing.B) {
	d := ours(b)
	onPages(b, func(b *testing.B, page string) {
		for b.Loop() {
			find(b, d, open(b, page))
		}
	})
}

// BenchmarkRules only applies the rules: the views of the text are computed before the measurement. This is comparable
// with gitleaks, which decodes nothing by default.
func BenchmarkRules(b *testing.B) {
	d := ours(b)
	onPages(b, func(b *testing.B, page string) {
		doc := open(b, page)
		doc.Views()
		for b.Loop() {
			find(b, d, doc)
		}
	})
}

func BenchmarkGitleaks(b *testing.B) {
	d := theirs(b)
	onPages(b, func(b *testing.B, page string) {
		for b.Loop() {
			d.DetectString(page)
		}
	})
}

// BenchmarkRatio compares this project's detector with gitleaks. It runs both on each text in turn, so that the load of
// the machine affects both equally. It reports the time of gitleaks divided by the time of our whole detection (x-all),
// and by the time of our rules alone (x-rules).
func BenchmarkRatio(b *testing.B) {
	d, g := ours(b), theirs(b)
	onPages(b, func(b *testing.B, page string) {
		var all, rules, them time.Duration
		for b.Loop() {
			start := time.Now()
			doc := open(b, page)
			find(b, d, doc)
			whole := time.Now()
			find(b, d, doc)
			again := time.Now()
			g.DetectString(page)
			all = all + whole.Sub(start)
			rules = rules + again.Sub(whole)
			them = them + time.Since(again)
		}
		b.ReportMetric(float64(them)/float64(all), "x-all")
		b.ReportMetric(float64(them)/float64(rules), "x-rules")
	})
}
