package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/token"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// pageLimit is the maximum length of one answer of the server in these tests.
const pageLimit = 16 << 10

// longText is a text of several pages. It contains characters that JSON escapes.
var longText = func() string {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "line %d of the \"report\" on Zürich\\Genf\n", i)
	}
	return b.String()
}()

// someLines is the beginning of longText. It is too long for one page, but an answer can contain it twice.
var someLines = strings.Join(strings.SplitAfter(longText, "\n")[:500], "")

// library returns a server with tools that return long results.
func library(t *testing.T) setup {
	t.Helper()
	s := newServer("library", nil)
	say := func(name string, content ...mcp.Content) {
		s.AddTool(
			&mcp.Tool{Name: name, Description: "Returns the report", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: content}, nil
			},
		)
	}
	say("get_report", &mcp.TextContent{Text: longText})
	say("get_parts", &mcp.TextContent{Text: longText[:5000]}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte("png")},
		&mcp.TextContent{Text: longText[5000:]})
	say("get_short", &mcp.TextContent{Text: "short"})
	say("get_file", &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a", Text: longText}})
	say("get_very_long", &mcp.TextContent{Text: strings.Repeat("very long ", 4*pageLimit/10)})
	structure := func(name, schema, text string, structured any) {
		tool := &mcp.Tool{Name: name, Description: "Returns the report", InputSchema: json.RawMessage(`{"type":"object"}`)}
		if schema != "" {
			tool.OutputSchema = json.RawMessage(schema)
		}
		s.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: text}},
				StructuredContent: structured,
			}, nil
		})
	}
	short := map[string]any{"count": 900}
	lines := map[string]any{"lines": strings.SplitAfter(longText, "\n")[:400]}
	wrapped := map[string]any{"result": someLines}
	structure("get_count", `{"type":"object","required":["count"]}`, longText, short)
	structure("get_lines", "", string(wire.MustJSON(lines)), lines)
	structure("get_summary", "", "the summary", lines)
	structure("get_checked_lines", `{"type":"object","required":["lines"]}`, string(wire.MustJSON(lines)), lines)
	structure("get_wrapped", `{"type":"object","properties":{"result":{"title":"Result","type":"string"}},"required":["result"]}`,
		someLines, wrapped)
	structure("get_pattern", `{"type":"object","properties":{"result":{"type":"string","pattern":"Genf\n$"}}}`, someLines, wrapped)
	return setup{
		name:   "library",
		server: s,
		sizes:  upstream.Sizes{Text: pageLimit, Paged: 4 * pageLimit},
	}
}

// libraryTool calls a tool of the library and returns the answer.
func libraryTool(a *agent, id, tool string) *wire.Message {
	a.t.Helper()
	params := fmt.Sprintf(`{"name":%q,"arguments":{}}`, tool)
	switch {
	case strings.HasSuffix(a.url, "/mcp"):
		params = fmt.Sprintf(`{"name":"call_tool_read","arguments":{"name":"library:%s","args":{}}}`, tool)
	case strings.HasSuffix(a.url, "/mcp/all"):
		params = fmt.Sprintf(`{"name":"library__%s","arguments":{}}`, tool)
	}
	m, _ := a.call(id, "tools/call", params).response()
	return m
}

// resultPage is a page of a result: its text, mcpproxy's note, and the link to the next page.
type resultPage struct {
	text, told, next string
	others           int
}

func firstPage(t testing.TB, m *wire.Message) (p resultPage) {
	t.Helper()
	var r struct {
		Content []struct{ Type, Text, URI string }
	}
	if m.Result == nil || json.Unmarshal(m.Result, &r) != nil {
		t.Fatalf("no tool result: %.500s", m.Raw)
	}
	for _, block := range r.Content {
		switch {
		case block.Type == "text" && strings.HasPrefix(block.Text, "[mcpproxy: "):
			p.told = block.Text
		case block.Type == "text":
			p.text += block.Text
		case block.Type == "resource_link":
			p.next = block.URI
		default:
			p.others++
		}
	}
	return p
}

func (a *agent) readPage(id, uri string) (p resultPage, m *wire.Message) {
	a.t.Helper()
	m, _ = a.call(id, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri)).response()
	var r struct {
		Contents []struct{ URI, MIMEType, Text string }
	}
	if m.Result == nil || json.Unmarshal(m.Result, &r) != nil || len(r.Contents) != 2 {
		return resultPage{}, m
	}
	p.text, p.told = r.Contents[0].Text, r.Contents[1].Text
	if _, next, ok := strings.Cut(p.told, "is the resource "); ok {
		p.next, _, _ = strings.Cut(next, " ")
	}
	return p, m
}

