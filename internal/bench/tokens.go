package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/wire"
)

// bytesOfToken is the assumed number of bytes for one token of a definition. Tokenizers differ; for English and JSON
// most need between 3 and 5.
const bytesOfToken = 4

var (
	verbs   = strings.Fields("list get create update delete search export archive assign merge")
	objects = strings.Fields("invoice ticket customer contract report message branch calendar shipment project")
)

// catalogue returns a list of n tools of typical size, some 700 bytes: a description of two sentences, and four
// parameters, each with a description of one line.
func catalogue(n int) []byte {
	var tools []any
	for i := range n {
		verb, object := verbs[i%len(verbs)], objects[i/len(verbs)%len(objects)]
		name := verb + "_" + object
		if i >= len(verbs)*len(objects) {
			name += "_" + strconv.Itoa(i/(len(verbs)*len(objects)))
		}
		text := func(s string) map[string]any { return map[string]any{"type": "string", "description": s} }
		tools = append(tools, map[string]any{
			"name":        name,
			"title":       strings.ToUpper(verb[:1]) + verb[1:] + " a " + object,
			"description": "Looks the " + object + " up by its number or by the words in it, and " + verb + "s it. Returns the " + object + " as it is afterwards, with the time of its last change.",
			"inputSchema": map[string]any{"type": "object", "required": []string{"id"}, "properties": map[string]any{
				"id":    text("Number of the " + object + ", as shown in the address of its page"),
				"query": text("Words to look for, all of which must be in the " + object),
				"format": map[string]any{
					"type":        "string",
					"enum":        []string{"short", "full", "raw"},
					"description": "How much of the " + object + " to return",
				},
				"limit": map[string]any{
					"type":        "integer",
					"minimum":     1,
					"maximum":     100,
					"default":     20,
					"description": "How many to return at most",
				},
			}},
		})
	}
	raw, err := json.Marshal(map[string]any{"tools": tools})
	if err != nil {
		panic(err)
	}
	return raw
}

// measureTokens prints the size of what an agent reads before its first call, for several numbers of tools.
func measureTokens(ctx context.Context, dir string) error {
	fmt.Println(
		"| tools | /mcp/all | /mcp | /mcp with code mode | beside it: 10 found by retrieve_tools | 10 signatures from search |",
	)
	fmt.Println("|---|---|---|---|---|---|")
	for _, n := range []int{10, 50, 150, 1000} {
		if err := tokenRow(ctx, dir, n); err != nil {
			return err
		}
	}
	return nil
}

func tokenRow(ctx context.Context, dir string, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, err := start(ctx, self(), "-role", "echo", "-tools", strconv.Itoa(n))
	if err != nil {
		return err
	}
	proxy, _, err := startProxyWith(
		ctx,
		dir,
		strconv.Itoa(n),
		map[string]any{"name": "echo", "url": server.url},
		map[string]any{"code_execution": map[string]any{"enabled": true}},
	)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(proxy.url, "/s/echo")
	var all []json.RawMessage
	for deadline := time.Now().Add(30 * time.Second); len(all) != n; time.Sleep(100 * time.Millisecond) {
		if all, err = toolsAt(ctx, base+"/all"); err != nil || time.Now().After(deadline) {
			return errors.Join(err, fmt.Errorf("%d of %d tools are listed", len(all), n))
		}
	}
	own, err := toolsAt(ctx, base)
	if err != nil {
		return err
	}
	var without []json.RawMessage
	for _, t := range own {
		if name := wire.String(t, "name"); name != "search" && name != "execute" {
			without = append(without, t)
		}
	}
	found, err := said(ctx, base, "retrieve_tools", `{"query":"list the invoices of a customer","limit":10}`)
	if err != nil {
		return err
	}
	signatures, err := said(ctx, base, "search", `{"query":"list the invoices of a customer","limit":10}`)
	if err != nil {
		return err
	}
	fmt.Printf(
		"| %d | %s | %s | %s | %s | %s |\n",
		n,
		weight(all),
		weight(without),
		weight(own),
		size(len(found)),
		size(len(signatures)),
	)
	return nil
}

func weight(tools []json.RawMessage) string {
	sum := 0
	for _, t := range tools {
		sum += len(t) + 1
	}
	return size(sum)
}

func size(bytes int) string { return fmt.Sprintf("%d B, %d tokens", bytes, bytes/bytesOfToken) }

// toolsAt returns the tools that an endpoint lists, from all pages.
func toolsAt(ctx context.Context, url string) (all []json.RawMessage, err error) {
	session, err := initialize(ctx, url)
	if err != nil {
		return nil, err
	}
	var cursor []byte
	for {
		params := []byte("{}")
		if cursor != nil {
			params = wire.Set(params, cursor, "cursor")
		}
		result, err := answered(ctx, url, session, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var page []json.RawMessage
		if err := json.Unmarshal(wire.Member(result, "tools"), &page); err != nil {
			return nil, err
		}
		all = append(all, page...)
		if cursor = wire.Member(result, "nextCursor"); cursor == nil {
			return all, nil
		}
	}
}

// said calls a tool of /mcp and returns the text of its answer.
func said(ctx context.Context, url, tool, arguments string) (string, error) {
	session, err := initialize(ctx, url)
	if err != nil {
		return "", err
	}
	result, err := answered(ctx, url, session, "tools/call", []byte(`{"name":"`+tool+`","arguments":`+arguments+`}`))
	if err != nil {
		return "", err
	}
	var content []struct{ Text string }
	if err := json.Unmarshal(wire.Member(result, "content"), &content); err != nil || len(content) != 1 {
		return "", errors.Join(err, fmt.Errorf("%s answers %s", tool, result))
	}
	return content[0].Text, nil
}
