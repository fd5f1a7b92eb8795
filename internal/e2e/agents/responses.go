package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses speaks the Responses API of OpenAI, streamed.
func (m *Model) responses(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Tools []json.RawMessage `json:"tools"`
		Input []json.RawMessage `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var results []string
	for _, raw := range in.Input {
		var item struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &item) == nil && strings.HasSuffix(item.Type, "_output") {
			results = append(results, string(raw))
		}
	}
	step := m.next(results, len(in.Tools))
	n := len(results)
	item := object{
		"type":    "message",
		"id":      fmt.Sprintf("msg_%d", n),
		"role":    "assistant",
		"status":  "completed",
		"content": []any{object{"type": "output_text", "text": step.Text, "annotations": []any{}}},
	}
	if step.Tool != "" {
		item = object{
			"type":      "function_call",
			"id":        fmt.Sprintf("fc_%d", n),
			"call_id":   fmt.Sprintf("call_%d", n),
			"name":      step.Tool,
			"arguments": step.arguments(),
			"status":    "completed",
		}
		if space, name, ok := strings.Cut(step.Tool, "/"); ok { // a tool of an MCP server
			item["namespace"], item["name"] = space, name
		}
	}
	response := object{
		"id":     fmt.Sprintf("resp_%d", n),
		"object": "response",
		"status": "in_progress",
		"output": []any{},
	}
	e := stream(w)
	e.send("response.created", object{"type": "response.created", "response": response})
	e.send("response.output_item.added", object{"type": "response.output_item.added", "output_index": 0, "item": item})
	e.send("response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
	e.send("response.completed", object{"type": "response.completed", "response": object{
		"id":     response["id"],
		"object": "response",
		"status": "completed",
		"output": []any{item},
		"usage": object{
			"input_tokens":          10,
			"input_tokens_details":  object{"cached_tokens": 0},
			"output_tokens":         5,
			"output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens":          15,
		},
	}})
}
