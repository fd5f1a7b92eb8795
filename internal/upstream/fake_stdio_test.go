package upstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// fake is the MCP server that this test binary runs as. Each of its tools misbehaves in one way.
type fake struct {
	mode      string
	out       *bufio.Writer
	cancelled []json.RawMessage
	lists     int // number of list requests
	waits     request
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func serve(mode string) {
	f := &fake{mode: mode, out: bufio.NewWriterSize(os.Stdout, 1<<20)}
	if mode == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var r request
		if json.Unmarshal(in.Bytes(), &r) != nil {
			continue
		}
		f.handle(r)
		f.out.Flush()
	}
	if mode == "stubborn" {
		time.Sleep(time.Hour)
	}
}

func (f *fake) handle(r request) {
	switch r.Method {
	case "initialize":
		switch f.mode {
		case "mute":
			fmt.Fprintln(os.Stderr, "initialize came")
		case "stateless":
			f.fail(r)
		case "ancient":
			f.result(r, `{"protocolVersion":"2023-01-01","capabilities":{}}`)
		default:
			f.result(
				r,
				`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`,
			)
		}
	case "server/discover":
		if f.mode == "stateless" {
			f.result(r, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		} else if f.mode != "mute" {
			f.fail(r)
		}
	case "":
		if f.waits.ID != nil { // for the answer to its ping
			f.result(f.waits, `{"tools":[{"name":"a"}]}`)
			f.waits.ID = nil
		}
	case "notifications/initialized":
		if f.mode == "greets and dies" {
			fmt.Fprintln(os.Stderr, "started")
			os.Exit(1)
		}
	case "notifications/cancelled":
		f.cancelled = append(f.cancelled, r.Params)
	case "tools/list":
		f.list(r)
	case "tools/call":
		var p struct{ Name string }
		if json.Unmarshal(r.Params, &p) == nil {
			f.call(r, p.Name)
		}
	}
}

func (f *fake) line(format string, args ...any) { fmt.Fprintf(f.out, format+"\n", args...) }

func (f *fake) result(r request, result string) {
	f.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

func (f *fake) fail(r request) {
	f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, r.ID)
}

func (f *fake) list(r request) {
	f.lists++
	if f.mode == "pinging" {
		f.waits = r
		f.line(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	} else if f.mode == "forgetful" && f.lists == 1 {
		f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"not yet"}}`, r.ID)
	} else if f.mode == "endless" {
		f.result(r, `{"tools":[],"nextCursor":"again"}`)
	} else if strings.Contains(string(r.Params), `"page2"`) {
		f.result(r, `{"tools":[{"name":"b","big":12345678901234567890}],"nextCursor":null}`)
	} else {
		f.result(r, `{"tools":[{"name":"a"}],"nextCursor":"page2"}`)
	}
}

// call does what the named tool does.
func (f *fake) call(r request, name string) {
	switch name {
	case "echo":
		f.line(
			`{"jsonrpc":"2.0","id":%s,"x-extra":[1,2],"result":{"content":[],"unknown":{"deep":true},"big":12345678901234567890,"params":%s}}`,
			r.ID,
			r.Params,
		)
	case "hang":
	case "die":
		os.Exit(3)
	case "wrong-id":
		f.line(`{"jsonrpc":"2.0","id":999999,"result":{}}`)
	case "string-id":
		f.line(`{"jsonrpc":"2.0","id":"%s","result":{}}`, r.ID)
	case "duplicate":
		f.result(r, `{"content":[{"a":1,"a":2}]}`)
	case "invalid":
		f.result(r, "{\"content\":\"\xff\xfe\"}")
	case "half":
		f.line(`{"jsonrpc":"2.0","id":%s,"result":{"content":`, r.ID)
	case "twice":
		f.result(r, `{"first":true}`)
		f.result(r, `{"first":false}`)
	case "huge":
		fmt.Fprintf(f.out, `{"jsonrpc":"2.0","id":%s,"result":{"pad":"`, r.ID)
		f.pad()
		f.line(`"}}`)
	case "huge-id-last":
		fmt.Fprint(f.out, `{"result":{"pad":"`)
		f.pad()
		f.line(`"},"jsonrpc":"2.0","id":%s}`, r.ID)
	case "flood":
		for i := range 20_000 {
			f.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i)
		}
		f.result(r, `{}`)
	case "lines":
		f.line("{\n \"jsonrpc\": \"2.0\",\n \"id\": %s,\n \"result\": {}\n}", r.ID)
	case "garbage":
		f.line("Starting server...\n\n{\"not\": \"a message\"}\n[1,2,3]\n{oops\n\x00\x01\x02\nnull\n\"text\"")
		f.result(r, `{"ok":true}`)
	default:
		f.more(r, name)
	}
}

// pad writes 100 MB.
func (f *fake) pad() {
	chunk := strings.Repeat("x", 1<<20)
	for range 100 {
		f.out.WriteString(chunk)
	}
}

func (f *fake) more(r request, name string) {
	switch name {
	case "stderr":
		for i := range 2000 {
			fmt.Fprintf(os.Stderr, "line %d %s\n", i, strings.Repeat("y", i%100))
		}
		fmt.Fprintln(os.Stderr, strings.Repeat("z", 1<<20))
		fmt.Fprintln(os.Stderr, "the last line")
		f.result(r, `{}`)
	case "env":
		b, _ := json.Marshal(map[string]any{"env": os.Environ()})
		f.result(r, string(b))
	case "spawn":
		c := exec.Command("sleep", "600")
		if err := c.Start(); err != nil {
			f.fail(r)
			return
		}
		f.result(r, fmt.Sprintf(`{"pids":[%d,%d]}`, os.Getpid(), c.Process.Pid))
	case "report":
		b, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "cancelled": f.cancelled})
		f.result(r, string(b))
	case "progress":
		var p struct {
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
		_ = json.Unmarshal(r.Params, &p)
		for i := range 3 {
			f.line(
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`,
				p.Meta.ProgressToken,
				i,
			)
		}
		f.result(r, `{}`)
	case "try":
		var p struct{ Arguments struct{ Do, At string } }
		_ = json.Unmarshal(r.Params, &p)
		came := "ok"
		if err := try(p.Arguments.Do, p.Arguments.At); err != nil {
			came = err.Error()
		}
		b, _ := json.Marshal(map[string]string{"came": came})
		f.result(r, string(b))
	case "leak":
		for kept := [][]byte{}; ; {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			kept = append(kept, b)
		}
	case "spin":
		for i := 0; ; i++ {
			_ = i
		}
	case "ping":
		for i := 0; ; i++ {
			f.line(`{"jsonrpc":"2.0","id":"ping %d","method":"ping"}`, i)
			f.out.Flush()
			time.Sleep(100 * time.Millisecond)
		}
	case "ping-flood":
		for i := 0; ; i++ {
			f.line(`{"jsonrpc":"2.0","id":"ping %d","method":"ping"}`, i)
		}
	case "busy":
		var p struct {
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
		_ = json.Unmarshal(r.Params, &p)
		for i := 0; ; i++ {
			f.line(
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`,
				p.Meta.ProgressToken,
				i,
			)
			f.out.Flush()
			time.Sleep(50 * time.Millisecond)
		}
	case "slow":
		time.Sleep(300 * time.Millisecond)
		f.result(r, `{}`)
	default:
		f.fail(r)
	}
}

// try attempts something that a confined process may not do.
func try(what, where string) error {
	switch what {
	case "read":
		_, err := os.ReadFile(where)
		return err
	case "write":
		return os.WriteFile(where, []byte("y"), 0o600)
	case "run":
		return exec.Command(where).Run()
	case "connect":
		c, err := net.Dial("tcp", where)
		if err == nil {
			c.Close()
		}
		return err
	case "fetch": // through the proxy, if there is one
		return fetch(where)
	case "unix":
		c, err := net.Dial("unix", where)
		if err == nil {
			c.Close()
		}
		return err
	case "unix datagram": // through a socket pair within one process
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
		if err == nil {
			err = syscall.Sendto(pair[0], []byte("x"), 0, &syscall.SockaddrUnix{Name: where})
		}
		return err
	case "pair":
		_, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		return err
	case "udp":
		c, err := net.Dial("udp", where)
		if err == nil {
			_, err = c.Write([]byte("x"))
			c.Close()
		}
		return err
	case "multipath":
		var d net.Dialer
		d.SetMultipathTCP(true)
		c, err := d.Dial("tcp", where)
		if err == nil {
			c.Close()
		}
		return err
	case "listen":
		var quiet net.ListenConfig
		quiet.SetMultipathTCP(false) // which Landlock does not check
		l, err := quiet.Listen(context.Background(), "tcp", where)
		if err == nil {
			l.Close()
		}
		return err
	}
	return tryMore(what, where)
}

// fetch requests an address through the proxy in the environment, even an address for which programs usually bypass a
// proxy.
func fetch(address string) error {
	named, err := url.Parse(os.Getenv("HTTP_PROXY"))
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	if named.Host != "" {
		transport.Proxy = http.ProxyURL(named)
	}
	answer, err := (&http.Client{Transport: transport}).Get(address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return nil
}
