package agents_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcpproxy/internal/e2e/agents"
)

func TestTheModelFollowsItsScript(t *testing.T) {
	for name, c := range map[string]struct{ path, body, want string }{
		"Anthropic, the first step": {"/v1/messages", `{"model":"m","tools":[{}],"messages":[{"content":"go"}]}`, `"name":"Read"`},
		"Anthropic, streamed":       {"/v1/messages", `{"stream":true,"tools":[{}],"messages":[{"content":"go"}]}`, `"partial_json":"{\"path\":\"x\"}"`},
		"Anthropic, the second step": {"/v1/messages",
			`{"stream":true,"tools":[{}],"messages":[{"content":[{"type":"tool_result","content":"a"}]}]}`, `"text":"done"`},
		"OpenAI, the first step":    {"/v1/responses", `{"tools":[{}],"input":[{"type":"message"}]}`, `"arguments":"{\"path\":\"x\"}"`},
		"OpenAI, the second step":   {"/v1/responses", `{"tools":[{}],"input":[{"type":"function_call_output","output":"a"}]}`, `"text":"done"`},
		"OpenAI, a server's tool":   {"/v1/responses", `{"tools":[{}],"input":[{"type":"function_call_output"},{"type":"custom_tool_call_output"}]}`, `"namespace":"mcp__up"`},
		"chat, the first step":      {"/v1/chat/completions", `{"model":"m","tools":[{}],"messages":[{"role":"user"}]}`, `"finish_reason":"tool_calls"`},
		"chat, streamed":            {"/v1/chat/completions", `{"stream":true,"tools":[{}],"messages":[]}`, `"arguments":"{\"path\":\"x\"}"`},
		"chat, the second step":     {"/v1/chat/completions", `{"stream":true,"tools":[{}],"messages":[{"role":"tool"}]}`, `"content":"done"`},
		"Google, the first step":    {"/v1beta/models/m:generateContent", `{"tools":[{"functionDeclarations":[{}]}],"contents":[{"parts":[{"text":"go"}]}]}`, `"args":{"path":"x"}`},
		"Google, streamed":          {"/v1beta/models/m:streamGenerateContent", `{"tools":[{"functionDeclarations":[{}]}]}`, "data: {"},
		"Google, the second step":   {"/v1beta/models/m:streamGenerateContent", `{"tools":[{"functionDeclarations":[{}]}],"contents":[{"parts":[{"functionResponse":{}}]}]}`, `"text":"done"`},
		"Google, a side question":   {"/v1beta/models/m:generateContent", `{"generationConfig":{"responseMimeType":"application/json"}}`, `"text":"{}"`},
		"a request without tools":   {"/v1/messages", `{"messages":[]}`, `"text":"ok"`},
		"what is no wire format":    {"/v1/other", `{}`, "not scripted"},
		"a body that is no request": {"/v1/messages", `[`, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			m := httptest.NewServer(&agents.Model{Script: []agents.Step{
				{Tool: "Read", Input: map[string]string{"path": "x"}}, {Text: "done"}, {Tool: "mcp__up/read"}}})
			defer m.Close()
			resp, err := http.Post(m.URL+c.path, "application/json", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			out, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("it says %s, %v", out, err)
			}
		})
	}
}
