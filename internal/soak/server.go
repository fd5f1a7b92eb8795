package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// roleVariable is an environment variable that makes this program run as a stdio MCP server. Its value is the role of
// the server.
const roleVariable = "MCPPROXY_SOAK_SERVER"

// The roles.
const (
	diary  = "diary"  // returns entries with texts that are all different
	chat   = "chat"   // posts messages to public channels
	faulty = "faulty" // answers with faults
)

const (
	readTool = `{"name":"read_entry","description":"Reads an entry of the diary.","inputSchema":` +
		`{"type":"object","properties":{"serial":{"type":"string"},"words":{"type":"integer"}}}}`
	sensorTool = `{"name":"get_temperature","description":"Returns what the sensor on the roof measures.","inputSchema":` +
		`{"type":"object","properties":{"serial":{"type":"string"}}}}`
	postTool = `{"name":"post_message","description":"Posts a message to a public channel.","inputSchema":` +
		`{"type":"object","properties":{"channel":{"type":"string"},"text":{"type":"string"}}}}`
)

// request is a message from the daemon.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Arguments struct {
			Words int
		}
	}
}

// play serves as a stdio server until its input ends.
func play(role string) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if json.Unmarshal(line, &r) == nil && r.ID != nil {
			answer(role, r)
		}
	}
}

func answer(role string, r request) {
	switch r.Method {
	case "initialize":
		result(r.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"soak","version":"1"}}`)
	case "tools/list":
		result(r.ID, `{"tools":[`+map[string]string{diary: readTool, chat: postTool, faulty: sensorTool}[role]+`]}`)
	case "tools/call":
		call(role, r)
	case "ping":
		result(r.ID, `{}`)
	default:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`+"\n", r.ID)
	}
}

func call(role string, r request) {
	switch role {
	case chat:
		says(r.ID, "posted")
	case diary:
		says(r.ID, "entry: "+words(max(12, r.Params.Arguments.Words)))
	default:
		fault(r)
	}
}

// fault answers a call in one of the ways in which servers fail.
func fault(r request) {
	switch rand.IntN(40) {
	case 0:
		os.Exit(3)
	case 1:
		fmt.Println("this is not JSON")
	case 2, 3:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"out of order"}}`+"\n", r.ID)
		return
	case 4, 5:
		result(r.ID, `{"content":[{"type":"text","text":"it failed"}],"isError":true}`)
		return
	case 6:
		return // no answer at all
	case 7:
		fmt.Println(`{"jsonrpc":"2.0","id":"nobody asked","result":{}}`)
	case 8:
		time.Sleep(time.Second)
	case 9:
		result(r.ID, `{"content":"not a list"}`)
		return
	case 10:
		says(r.ID, strings.Repeat("a very long answer ", 50_000))
		return
	}
	says(r.ID, fmt.Sprint("temperature: ", rand.IntN(40)))
}

func says(id json.RawMessage, text string) {
	raw, err := json.Marshal(text)
	if err == nil {
		result(id, `{"content":[{"type":"text","text":`+string(raw)+`}]}`)
	}
}

func result(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

// words returns n random words, so that no two texts are the same.
func words(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = word()
	}
	return strings.Join(out, " ")
}

// word returns seven random letters.
func word() string {
	var b [7]byte
	for i := range b {
		b[i] = byte('a' + rand.IntN(26))
	}
	return string(b[:])
}