func TestALongResultIsReadInPages(t *testing.T) {
	r := newRig(t, library(t))
	for _, path := range []string{"/mcp", "/mcp/all", "/mcp/s/library"} {
		for era, a := range map[string]*agent{"stateful": r.stateful(path, "2025-06-18", `{}`), "stateless": r.stateless(path)} {
			for tool, others := range map[string]int{"get_report": 0, "get_parts": 1} {
				t.Run(path+" "+era+" "+tool, func(t *testing.T) {
					a.t = t
					m := libraryTool(a, "1", tool)
					p := firstPage(t, m)
					if p.others != others || len(m.Result) > pageLimit || !strings.Contains(p.told, "page 1 of ") {
						t.Fatalf("the first page has %d bytes, %d other blocks, and says %q", len(m.Result), p.others, p.told)
					}
					whole, pages := p.text, 1
					for ; p.next != ""; pages++ {
						uri := p.next
						if p, m = a.readPage("2", uri); p.text == "" {
							t.Fatalf("%s: %.500s", uri, m.Raw)
						}
						if len(m.Result) > pageLimit {
							t.Errorf("page %d has %d bytes", pages+1, len(m.Result))
						}
						if era == "stateless" && (wire.String(m.Result, "cacheScope") != "private" || wire.String(m.Result, "resultType") != "complete") {
							t.Errorf("page %d: %.300s", pages+1, m.Result)
						}
						whole += p.text
					}
					if want := strings.ReplaceAll(longText, "\n", ""); strings.ReplaceAll(whole, "\n", "") != want {
						t.Errorf("the pages hold %d bytes of %d", len(whole), len(longText))
					}
					if pages < 3 || !strings.Contains(p.told, "the last one") {
						t.Errorf("after %d pages: %q", pages, p.told)
					}
				})
			}
		}
	}
}

// Every page passes the gate when an agent reads it, so the log has a call for each page.
func TestEveryPageIsRecorded(t *testing.T) {
	r := newRig(t, library(t))
	a := r.stateful("/mcp/all", "2025-11-25", `{}`)
	p := firstPage(t, libraryTool(a, "1", "get_report"))
	uri := p.next
	if p, m := a.readPage("2", uri); p.text == "" {
		t.Fatalf("%.500s", m.Raw)
	}
	var kinds []string
	for _, record := range r.recorded() {
		if record.ServerName == "library" {
			kinds = append(kinds, fmt.Sprintf("%s %s", record.Metadata.Kind, record.ToolName))
		}
	}
	if want := []string{"tool get_report", "resource " + uri}; fmt.Sprint(kinds) != fmt.Sprint(want) &&
		fmt.Sprint(kinds) != fmt.Sprint([]string{" get_report", want[1]}) {
		t.Errorf("the log has %q, wanted %q", kinds, want)
	}
	r.gate.Kill(true)
	if p, m := a.readPage("3", uri); p.text != "" || wire.Code(m) != wire.CodeDenied {
		t.Errorf("a page was read while the kill switch is on: %.300s", m.Raw)
	}
}

func TestOnlyTheSessionOfAResultReadsItsPages(t *testing.T) {
	r := newRig(t, library(t))
	a := r.stateful("/mcp/all", "2025-11-25", `{}`)
	uri := firstPage(t, libraryTool(a, "1", "get_report")).next
	for name, other := range map[string]*agent{
		"another session of the same principal": r.stateful("/mcp/all", "2025-11-25", `{}`),
		"a client without a session":            r.stateless("/mcp/all"),
		"another endpoint":                      r.stateful("/mcp/s/library", "2025-11-25", `{}`),
	} {
		if p, m := other.readPage("1", uri); p.text != "" || wire.Code(m) != wire.CodeInvalidParams {
			t.Errorf("%s: %.300s", name, m.Raw)
		}
	}
	for name, wrong := range map[string]string{
		"the first page":     strings.TrimSuffix(uri, "2") + "1",
		"a page beyond":      uri + "9",
		"no number":          strings.TrimSuffix(uri, "2"),
		"a negative number":  strings.TrimSuffix(uri, "2") + "-2",
		"another result":     "mcpproxy://results/AAAAAAAAAAAAAAAAAAAAAAAAAA/2",
		"only the scheme":    "mcpproxy://results/",
		"some other address": "file:///etc/passwd",
	} {
		if p, m := a.readPage("2", wrong); p.text != "" || wire.Code(m) != wire.CodeInvalidParams {
			t.Errorf("%s: %.300s", name, m.Raw)
		}
	}
	if p, _ := a.readPage("3", uri); p.text == "" {
		t.Error("its own session cannot read it")
	}
	if n := r.gateway.PagesHeld(); n == 0 {
		t.Error("nothing is held while the session is open")
	}
	if x := a.do(http.MethodDelete, "", nil); x.resp.StatusCode >= 300 {
		t.Fatal(x.resp.Status)
	}
	if n := r.gateway.PagesHeld(); n != 0 {
		t.Errorf("%d bytes are held after the end of the session", n)
	}
}

