package metrics

import (
	"bytes"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ContentType is the media type of the text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// ServeHTTP answers with all metrics.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(r.Text())
}

// Text returns all metrics in the text format.
func (r *Registry) Text() []byte {
	r.mu.Lock()
	families := slices.Clone(r.families)
	r.mu.Unlock()
	var b bytes.Buffer
	for _, f := range families {
		f.show(&b)
	}
	return b.Bytes()
}

func (f *family) show(b *bytes.Buffer) {
	b.WriteString("# HELP " + f.name + " " + help.Replace(f.help) + "\n# TYPE " + f.name + " " + f.kind + "\n")
	if f.read != nil { // without the lock, because read may take locks of its own
		fresh := &family{limit: f.limit, series: map[string]*series{}}
		f.read(func(v float64, values ...string) { fresh.with(values, func(s *series) { s.value += v }) })
		f.mu.Lock()
		f.series = fresh.series
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make([]string, 0, len(f.series))
	for k := range f.series {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if s := f.series[k]; f.kind == "histogram" {
			f.showBuckets(b, s)
		} else {
			f.line(b, "", s.labels, "", s.value)
		}
	}
}

func (f *family) showBuckets(b *bytes.Buffer, s *series) {
	n := uint64(0)
	for i, count := range s.counts {
		n += count
		bound := math.Inf(1)
		if i < len(f.bounds) {
			bound = f.bounds[i]
		}
		f.line(b, "_bucket", s.labels, number(bound), float64(n))
	}
	f.line(b, "_sum", s.labels, "", s.value)
	f.line(b, "_count", s.labels, "", float64(n))
}

// line writes one line. le is the limit of a histogram bucket, or "" for other lines.
func (f *family) line(b *bytes.Buffer, suffix string, values []string, le string, v float64) {
	b.WriteString(f.name + suffix)
	var pairs []string
	for i, value := range values {
		if i < len(f.labels) {
			pairs = append(pairs, f.labels[i]+`="`+label.Replace(valid(value))+`"`)
		}
	}
	if le != "" {
		pairs = append(pairs, `le="`+le+`"`)
	}
	if len(pairs) > 0 {
		b.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	b.WriteString(" " + number(v) + "\n")
}

var (
	help  = strings.NewReplacer("\\", `\\`, "\n", `\n`)
	label = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\"", `\"`)
)

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "�")
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
