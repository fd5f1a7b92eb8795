package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/wire"
)

var (
	// pageNote matches the note of the daemon after a page of a long result.
	pageNote = lazyregexp.New(`^\[mcpproxy: this was page (\d+) of (\d+)\b`)
	// pageAddress matches the address of the second page. The numbers of the other pages follow the same beginning.
	pageAddress = lazyregexp.New(`^(mcpproxy://results/[A-Z0-9]+/)2$`)
)

// allPages returns a result whole if it is the first page of a long one. It reads the other pages and puts the text
// of all of them in place of the first page, its note and the link to the second page. Other results stay as they are.
func allPages(ctx context.Context, t *remote.ToolClient, result []byte) ([]byte, error) {
	var content []json.RawMessage
	if json.Unmarshal(wire.Member(result, "content"), &content) != nil || len(content) < 3 {
		return result, nil
	}
	at := len(content) - 3 // the first page; its note and a link follow
	page, note := wire.String(content[at], "text"), wire.String(content[at+1], "text")
	address := pageAddress().FindStringSubmatch(wire.String(content[at+2], "uri"))
	said := pageNote().FindStringSubmatch(note)
	if said == nil || said[1] != "1" || address == nil {
		return result, nil
	}
	pages, err := strconv.Atoi(said[2])
	if err != nil {
		return result, nil
	}
	var whole strings.Builder
	whole.WriteString(page)
	for n := 2; n <= pages; n++ {
		texts, err := t.Read(ctx, address[1]+strconv.Itoa(n))
		if err != nil {
			return nil, fmt.Errorf("page %d of %d of the answer cannot be read: %s", n, pages, term.Plain(err.Error()))
		}
		for _, text := range texts {
			if !pageNote().MatchString(text) {
				whole.WriteString(text)
			}
		}
	}
	structured, _ := wire.Members(wire.Member(result, "structuredContent")) // absent or not an object: nothing to replace
	for name, value := range structured {
		var text string
		if json.Unmarshal(value, &text) == nil && text == page+"\n"+note {
			result = wire.Set(result, wire.Quote(whole.String()), "structuredContent", name)
		}
	}
	block := wire.MustJSON(map[string]string{"type": "text", "text": whole.String()})
	return wire.Set(result, wire.MustJSON(append(slices.Clone(content[:at]), block)), "content"), nil
}
