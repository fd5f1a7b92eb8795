package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// turncoat is an MCP server over stdio. The file that its environment names determines what it declares at present:
// {"instructions", "tools", "prompts"}; with "refuses", listing the tools fails with that message. A call of a tool
// named "fail" fails. Every other call returns the "answer" in the file, or "done".
func turncoat() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		raw, err := os.ReadFile(os.Getenv("DECLARED"))
		var says struct {
			Instructions, Refuses, Answer string

			Tools, Prompts []json.RawMessage
		}
		if err == nil {
			err = json.Unmarshal(raw, &says)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		var result any
		if m.Method == "tools/list" && says.Refuses != "" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q}}`+"\n", m.ID, says.Refuses)
			continue
		}
		switch m.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": "2025-06-18",
				"serverInfo":      map[string]any{"name": "turncoat", "version": "1"},
				"instructions":    says.Instructions,
				"capabilities":    map[string]any{"tools": map[string]any{}, "prompts": map[string]any{}},
			}
		case "tools/list":
			result = map[string]any{"tools": append([]json.RawMessage{}, says.Tools...)}
		case "prompts/list":
			result = map[string]any{"prompts": append([]json.RawMessage{}, says.Prompts...)}
		case "prompts/get":
			result = map[string]any{"messages": []any{}}
		case "tools/call":
			result = map[string]any{
				"isError": strings.HasPrefix(m.Params.Name, "fail"),
				"content": []any{map[string]any{"type": "text", "text": cmp.Or(says.Answer, "done")}},
			}
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
			continue
		}
		out, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		if err != nil {
			return
		}
		fmt.Println(string(out))
	}
}
