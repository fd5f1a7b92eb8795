package cli

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
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/version"
	"mcpproxy/internal/wire"
)

// toolClient calls the tools of /mcp, as agents do: in the stateless revision of MCP, so
// that all calls of this program are followed as one session.
type toolClient struct {
	client *remote.Client
	key    string
	meta   []byte
	next   int64
	// asks says that a person is there to be asked, by say and in.
	asks   bool
	person *term.Asker
}

func newToolClient(cmd *cobra.Command, g *globals) (*toolClient, error) {
	c, err := newClient(g)
	if err != nil {
		return nil, err
	}
	key, err := remote.AgentKey(c)
	if err != nil {
		return nil, err
	}
	d := &toolClient{
		client: c,
		key:    key,
		asks:   term.OnTerminal(),
		person: term.AskerOf(cmd),
	}
	d.meta = d.hello()
	return d, nil
}

// hello is what each request says of this client.
func (d *toolClient) hello() []byte {
	capabilities := map[string]any{}
	if d.asks {
		capabilities["elicitation"] = map[string]any{"form": map[string]any{}}
	}
	return wire.MustJSON(map[string]any{wire.MetaVersion: wire.Latest, wire.MetaCapabilities: capabilities,
		wire.MetaClientInfo: map[string]string{"name": "mcpproxy call", "version": version.String()}})
}

// call is the result of a tool of /mcp. Questions to the user are put to him.
func (d *toolClient) call(ctx context.Context, tool string, arguments []byte) ([]byte, error) {
	params := wire.Set(wire.Set(wire.Set(nil, wire.Quote(tool), "name"), arguments, "arguments"), d.meta, "_meta")
	for {
		result, err := d.post(ctx, params)
		if err != nil || wire.String(result, "resultType") != "input_required" {
			return result, err
		}
		requests := wire.Member(result, "inputRequests")
		answers, err := d.answer(ctx, requests)
		if err != nil {
			answers = dismissed(requests)
		}
		params = wire.Set(
			wire.Set(params, answers, "inputResponses"),
			wire.Member(result, "requestState"),
			"requestState",
		)
		if err != nil { // else the questions would stand, and keep the same call from being asked about anew
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dismissPatience)
			defer cancel()
			_, _ = d.post(ctx, params)
			return nil, err
		}
	}
}

// dismissPatience bounds how long a program that ends waits for the daemon to hear of it.
const dismissPatience = 3 * time.Second

// dismissed is the answer of somebody who answers none of the requests.
func dismissed(requests []byte) (answers []byte) {
	all, _ := wire.Members(requests)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		answers = wire.Set(answers, []byte(`{"action":"cancel"}`), key)
	}
	return answers
}

// post sends tools/call and waits for the answer to it.
func (d *toolClient) post(ctx context.Context, params []byte) ([]byte, error) {
	d.next++
	m := wire.NewRequest(wire.IntID(d.next), "tools/call", params)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.client.Base+"/mcp", bytes.NewReader(m.Raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(wire.HeaderVersion, wire.Latest)
	wire.SetHeaders(req.Header, m)
	if d.key != "" {
		req.Header.Set("X-API-Key", d.key)
	}
	resp, err := d.client.Http.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist) {
		return nil, remote.ErrNotRunning
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
		return nil, errors.New(term.Plain(wire.String(answer.Error, "message")))
	}
	return answer.Result, nil
}

// readAnswer is the answer to a request, out of a message or a stream of them.
func readAnswer(resp *http.Response, id []byte) (*wire.Message, error) {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return nil, err
		}
		if reason := wire.Member(body, "error"); reason != nil { // it may have no id
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

// maxAnswer bounds an answer, in bytes: what servers may answer, and base64 around it.
const maxAnswer = 64 << 20

// answer puts questions to the user, and is what he says.
func (d *toolClient) answer(ctx context.Context, requests []byte) ([]byte, error) {
	all, err := wire.Members(requests)
	if err != nil || len(all) == 0 {
		return nil, errors.New("the daemon asks for something that it does not name")
	}
	var answers []byte
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if method := wire.String(all[key], "method"); method != "elicitation/create" || !d.asks {
			return nil, fmt.Errorf("the server asks its client for %q, which this command cannot do", term.Plain(method))
		}
		said, err := d.elicit(ctx, wire.Member(all[key], "params"))
		if err != nil {
			return nil, err
		}
		answers = wire.Set(answers, said, key)
	}
	return answers, nil
}

// choices are the values that a property of a question's schema can have, in brackets; empty
// where any will do.
func choices(schema []byte) string {
	var s struct{ Enum []string }
	if json.Unmarshal(schema, &s) != nil || len(s.Enum) == 0 {
		return ""
	}
	return " (" + term.Plain(strings.Join(s.Enum, ", ")) + ")"
}

// elicit puts one question to the user: yes or no, and then what the question's
// schema wants to know. Anything but a yes is a no.
func (d *toolClient) elicit(ctx context.Context, params []byte) ([]byte, error) {
	agreed, err := d.person.Yes(ctx, plainText(wire.String(params, "message")))
	if err != nil {
		return nil, err
	}
	if !agreed {
		return []byte(`{"action":"decline"}`), nil
	}
	content := []byte("{}")
	properties, _ := wire.Members(wire.Member(params, "requestedSchema", "properties")) // none is fine
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		fmt.Fprintf(d.person.Say, "%s%s: ", term.Plain(name), choices(properties[name]))
		said, err := d.person.Line(ctx)
		if err != nil {
			return nil, err
		}
		if said == "" {
			continue
		}
		value, err := valueFor(term.Plain(name), said, properties[name])
		if err != nil {
			return nil, err
		}
		content = wire.Set(content, value, name)
	}
	return wire.Set([]byte(`{"action":"accept"}`), json.RawMessage(content), "content"), nil
}
