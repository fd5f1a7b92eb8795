package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat speaks the Chat Completions API of OpenAI, streamed or not.
func (m *Model) chat(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model    string            `json:"model"`
		Stream   bool              `json:"stream"`
		Tools    []json.RawMessage `json:"tools"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var results []string
	for _, raw := range in.Messages {
		var message struct {
			Role string `json:"role"`
		}
		if json.Unmarshal(raw, &message) == nil && message.Role == "tool" {
			results = append(results, string(raw))
		}
	}
	step := m.next(results, len(in.Tools))
	message, reason := object{"role": "assistant", "content": step.Text}, "stop"
	if step.Tool != "" {
		message, reason = object{"role": "assistant", "content": nil, "tool_calls": []any{object{
			"index":    0,
			"id":       fmt.Sprintf("call_%d", len(results)),
			"type":     "function",
			"function": object{"name": step.Tool, "arguments": step.arguments()},
		}}}, "tool_calls"
	}
	choice := object{"index": 0, "finish_reason": reason}
	answer := object{
		"id":      fmt.Sprintf("chatcmpl_%d", len(results)),
		"created": 1,
		"model":   in.Model,
		"choices": []any{choice},
		"usage":   object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	}
	if !in.Stream {
		answer["object"], choice["message"] = "chat.completion", message
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
		return
	}
	answer["object"], choice["delta"] = "chat.completion.chunk", message
	e := stream(w)
	e.send("", answer)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
