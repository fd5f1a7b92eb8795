package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"

	"mcpproxy/internal/wire"
)

// echo is an MCP server with three tools: one returns the text that it is given, one returns a text of a given size,
// and one accepts a text and confirms it. If tools is not 0, the server lists that many other tools instead, which
// cannot be called. If recorded is set, it lists the tools of the recording and answers each call with the recorded
// result.
type echo struct {
	tools    int
	recorded recording
}

// echoTools are the definitions of the three tools. Their names are the values of [way].
const echoTools = `{"tools":[` +
	`{"name":"echo","description":"Returns the text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},` +
	`{"name":"read","description":"Returns a page.","inputSchema":{"type":"object","properties":{"page":{"type":"integer"},"bytes":{"type":"integer"}}}},` +
	`{"name":"write","description":"Keeps a text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}`

// answer returns the response to a request.
func (e echo) answer(m *wire.Message) *wire.Message {
	switch m.Method {
	case "initialize":
		return wire.NewResult(
			m.ID,
			[]byte(
				`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`,
			),
		)
	case "tools/list":
		if e.recorded != nil {
			return wire.NewResult(m.ID, e.recorded.tools())
		}
		if e.tools > 0 {
			return wire.NewResult(m.ID, catalogue(e.tools))
		}
		return wire.NewResult(m.ID, []byte(echoTools))
	case "tools/call":
		if e.recorded != nil {
			return answering(m.ID, e.recorded.result(m.Params))
		}
		text := e.text(way(wire.String(m.Params, "name")), wire.Member(m.Params, "arguments"))
		return answering(m.ID, text)
	}
	return wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeMethodNotFound, Message: "unknown"})
}

// answering returns a tool result with a text, given as a JSON string.
func answering(id, text []byte) *wire.Message {
	return wire.NewResult(id, append(append([]byte(`{"content":[{"type":"text","text":`), text...), `}]}`...))
}

// text returns the text, as a JSON string, with which the tool w answers a call with these arguments.
func (e echo) text(w way, arguments []byte) []byte {
	switch w {
	case reads:
		var of struct{ Page, Bytes int }
		_ = json.Unmarshal(arguments, &of)
		return wire.Quote(prose(rand.New(rand.NewPCG(uint64(of.Page), uint64(of.Bytes))), of.Bytes))
	case writes:
		return []byte(`"kept"`)
	}
	return wire.Member(arguments, "text")
}

// ServeHTTP serves the server over streamable HTTP.
func (e echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m, err := wire.Parse(raw)
	if err != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if m.Method == "initialize" {
		w.Header().Set(wire.HeaderSession, "one")
	}
	_, _ = w.Write(e.answer(m).Raw)
}

// serveStdio serves the server over standard input and output until standard input ends.
func (e echo) serveStdio() error {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := wire.Parse(bytes.TrimSpace(line))
		if err != nil || m.ID == nil {
			continue
		}
		if _, err := os.Stdout.Write(append(e.answer(m).Raw, '\n')); err != nil {
			return err
		}
	}
}
