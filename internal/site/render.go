package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The files of a site in addition to its pages.
const (
	searchIndex = "search-index.js" // the search index: the sections of all pages
	searchCode  = "search.js"
	style       = "style.css"
)

var (
	//go:embed page.tmpl
	pageText string
	//go:embed search.js
	searchText []byte
	//go:embed style.css
	styleText []byte
)

// page is a page of the documentation.
type page struct {
	name   string // path below the root, such as docs/scan.md
	source []byte
	tree   ast.Node
	title  string
}

// section is a search result: a heading with the text below it.
type section struct {
	Page    string `json:"page"`
	Heading string `json:"heading"`
	URL     string `json:"url"`
	Text    string `json:"text"`
}

// markdown parses pages as code-hosting sites do.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// read reads the documentation for people: the pages in the root, in docs and in examples.
func read(root string) ([]*page, error) {
	var all []*page
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("finding the pages: %w", err)
		}
		for _, file := range found {
			name, err := filepath.Rel(root, file)
			if err != nil {
				return nil, fmt.Errorf("finding the pages: %w", err)
			}
			source, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("reading a page: %w", err)
			}
			all = append(all, parse(filepath.ToSlash(name), source))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no pages", root)
	}
	return all, nil
}

// parse reads a page.
func parse(name string, source []byte) *page {
	context := parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))
	p := &page{name: name, source: source}
	p.tree = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	p.title = p.firstHeading()
	return p
}

// firstHeading returns the title of a page.
func (p *page) firstHeading() string {
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.Heading); ok {
			return plain(n, p.source)
		}
	}
	return p.name
}

// file returns the path of the page in the site.
func (p *page) file() string { return file(p.name) }

// file returns the path in the site for a page of the source. README.md becomes the index of its folder.
func file(name string) string {
	dir, base := path.Split(name)
	if base == "README.md" {
		return dir + "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// render returns the files of the site, by their paths.
func render(root string, pages []*page) (map[string][]byte, error) {
	layout, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("reading the template of the pages: %w", err)
	}
	site := map[string][]byte{searchCode: searchText, style: styleText}
	var sections []section
	for _, p := range pages {
		sections = append(sections, p.sections()...)
		if err := p.lead(root, site); err != nil {
			return nil, err
		}
		var body, out bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		err := layout.Execute(&out, map[string]any{
			"Title": p.title,
			"Up":    strings.Repeat("../", strings.Count(p.name, "/")),
			"Here":  p.file(),
			"Menu":  menu(pages),
			"Body":  template.HTML(body.String()), // goldmark omits HTML in the source
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		site[p.file()] = out.Bytes()
	}
	index, err := json.Marshal(sections)
	if err != nil {
		return nil, fmt.Errorf("writing the index of the search: %w", err)
	}
	site[searchIndex] = slices.Concat([]byte("const sections = "), index, []byte(";\n"))
	return site, nil
}

// lead changes the links of a page so that they lead to files of the site, and copies other files that the page links
// to or displays into the site.
func (p *page) lead(root string, site map[string][]byte) error {
	return ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var destination *[]byte
		switch n := n.(type) {
		case *ast.HTMLBlock:
			if first := n.Lines().At(0); strings.HasPrefix(string(first.Value(p.source)), "<!--") {
				return ast.WalkContinue, nil // a comment
			}
			return ast.WalkStop, fmt.Errorf("%s has HTML, which the site leaves out", p.name)
		case *ast.RawHTML:
			return ast.WalkStop, fmt.Errorf("%s has HTML, which the site leaves out", p.name)
		case *ast.Link:
			destination = &n.Destination
		case *ast.Image:
			destination = &n.Destination
		}
		if !entering || destination == nil {
			return ast.WalkContinue, nil
		}
		to, fragment, _ := strings.Cut(string(*destination), "#")
		if to == "" || strings.Contains(to, ":") {
			return ast.WalkContinue, nil // a link within the page or to another site
		}
		target := path.Join(path.Dir(p.name), to)
		if path.Ext(to) == ".md" {
			*destination = []byte(path.Join(path.Dir(to), path.Base(file(target))))
			if fragment != "" {
				*destination = append(append(*destination, '#'), fragment...)
			}
			return ast.WalkContinue, nil
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(target)))
		if err != nil {
			return ast.WalkStop, fmt.Errorf("%s links to %s: %w", p.name, to, err)
		}
		site[target] = content
		return ast.WalkContinue, nil
	})
}

// sections returns the sections of a page, for the search.
func (p *page) sections() (all []section) {
	at := -1
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			s := section{Page: p.title, Heading: plain(h, p.source), URL: p.file()}
			if id, ok := h.AttributeString("id"); ok {
				s.URL += fmt.Sprintf("#%s", id)
			}
			all = append(all, s)
			at = len(all) - 1
			continue
		}
		if at >= 0 {
			all[at].Text += plain(n, p.source) + " "
		}
	}
	return all
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				value := n.Value(source)
				if n.Parent().Kind() != ast.KindCodeSpan {
					value = util.UnescapePunctuations(value)
				}
				b.Write(value)
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
					b.Write(line.Value(source))
				}
			}
		default:
			if n.Type() == ast.TypeBlock && !entering {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// entry is an entry of the menu.
type entry struct{ Title, File string }

// menu returns entries for all pages: the front page, the pages in docs sorted by title, the reference, and the
// others.
func menu(pages []*page) []entry {
	rank := func(p *page) int {
		switch {
		case p.name == "README.md":
			return 0
		case strings.HasPrefix(p.name, referenceFolder):
			return 2
		case strings.HasPrefix(p.name, "docs/"):
			return 1
		case strings.HasPrefix(p.name, "examples/"):
			return 3
		}
		return 4
	}
	ordered := slices.Clone(pages)
	slices.SortStableFunc(ordered, func(a, b *page) int {
		if by := rank(a) - rank(b); by != 0 {
			return by
		}
		return strings.Compare(strings.ToLower(a.title), strings.ToLower(b.title))
	})
	out := make([]entry, len(ordered))
	for i, p := range ordered {
		out[i] = entry{p.title, p.file()}
	}
	return out
}

// anchors gives headings the same anchors as code-hosting sites, so that links work in both places.
type anchors struct{ seen map[string]int }

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)

// Generate returns the anchor of a heading.
func (a *anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	plain := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAll(heading, []byte("$1"))
	id := notInAnchor.ReplaceAllString(strings.ToLower(string(util.TrimRightSpace(plain))), "")
	id = strings.ReplaceAll(strings.TrimSpace(id), " ", "-")
	n := a.seen[id]
	a.seen[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(id)
}

// Put records an anchor that a page defines itself.
func (a *anchors) Put(id []byte) { a.seen[string(id)]++ }