func TestALongResultThatCannotBeDividedIsRefused(t *testing.T) {
	r := newRig(t, library(t))
	for name, c := range map[string]struct{ version, tool, why string }{
		"an old client":                           {"2025-03-26", "get_report", "before 2025-06-18"},
		"structured content of a schema":          {"2025-11-25", "get_checked_lines", "declares an output schema"},
		"structured content of a form of its own": {"2025-11-25", "get_pattern", "declares an output schema"},
		"a file":                  {"2025-11-25", "get_file", "other than plain text"},
		"what is longer than all": {"2025-11-25", "get_very_long", "max_text_mb"},
	} {
		a := r.stateful("/mcp/all", c.version, `{}`)
		if m := libraryTool(a, "1", c.tool); m.Error == nil || !strings.Contains(string(m.Error), c.why) ||
			!strings.Contains(string(m.Error), string(mcpproxy.CodeTooLarge)) {
			t.Errorf("%s: %.500s", name, m.Raw)
		}
		if m := libraryTool(a, "2", "get_short"); textOf(m) != "short" {
			t.Errorf("%s: a short result: %.500s", name, m.Raw)
		}
	}
}

// whole reads all pages of a result and returns their text.
func (a *agent) whole(m *wire.Message) (text string, pages int) {
	a.t.Helper()
	p := firstPage(a.t, m)
	text = p.text
	for pages = 1; p.next != ""; pages++ {
		uri := p.next
		if p, m = a.readPage("2", uri); p.text == "" {
			a.t.Fatalf("%s: %.500s", uri, m.Raw)
		}
		if len(m.Result) > pageLimit {
			a.t.Errorf("page %d has %d bytes", pages+1, len(m.Result))
		}
		text += p.text
	}
	return text, pages
}

func TestLongResultsWithStructuredContentAreReadInPages(t *testing.T) {
	r := newRig(t, library(t))
	lines := wire.MustJSON(map[string]any{"lines": strings.SplitAfter(longText, "\n")[:400]})
	for name, c := range map[string]struct {
		path, tool string
		structured func(structured string) bool // structured content of the first page
		text       func(text string) bool
	}{
		"short structured content stays": {"/mcp/all", "get_count",
			func(s string) bool { return s == `{"count":900}` },
			func(text string) bool { return text == longText }},
		"long structured content that is also the text is left out": {"/mcp/all", "get_lines",
			func(s string) bool { return s == "" },
			func(text string) bool { return text == string(lines) }},
		"long structured content beside another text becomes text": {"/mcp/s/library", "get_summary",
			func(s string) bool { return s == "" },
			func(text string) bool {
				before, structured, _ := strings.Cut(text, "\nThe structured content of this result:\n")
				compact := &bytes.Buffer{}
				return before == "the summary" && json.Compact(compact, []byte(structured)) == nil && compact.String() == string(lines)
			}},
		"a tool that is called by another one needs no structured content": {"/mcp", "get_checked_lines",
			func(s string) bool { return s == "" },
			func(text string) bool { return text == string(lines) }},
		"a string in an object begins in the first page": {"/mcp/all", "get_wrapped",
			func(s string) bool {
				text := wire.String([]byte(s), "result")
				first, told, _ := strings.Cut(text, "\n[mcpproxy: this was page 1 of ")
				return strings.HasPrefix(someLines, first) && len(first) > pageLimit/4 && strings.Contains(told, "mcpproxy://results/")
			},
			func(text string) bool { return text == someLines }},
	} {
		for era, a := range map[string]*agent{"stateful": r.stateful(c.path, "2025-11-25", `{}`), "stateless": r.stateless(c.path)} {
			t.Run(name+" "+era, func(t *testing.T) {
				a.t = t
				m := libraryTool(a, "1", c.tool)
				if m.Result == nil || len(m.Result) > pageLimit {
					t.Fatalf("the first page has %d bytes: %.500s", len(m.Result), m.Raw)
				}
				if s := string(wire.Member(m.Result, "structuredContent")); !c.structured(s) {
					t.Errorf("the structured content is %.300s", s)
				}
				if text, pages := a.whole(m); !c.text(text) || pages < 2 {
					t.Errorf("%d pages hold %d bytes: %.300s", pages, len(text), text)
				}
			})
		}
	}
}

func TestOwnEndpointsListNoResources(t *testing.T) {
	r := newRig(t, library(t))
	for _, a := range []*agent{r.stateful("/mcp", "2025-11-25", `{}`), r.stateless("/mcp/all")} {
		for method, list := range map[string]string{"resources/list": "resources", "resources/templates/list": "resourceTemplates"} {
			if m, _ := a.call("1", method, `{}`).response(); string(wire.Member(m.Result, list)) != "[]" {
				t.Errorf("%s: %s", method, m.Raw)
			}
		}
	}
}

