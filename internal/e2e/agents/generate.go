package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// generate speaks the generateContent API of Google, streamed or not. If the request requires an object of a schema,
// the object is empty.
func (m *Model) generate(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Tools []struct {
			Functions []json.RawMessage `json:"functionDeclarations"`
		} `json:"tools"`
		Contents []struct {
			Parts []struct {
				Response json.RawMessage `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Config struct {
			Type string `json:"responseMimeType"`
		} `json:"generationConfig"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var results []string
	for _, content := range in.Contents {
		for _, part := range content.Parts {
			if part.Response != nil {
				results = append(results, string(part.Response))
			}
		}
	}
	tools := 0
	for _, t := range in.Tools {
		tools += len(t.Functions)
	}
	step := m.next(results, tools)
	part := object{"text": step.Text}
	switch {
	case step.Tool != "":
		part = object{
			"functionCall": object{"id": fmt.Sprintf("call_%d", len(results)), "name": step.Tool, "args": step.Input},
		}
	case in.Config.Type == "application/json":
		part["text"] = "{}"
	}
	answer := object{
		"candidates": []any{
			object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []any{part}}},
		},
		"usageMetadata": object{
			"promptTokenCount":     10,
			"candidatesTokenCount": 5,
			"totalTokenCount":      15,
		},
		"modelVersion": "scripted",
	}
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		stream(w).send("", answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}
