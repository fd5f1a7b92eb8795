package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"

	"mcpproxy/internal/wire"
)

// echo is an MCP server that answers every call with the text it was given. It
// declares so many tools, none of which it has, or one that it has for 0.
type echo struct{ tools int }

// answer is the response to a request.
func (e echo) answer(m *wire.Message) *wire.Message {
	switch m.Method {
	case "initialize":
		return wire.NewResult(m.ID, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`))
	case "tools/list":
		if e.tools > 0 {
			return wire.NewResult(m.ID, catalogue(e.tools))
		}
		return wire.NewResult(m.ID, []byte(`{"tools":[{"name":"echo","description":"Returns the text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}`))
	case "tools/call":
		text := wire.Member(m.Params, "arguments", "text")
		return wire.NewResult(m.ID, append(append([]byte(`{"content":[{"type":"text","text":`), text...), `}]}`...))
	}
	return wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeMethodNotFound, Message: "unknown"})
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
