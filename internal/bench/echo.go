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

// echo is an MCP server that answers with the text it was given, with one of its own,
// or takes one and says little. It declares so many tools, none of which it has, or
// those three for 0. With a recording it answers what came back of its calls instead.
type echo struct {
	tools    int
	recorded recording
}

// echoTools are the three; their names are ways of a call.
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

// answering returns a tool result with a text, which is JSON.
func answering(id, text []byte) *wire.Message {
	return wire.NewResult(id, append(append([]byte(`{"content":[{"type":"text","text":`), text...), `}]}`...))
}

// text returns the text of the answer to a call with these arguments, as JSON.
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

// ServeHTTP serves it over streamable HTTP.
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

// serveStdio serves it over standard input and output, until that ends.
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