func TestPagesAreBounded(t *testing.T) {
	kept, held, largest := gateway.KeepPages(100, 1<<20)
	if held > largest || kept >= 100 || kept < 10 {
		t.Errorf("%d results of 1 MB are kept, %d bytes of %d", kept, held, largest)
	}
	if kept, held, _ := gateway.KeepPages(1, 100<<20); kept != 0 || held != 0 {
		t.Errorf("a result that is longer than the bound: %d kept, %d bytes", kept, held)
	}
}

// A secret in a long result is found at any position, including one at which a page would otherwise end. It is then on
// one page as a whole.
func TestASecretIsNotDividedBetweenPages(t *testing.T) {
	r := newRig(t, library(t))
	key := "AKIA" + "Z7QX3MNB5TRD2WLK"
	body := strings.Repeat(strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 2)+"\n", 12)
	pem := "-----BEGIN " + "PRIVATE KEY-----\n" + body + "-----END " + "PRIVATE KEY-----"
	divided := 0 // where secrets are not searched for
	for name, secret := range map[string]string{"a key": key, "a key of many lines": pem} {
		for filler, fill := range map[string]string{"words": "a word, ", "one long word": "x;"} {
			for shift := 1; shift < len(secret)+20; shift += 1 + len(secret)/4 {
				before := strings.Repeat(fill, 4096)[:4096-shift]
				text := before + "; " + secret + ";" + strings.Repeat(fill, 1500)
				if filler == "one long word" {
					text = before + ";" + secret + ";" + strings.Repeat(fill, 1500)
				}
				pages := r.gateway.Pages(text, 4096)
				isWhole := func(page string) bool { return strings.Contains(page, secret) }
				whole := slices.ContainsFunc(pages, isWhole)
				if blind := gateway.Split(text, 4096, 4096, anywhere); !slices.ContainsFunc(blind, isWhole) {
					divided++
				}
				if strings.Join(pages, "") != text || len(pages) < 2 || !whole {
					t.Errorf("%s between %s, shifted by %d, is divided: %d pages", name, filler, shift, len(pages))
				}
			}
		}
	}
	if divided < 5 {
		t.Errorf("only %d secrets stand at the end of a page", divided)
	}
}

func anywhere(string, int) bool { return true }

// A token for one tool can read the pages of that tool's results, and nothing else of the server.
func TestATokenForAToolReadsThePagesOfItsResults(t *testing.T) {
	k := keyUp(newRig(t, library(t)), true)
	mine := k.token("mine", token.Scope{Tools: []string{"library:get_report"}, Operations: []mcpproxy.Operation{mcpproxy.Read, mcpproxy.Write}})
	other := k.token("other", token.Scope{Tools: []string{"library:get_report"}})
	for era, a := range k.as(mine, "/mcp/s/library") {
		a.t = t
		uri := firstPage(t, libraryTool(a, "1", "get_report")).next
		if p, m := a.readPage("2", uri); p.text == "" {
			t.Errorf("%s: the page is refused: %.500s", era, m.Raw)
		}
		if p, m := k.as(other, "/mcp/s/library")[era].readPage("3", uri); p.text != "" || wire.Code(m) != wire.CodeInvalidParams {
			t.Errorf("%s: another token reads the page: %.300s", era, m.Raw)
		}
		m, _ := a.call("4", "resources/read", `{"uri":"file:///etc/passwd"}`).response()
		k.refused(t, m, "mine")
		m, _ = a.call("5", "tools/call", `{"name":"get_parts","arguments":{}}`).response()
		k.refused(t, m, "mine")
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a text\nof lines\n", uint16(5), uint16(9))
	f.Add("\x00\x01\"\\ü€𝄞\xff", uint16(1), uint16(1))
	f.Add("0\xc8", uint16(5), uint16(7))
	f.Add(longText, uint16(1000), uint16(2000))
	f.Fuzz(func(t *testing.T, text string, first, later uint16) {
		text = strings.ToValidUTF8(text, "\ufffd") // it was decoded from JSON
		pages := gateway.Split(text, int(first)+1, int(later)+1, anywhere)
		if strings.Join(pages, "") != text {
			t.Fatalf("%q is split into %q", text, pages)
		}
		for i, p := range pages {
			room := int(later) + 1
			if i == 0 {
				room = int(first) + 1
			}
			if p == "" || len(wire.Quote(p))-2 > room && utf8.RuneCountInString(p) > 1 {
				t.Fatalf("page %d takes %d bytes of %d: %q", i, len(wire.Quote(p))-2, room, p)
			}
		}
	})
}
