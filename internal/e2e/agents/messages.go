package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// messages speaks the Messages API of Anthropic, streamed or not.
func (m *Model) messages(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model    string            `json:"model"`
		Stream   bool              `json:"stream"`
		Tools    []json.RawMessage `json:"tools"`
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var results []string
	for _, message := range in.Messages {
		var blocks []json.RawMessage
		_ = json.Unmarshal(message.Content, &blocks) // a text has no blocks
		for _, b := range blocks {
			var block struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(b, &block) == nil && block.Type == "tool_result" {
				results = append(results, string(b))
			}
		}
	}
	step := m.next(results, len(in.Tools))
	stop, block := "end_turn", object{"type": "text", "text": step.Text}
	if step.Tool != "" {
		stop, block = "tool_use", object{
			"type":  "tool_use",
			"id":    fmt.Sprintf("toolu_%d", len(results)),
			"name":  step.Tool,
			"input": step.Input,
		}
	}
	message := object{
		"id":            fmt.Sprintf("msg_%d", len(results)),
		"type":          "message",
		"role":          "assistant",
		"model":         in.Model,
		"content":       []any{},
		"stop_reason":   nil,
		"stop_sequence": nil,
		"usage":         object{"input_tokens": 10, "output_tokens": 5},
	}
	if !in.Stream {
		message["content"], message["stop_reason"] = []any{block}, stop
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message)
		return
	}
	e := stream(w)
	e.send("message_start", object{"type": "message_start", "message": message})
	e.block(step, block)
	e.send(
		"message_delta",
		object{
			"type":  "message_delta",
			"delta": object{"stop_reason": stop, "stop_sequence": nil},
			"usage": object{"output_tokens": 5},
		},
	)
	e.send("message_stop", object{"type": "message_stop"})
}

// block streams one content block: first an empty block, then its content.
func (e events) block(step Step, block object) {
	empty := object{"type": "text", "text": ""}
	delta := object{"type": "text_delta", "text": step.Text}
	if step.Tool != "" {
		empty = object{
			"type":  "tool_use",
			"id":    block["id"],
			"name":  step.Tool,
			"input": object{},
		}
		delta = object{"type": "input_json_delta", "partial_json": step.arguments()}
	}
	e.send("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": empty})
	e.send("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	e.send("content_block_stop", object{"type": "content_block_stop", "index": 0})
}
