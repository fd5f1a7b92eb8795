package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
)

// BM25 parameters, with their usual values (Robertson and Zaragoza, 2009).
const (
	k1 = 1.2
	b  = 0.75
	// nameWeight is the weight of a word in the name. A word in the description has the weight 1.
	nameWeight = 3
)

// Hit is a tool that matches a query, with its score.
type Hit struct {
	Tool  *mcpproxy.Tool
	Score float64
}

// index is an inverted index over all tools.
type index struct {
	tools    []*mcpproxy.Tool
	length   []float64
	average  float64
	postings map[string][]posting
}

type posting struct {
	tool  int
	count float64
}

// Search returns the tools that match query best, at most limit.
func (c *Catalog) Search(query string, limit int) []Hit {
	c.mu.Lock()
	if c.index == nil {
		c.index = build(c.all())
	}
	x := c.index
	c.mu.Unlock()
	scores := map[int]float64{}
	for _, term := range terms(query) {
		list := x.postings[term]
		if len(list) == 0 {
			continue
		}
		n, df := float64(len(x.tools)), float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range list {
			scores[p.tool] += idf * p.count * (k1 + 1) / (p.count + k1*(1-b+b*x.length[p.tool]/x.average))
		}
	}
	hits := make([]Hit, 0, len(scores))
	for i, s := range scores {
		hits = append(hits, Hit{x.tools[i], s})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			strings.Compare(a.Tool.Server, b.Tool.Server),
			strings.Compare(a.Tool.Name, b.Tool.Name),
		)
	})
	return hits[:min(limit, len(hits))]
}

func build(tools []*mcpproxy.Tool) *index {
	x := &index{tools: tools, postings: map[string][]posting{}, average: 1}
	total := 0.0
	for i, t := range tools {
		counts := map[string]float64{}
		for _, term := range terms(t.Server + " " + t.Name) {
			counts[term] += nameWeight
		}
		for _, term := range terms(t.Description) {
			counts[term]++
		}
		length := 0.0
		for term, n := range counts {
			x.postings[term] = append(x.postings[term], posting{i, n})
			length += n
		}
		x.length = append(x.length, length)
		total += length
	}
	if total > 0 {
		x.average = total / float64(len(tools))
	}
	return x
}

// terms returns the words of s in lower case. It splits camelCase and drops the s of plurals.
func terms(s string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			w := strings.ToLower(string(word))
			if len(w) > 3 && !strings.HasSuffix(w, "ss") {
				w = strings.TrimSuffix(w, "s")
			}
			out = append(out, w)
			word = word[:0]
		}
	}
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || // getFile
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])): // HTTPRequest
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}
