package main

import (
	"bufio"
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

	"github.com/spf13/cobra"

	"mcpproxy/internal/wire"
)

// toolDoor calls the tools of /mcp, as agents do: in the stateless revision of MCP, so
// that all calls of this program are followed as one session.
type toolDoor struct {
	client *client
	key    string
	meta   []byte
	next   int64
	// asks says that a person is there to be asked, by say and in.
	asks bool
	in   *bufio.Reader
	say  io.Writer
}

func newToolDoor(cmd *cobra.Command, g *globals) (*toolDoor, error) {
	c, err := newClient(g)
	if err != nil {
		return nil, err
	}
	key, err := agentKey(c)
	if err != nil {
		return nil, err
	}
	d := &toolDoor{client: c, key: key, asks: onTerminal(), in: bufio.NewReader(cmd.InOrStdin()), say: cmd.ErrOrStderr()}
	d.meta = d.hello()
	return d, nil
}

// hello is what each request says of this client.
func (d *toolDoor) hello() []byte {
	capabilities := map[string]any{}
	if d.asks {
		capabilities["elicitation"] = map[string]any{"form": map[string]any{}}
	}
	return wire.MustJSON(map[string]any{wire.MetaVersion: wire.Latest, wire.MetaCapabilities: capabilities,
		wire.MetaClientInfo: map[string]string{"name": "mcpproxy call", "version": buildVersion()}})
}

// call is the result of a tool of /mcp. Questions to the user are put to him.
func (d *toolDoor) call(ctx context.Context, tool string, arguments []byte) ([]byte, error) {
	params := wire.Set(wire.Set(wire.Set(nil, wire.Quote(tool), "name"), arguments, "arguments"), d.meta, "_meta")
	for {
		result, err := d.post(ctx, params)
		if err != nil || wire.String(result, "resultType") != "input_required" {
			return result, err
		}
		answers, err := d.answer(ctx, wire.Member(result, "inputRequests"))
		if err != nil {
			return nil, err
		}
		params = wire.Set(wire.Set(params, answers, "inputResponses"), wire.Member(result, "requestState"), "requestState")
	}
}

// post sends tools/call and waits for the answer to it.
func (d *toolDoor) post(ctx context.Context, params []byte) ([]byte, error) {
	d.next++
	m := wire.NewRequest(wire.IntID(d.next), "tools/call", params)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.client.base+"/mcp", bytes.NewReader(m.Raw))
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
	resp, err := d.client.http.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist) {
		return nil, errNoDaemon
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
		return nil, errors.New(plain(wire.String(answer.Error, "message")))
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
func (d *toolDoor) answer(ctx context.Context, requests []byte) ([]byte, error) {
	all, err := wire.Members(requests)
	if err != nil || len(all) == 0 {
		return nil, errors.New("the daemon asks for something that it does not name")
	}
	var answers []byte
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if method := wire.String(all[key], "method"); method != "elicitation/create" || !d.asks {
			return nil, fmt.Errorf("the call wants %q of its client, which this command cannot do", plain(method))
		}
		said, err := d.elicit(ctx, wire.Member(all[key], "params"))
		if err != nil {
			return nil, err
		}
		answers = wire.Set(answers, said, key)
	}
	return answers, nil
}

// elicit puts one question to the user: yes or no, and then what the question's
// schema wants to know. Anything but a yes is a no.
func (d *toolDoor) elicit(ctx context.Context, params []byte) ([]byte, error) {
	fmt.Fprintf(d.say, "%s[y/N] ", plainText(wire.String(params, "message")))
	said, err := d.line(ctx)
	if err != nil {
		return nil, err
	}
	if said = strings.ToLower(said); said != "y" && said != "yes" {
		return []byte(`{"action":"decline"}`), nil
	}
	content := []byte("{}")
	properties, _ := wire.Members(wire.Member(params, "requestedSchema", "properties")) // none is fine
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		fmt.Fprintf(d.say, "%s: ", plain(name))
		said, err := d.line(ctx)
		if err != nil {
			return nil, err
		}
		if said == "" {
			continue
		}
		value, err := valueFor(plain(name), said, properties[name])
		if err != nil {
			return nil, err
		}
		content = wire.Set(content, value, name)
	}
	return wire.Set([]byte(`{"action":"accept"}`), json.RawMessage(content), "content"), nil
}

// line is what the user enters; an error when he ends the program instead.
func (d *toolDoor) line(ctx context.Context) (string, error) {
	type entered struct {
		line string
		err  error
	}
	said := make(chan entered, 1)
	go func() {
		line, err := d.in.ReadString('\n')
		said <- entered{line, err}
	}()
	select {
	case e := <-said:
		if errors.Is(e.err, io.EOF) {
			fmt.Fprintln(d.say)
			e.err = nil // whoever closes the window has said nothing
		}
		return strings.TrimSpace(e.line), e.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
