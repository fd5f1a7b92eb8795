package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"mcpproxy/internal/version"
	"mcpproxy/internal/wire"
)

// maxAnswer is the maximum length of an answer, in bytes: the maximum for servers, and the overhead of base64.
const maxAnswer = 64 << 20

// dismissPatience is how long a program that ends waits until the daemon knows that nobody will answer its question.
const dismissPatience = 3 * time.Second

// AnswerError is an error that the daemon returns for a call. A server may have written Message: make it safe before
// it is printed on a terminal.
type AnswerError struct {
	Message string
}

// Error returns the message.
func (e *AnswerError) Error() string { return e.Message }

// Elicit asks a person with the parameters of an elicitation/create request. It returns the result of that request, or
// an error if the person cannot answer.
type Elicit func(ctx context.Context, params []byte) (result []byte, err error)

// ToolClient calls the tools of /mcp as agents do. It uses the stateless revision of MCP, so the daemon treats all
// calls of this process as one session.
type ToolClient struct {
	client *Client
	key    string
	elicit Elicit
	meta   []byte
	folder string // working directory of this process; "" if it has no name
	next   int64  // id of the last request
}

// NewToolClient returns a client that sends key, which may be empty. If elicit is nil, the daemon asks no questions.
func NewToolClient(c *Client, key string, elicit Elicit) *ToolClient {
	capabilities := map[string]any{}
	if elicit != nil {
		capabilities["elicitation"] = map[string]any{"form": map[string]any{}}
	}
	folder, _ := os.Getwd() // a removed folder has no name
	return &ToolClient{
		client: c,
		key:    key,
		elicit: elicit,
		folder: folder,
		meta: wire.MustJSON(map[string]any{
			wire.MetaVersion:      wire.Latest,
			wire.MetaCapabilities: capabilities,
			wire.MetaClientInfo:   map[string]string{"name": "mcpproxy call", "version": version.String()},
		}),
	}
}

// Call returns the result of a tool, which may be a failure. It asks the person the daemon's questions, and cancels
// them if they cannot be answered. The error is an [AnswerError] if the daemon refuses the request, and
// [ErrNotRunning] if nothing listens.
func (t *ToolClient) Call(ctx context.Context, tool string, arguments []byte) (result []byte, err error) {
	params := wire.Set(wire.Set(wire.Set(nil, wire.Quote(tool), "name"), arguments, "arguments"), t.meta, "_meta")
	for {
		result, err := t.post(ctx, "tools/call", params)
		if err != nil || wire.String(result, "resultType") != "input_required" {
			return result, err
		}
		requests := wire.Member(result, "inputRequests")
		answers, err := t.answer(ctx, requests)
		if err != nil {
			answers = dismissed(requests)
		}
		params = wire.Set(
			wire.Set(params, answers, "inputResponses"),
			wire.Member(result, "requestState"),
			"requestState",
		)
		if err != nil { // otherwise the open question would also apply to the next equal call
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dismissPatience)
			defer cancel()
			_, _ = t.post(ctx, "tools/call", params)
			return nil, err
		}
	}
}

// dismissed cancels all open questions.
func dismissed(requests []byte) (answers []byte) {
	all, _ := wire.Members(requests)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		answers = wire.Set(answers, []byte(`{"action":"cancel"}`), key)
	}
	return answers
}

// Read returns the text of a resource, one element for each of its parts.
func (t *ToolClient) Read(ctx context.Context, uri string) (texts []string, err error) {
	params := wire.Set(wire.Set(nil, wire.Quote(uri), "uri"), t.meta, "_meta")
	result, err := t.post(ctx, "resources/read", params)
	if err != nil {
		return nil, err
	}
	var contents []struct{ Text string }
	if err := json.Unmarshal(wire.Member(result, "contents"), &contents); err != nil {
		return nil, fmt.Errorf("the contents of %s cannot be read: %w", uri, err)
	}
	for _, c := range contents {
		texts = append(texts, c.Text)
	}
	return texts, nil
}

// post sends a request and waits for its answer.
func (t *ToolClient) post(ctx context.Context, method string, params []byte) ([]byte, error) {
	t.next++
	m := wire.NewRequest(wire.IntID(t.next), method, params)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.client.Base+"/mcp", bytes.NewReader(m.Raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(wire.HeaderVersion, wire.Latest)
	wire.SetHeaders(req.Header, m)
	if t.folder != "" {
		req.Header.Set(wire.HeaderFolder, url.PathEscape(t.folder))
	}
	if t.key != "" {
		req.Header.Set("X-API-Key", t.key)
	}
	resp, err := t.client.Http.Do(req)
	if errors.Is(err, errRefused) || errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := readAnswer(resp, m.ID)
	if err != nil {
		return nil, fmt.Errorf("the daemon's answer cannot be read (HTTP status %s): %w", resp.Status, err)
	}
	if answer.Result == nil {
		return nil, &AnswerError{wire.String(answer.Error, "message")}
	}
	return answer.Result, nil
}

// readAnswer returns the answer to the request with the given id, from a single message or a stream of messages.
func readAnswer(resp *http.Response, id []byte) (*wire.Message, error) {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return nil, err
		}
		if reason := wire.Member(body, "error"); reason != nil { // an error may have no id
			return wire.NewError(id, &wire.RPCError{Message: wire.String(reason, "message")}), nil
		}
		return wire.Parse(body)
	}
	events := wire.NewEventReader(resp.Body, maxAnswer)
	for {
		ev, err := events.Next()
		if err != nil {
			return nil, err
		}
		if m, err := wire.Parse(ev.Data); err == nil && m.IsResponse() && bytes.Equal(m.ID, id) {
			return m, nil
		}
	}
}

// answer asks the person the daemon's questions, and returns the answers by the names of the questions.
func (t *ToolClient) answer(ctx context.Context, requests []byte) ([]byte, error) {
	all, err := wire.Members(requests)
	if err != nil || len(all) == 0 {
		return nil, errors.New("the daemon asks for input but names no request")
	}
	var answers []byte
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if method := wire.String(all[key], "method"); method != "elicitation/create" || t.elicit == nil {
			return nil, &AnswerError{
				fmt.Sprintf("the server asks its client for %q, which this command cannot do", method),
			}
		}
		result, err := t.elicit(ctx, wire.Member(all[key], "params"))
		if err != nil {
			return nil, err
		}
		answers = wire.Set(answers, result, key)
	}
	return answers, nil
}
