package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// A tool's result that is longer than the limit of one answer is delivered in pages. The first page is the answer to
// the call. Each other page is a resource, which the same session reads at the endpoint of the call. Every page passes
// the gate when it is delivered, as a result of the tool's server.

const (
	pageScheme = "mcpproxy://results/" // scheme of a page's URI; the result's id, "/" and the page's number follow
	pageLife   = 10 * time.Minute      // how long pages are kept
	pageMemory = 32 << 20              // maximum bytes of all pages; the oldest are dropped
	pageFrame  = 2 << 10               // bytes of a page's message in addition to its text
)

// heldResult is what remains of a long result after its first page.
type heldResult struct {
	id, server, tool   string
	principal, session string
	texts              []string // the second page, the third, …
	size               int
}

// uri returns the address of a page; the first has the number 1.
func (h *heldResult) uri(page int) string { return pageScheme + h.id + "/" + strconv.Itoa(page) }

// pageStore holds the pages that clients have not read yet. Its zero value is ready.
type pageStore struct {
	mu   sync.Mutex
	held []*heldResult // oldest first
	size int
}

// keep stores a result for pageLife, or until other results need its memory. It returns false if the result is too
// large.
func (s *pageStore) keep(h *heldResult) bool {
	if h.size > pageMemory {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.size+h.size > pageMemory {
		s.size -= s.held[0].size
		s.held = slices.Delete(s.held, 0, 1)
	}
	s.held = append(s.held, h)
	s.size += h.size
	time.AfterFunc(pageLife, func() { s.forget(func(other *heldResult) bool { return other == h }) })
	return true
}

// forget removes results.
func (s *pageStore) forget(which func(*heldResult) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = slices.DeleteFunc(s.held, func(h *heldResult) bool {
		if !which(h) {
			return false
		}
		s.size -= h.size
		return true
	})
}

// find returns the result and the number of the page that a URI names, if they belong to c.
func (s *pageStore) find(c *caller, uri string) (h *heldResult, page int, ok bool) {
	id, number, _ := strings.Cut(strings.TrimPrefix(uri, pageScheme), "/")
	page, err := strconv.Atoi(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.held {
		if h.id == id && h.principal == c.principal && h.session == c.ownSession() {
			return h, page, err == nil && page >= 2 && page-2 < len(h.texts)
		}
	}
	return nil, 0, false
}

// paged returns a server's answer, or its first page if it is over the limit of one answer. The error says why an
// answer over the limit cannot be delivered in pages.
func (g *Gateway) paged(
	c *caller,
	s *upstream.Server,
	call *mcpproxy.Call,
	resp *wire.Message,
	err error,
) (*wire.Message, error) {
	if err != nil || resp.Result == nil || !s.Sizes().Over(resp.Result) {
		return resp, err
	}
	first, h, why := g.divide(c, s, call, resp.Result)
	if why == "" && !g.pages.keep(h) {
		why = "it is longer than the memory for all pages"
	}
	if why != "" {
		return nil, tooLarge(s, why)
	}
	return resp.WithResult(first), nil
}

// tooLarge returns the error for a result over the limit that is not delivered in pages.
func tooLarge(s *upstream.Server, why string) error {
	return mcpproxy.Errorf(
		mcpproxy.CodeTooLarge,
		nil,
		"the answer of server %q is over its limit of %s of text (max_text_mb), and cannot be delivered in pages: %s; "+
			"ask the tool for less, such as by a filter or a limit, or have the user raise max_text_mb of the server",
		s.Name(),
		upstream.Megabytes(s.Sizes().Text),
		why,
	)
}

// divide divides a tool's result into its first page and the remaining pages. Why is the reason if it cannot be
// divided.
func (g *Gateway) divide(
	c *caller,
	s *upstream.Server,
	call *mcpproxy.Call,
	result []byte,
) (first []byte, h *heldResult, why string) {
	switch {
	case call.Kind != mcpproxy.KindTool:
		return nil, nil, "it is not the result of a tool"
	case c.session != nil && c.session.version < firstLinks:
		return nil, nil, "the client speaks a version of MCP before " + firstLinks
	}
	var content []json.RawMessage
	if err := json.Unmarshal(wire.Member(result, "content"), &content); err != nil {
		return nil, nil, "its content is not a list"
	}
	var others []json.RawMessage
	var texts []string
	beside := 0 // bytes of the first page besides the text
	for _, block := range content {
		if wire.String(block, "type") == "text" {
			texts = append(texts, wire.String(block, "text"))
			continue
		}
		others = append(others, block)
		if size := len(block); !upstream.HasBinary(block) {
			beside += size
		}
	}
	result, texts, wrapper, why := flatten(c, call, result, texts, s.Sizes().Text)
	if why != "" {
		return nil, nil, why
	}
	room := s.Sizes().Text - pageFrame - len(result) + len(wire.Member(result, "content"))
	firstRoom := room - beside
	if firstRoom < room/2 || room <= 0 {
		return nil, nil, "its content other than plain text is too long for one page"
	}
	if wrapper != "" { // the first page contains the text twice
		firstRoom /= 2
	}
	pages := split(strings.Join(texts, "\n"), firstRoom, room, g.undivided)
	if pages == nil {
		return nil, nil, "a secret in it is too long to be kept on one page"
	}
	if len(pages) < 2 {
		return nil, nil, "its text is short, and the rest of the result is long"
	}
	h = &heldResult{
		id:        rand.Text(),
		server:    s.Name(),
		tool:      call.Tool,
		principal: c.principal,
		session:   c.ownSession(),
		texts:     pages[1:],
	}
	for i, text := range h.texts {
		h.texts[i] = strings.Clone(text) // without a copy, a part would keep the whole result in memory
		h.size += len(text)
	}
	for _, block := range []any{
		map[string]string{"type": "text", "text": pages[0]},
		map[string]string{"type": "text", "text": h.pageNote(1)},
		h.link(2),
	} {
		others = append(others, wire.MustJSON(block))
	}
	result = wire.Set(result, joined(others), "content")
	if wrapper != "" {
		result = wire.Set(result, wire.MustJSON(map[string]string{wrapper: pages[0] + "\n" + h.pageNote(1)}), "structuredContent")
	}
	return result, h, ""
}

// firstLinks is the first version of MCP in which a result may link to a resource.
const firstLinks = "2025-06-18"

// pageNote returns the note for the agent that follows the text of a page.
func (h *heldResult) pageNote(page int) string {
	total := len(h.texts) + 1
	if page == total {
		return fmt.Sprintf("[mcpproxy: this was page %d of %d, the last one]", page, total)
	}
	return fmt.Sprintf(
		"[mcpproxy: this was page %d of %d of a long result. The next page is the resource %s of this MCP server. "+
			"It can be read for %d minutes]",
		page, total, h.uri(page+1), int(pageLife/time.Minute),
	)
}

// link returns the content block that links to a page.
func (h *heldResult) link(page int) any {
	return map[string]any{
		"type":        "resource_link",
		"uri":         h.uri(page),
		"name":        fmt.Sprintf("page %d of %d", page, len(h.texts)+1),
		"description": "The next page of this result",
		"mimeType":    "text/plain",
		"size":        len(h.texts[page-2]),
	}
}

// split divides a text into pages. The first page takes at most first bytes of JSON, every other page at most later. A
// page ends after a line or a word if one ends in its last eighth, so that few words and values are divided. Undivided
// must return true for the end of each page. Split returns nil if there is no such end near the end of a page.
func split(text string, first, later int, undivided func(text string, at int) bool) (pages []string) {
	for room := first; text != ""; room = later {
		end := fitting(text, room)
		if end < len(text) {
			if end = pageEnd(text, end, undivided); end == 0 {
				return nil
			}
		}
		pages = append(pages, text[:end])
		text = text[end:]
	}
	return pages
}

// pageEnd returns the best position, of at most end, to end a page. It returns 0 if every position would divide
// something.
func pageEnd(text string, end int, undivided func(string, int) bool) int {
	tail := end - end/8
	if i := strings.LastIndexByte(text[tail:end], '\n'); i >= 0 && undivided(text, tail+i+1) {
		return tail + i + 1
	}
	for back := 0; back < min(end, divideWindow); back = max(2*back, 32) {
		at := end - back
		if i := strings.LastIndexAny(text[max(0, at-at/8):at], " \n"); i >= 0 {
			at = max(0, at-at/8) + i + 1
		}
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
		if at > 0 && undivided(text, at) {
			return at
		}
	}
	return 0
}

// divideWindow is the number of bytes on each side of the end of a page that are searched for secrets. A longer secret
// may be divided.
const divideWindow = 16 << 10

// undivided reports whether no secret of a text spans a position. It compares the secrets found in the text around the
// position with those found on each side alone.
func (g *Gateway) undivided(text string, at int) bool {
	before := text[runeStart(text, at-divideWindow):at]
	after := text[at:runeStart(text, at+divideWindow)]
	return g.gate.Mask(before+after) == g.gate.Mask(before)+g.gate.Mask(after)
}

// runeStart returns the nearest position, at or before the given one, at which a character begins.
func runeStart(text string, at int) int {
	at = min(max(at, 0), len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// fitting returns the number of bytes of a text that take at most room bytes as JSON, at least one character.
func fitting(text string, room int) int {
	for i, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
			room -= 2
		case r < ' ':
			room -= 6
		default:
			room -= utf8.RuneLen(r)
		}
		if room < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// readPage answers a request for a page of a long result; ok is false for all other requests.
func (g *Gateway) readPage(ctx context.Context, c *caller, m *wire.Message) (resp *wire.Message, ok bool) {
	uri := wire.String(m.Params, "uri")
	if m.Method != "resources/read" || !strings.HasPrefix(uri, pageScheme) {
		return nil, false
	}
	h, page, found := g.pages.find(c, uri)
	if !found {
		return invalid(m.ID, "this session never had this page of a result, or has it no longer: call the tool again"), true
	}
	call, err := g.callOf(c, h.server, m)
	if err != nil {
		return invalid(m.ID, "%s: %v", m.Method, err), true
	}
	call.PageOf = h.tool
	resp = g.forward(ctx, c, request{m, call}, func(context.Context, *wire.Message) (*wire.Message, error) {
		contents := []any{
			map[string]string{"uri": uri, "mimeType": "text/plain", "text": h.texts[page-2]},
			map[string]string{"uri": uri, "mimeType": "text/plain", "text": h.pageNote(page)},
		}
		return wire.NewResult(m.ID, wire.MustJSON(map[string]any{"contents": contents})), nil
	})
	return complete(c, uncachedFor(c, resp), serverInfo()), true
}
