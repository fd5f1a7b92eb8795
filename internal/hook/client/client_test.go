package client_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/hook/client"
)

// serve answers every connection to a socket with a function, and returns the socket's path.
func serve(t *testing.T, answer func(conn net.Conn)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				answer(conn)
			})
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
	return path
}

// received reads a whole request.
func received(conn net.Conn) string {
	lines := bufio.NewReader(conn)
	var head strings.Builder
	length := 0
	for {
		l, err := lines.ReadString('\n')
		head.WriteString(l)
		if _, n, ok := strings.Cut(l, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(n))
		}
		if err != nil || l == "\r\n" {
			break
		}
	}
	body := make([]byte, length)
	_, _ = io.ReadFull(lines, body)
	return head.String() + string(body)
}

// says returns a daemon that gives the same answer to every request.
func says(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		received(conn)
		_, _ = io.WriteString(conn, answer)
	}
}

// ok returns a complete answer with this body.
func ok(body string) string {
	return fmt.Sprintf(
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(body),
		body,
	)
}

const deny = `{"success":true,"data":{"decision":"deny","output":{"stdout":"{\"no\":1}\n","exit_code":0}}}`

// run runs the hook, and returns its output and its exit code.
func run(o client.Options, payload string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = client.Run(o, strings.NewReader(payload), &out, &errs)
	return out.String(), errs.String(), code
}

func TestTheDaemonsAnswerIsPrinted(t *testing.T) {
	for name, c := range map[string]struct {
		answer         string
		stdout, stderr string
		code           int
	}{
		"what it says on standard output":       {ok(deny), "{\"no\":1}\n", "", 0},
		"nothing, when it has no objection":     {ok(`{"success":true,"data":{"output":{"stdout":"","exit_code":0}}}`), "", "", 0},
		"a reason on standard error, with 2":    {ok(`{"success":true,"data":{"output":{"stdout":"","stderr":"no\n","exit_code":2}}}`), "", "no\n", 2},
		"once it has said that it works":        {"HTTP/1.1 102 Processing\r\n\r\n" + ok(deny), "{\"no\":1}\n", "", 0},
		"once it has said so again":             {strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 30) + ok(deny), "{\"no\":1}\n", "", 0},
		"up to the end of the stream":           {"HTTP/1.1 200 OK\r\n\r\n" + deny, "{\"no\":1}\n", "", 0},
		"whatever the case of the header names": {fmt.Sprintf("HTTP/1.0 200\r\ncontent-length:%d\r\n\r\n%s", len(deny), deny), "{\"no\":1}\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(client.Options{Socket: serve(t, says(c.answer)), Deadline: time.Minute}, "{}")
			if stdout != c.stdout || stderr != c.stderr || code != c.code {
				t.Errorf("printed %q and %q, code %d", stdout, stderr, code)
			}
		})
	}
}

// Shows: FR-044, SC-002.
func TestWithoutAnAnswerTheAgentContinues(t *testing.T) {
	daemons := map[string]func(net.Conn){
		"nothing listens":                nil,
		"it hangs up":                    func(net.Conn) {},
		"it hangs up once it has read":   says(""),
		"it never answers":               func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) },
		"it says for ever that it works": says(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 2000) + ok(deny)),
		"it stops in the middle": func(conn net.Conn) {
			received(conn)
			_, _ = io.WriteString(conn, ok(deny)[:60])
			_, _ = io.Copy(io.Discard, conn)
		},
		"it refuses":                 says("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}"),
		"it fails":                   says("HTTP/1.1 500 Oh\r\n\r\n" + deny),
		"it speaks something else":   says("+PONG\r\n"),
		"it answers another version": says("HTTP/2 200\r\n\r\n" + deny),
		"its body is cut short":      says("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + deny),
		"its body is endless":        says("HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat(" ", 2<<20)),
		"its length makes no sense":  says("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + deny),
		"it claims to be chunked":    says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
		"its header is endless": says(
			"HTTP/1.1 200 OK\r\n" + strings.Repeat("a: b\r\n", 1000) + "\r\n" + deny,
		),
		"its header has an endless line": says(
			"HTTP/1.1 200 OK\r\na: " + strings.Repeat("b", 1<<16) + "\r\n\r\n" + deny,
		),
		"its body is no JSON": says(ok("no")),
		"it answers null":     says(ok("null")),
		"it has no data":      says(ok(`{"success":true}`)),
		"it has no output":    says(ok(`{"success":true,"data":{"decision":"deny"}}`)),
		"it did not succeed": says(
			ok(`{"success":false,"data":{"output":{"stdout":"x","exit_code":2}}}`),
		),
		"it names an unusual exit code": says(
			ok(`{"success":true,"data":{"output":{"stdout":"x","exit_code":1}}}`),
		),
		"it names what is no exit code": says(
			ok(`{"success":true,"data":{"output":{"stdout":"x","exit_code":"2"}}}`),
		),
		"it prints what is no text": says(ok(`{"success":true,"data":{"output":{"stdout":{},"exit_code":0}}}`)),
		"it names an enormous exit code": says(
			ok(`{"success":true,"data":{"output":{"exit_code":99999999999999999999}}}`),
		),
		"it answers with a list":            says(ok(`[]`)),
		"it repeats itself, and has a tail": says(ok(deny + deny)),
	}
	for name, daemon := range daemons {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "none")
			if daemon != nil {
				socket = serve(t, daemon)
			}
			if stdout, stderr, code := run(client.Options{Socket: socket}, "{}"); stdout+stderr != "" || code != 0 {
				t.Errorf("printed %q and %q, code %d", stdout, stderr, code)
			}
			stdout, stderr, code := run(client.Options{Socket: socket, Verbose: true}, "{}")
			if stdout != "" || code != 0 || strings.Count(stderr, "\n") != 1 ||
				!strings.HasPrefix(stderr, "mcpproxy-hook: ") {
				t.Errorf("with --verbose: printed %q and %q, code %d", stdout, stderr, code)
			}
		})
	}
}

// If the daemon reports that it is working, the hook waits beyond the deadline.
func TestTheHookWaitsForADaemonThatReportsWork(t *testing.T) {
	socket := serve(t, func(conn net.Conn) {
		received(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 102 Processing\r\n\r\n")
		time.Sleep(time.Second)
		_, _ = io.WriteString(conn, ok(deny))
	})
	stdout, stderr, _ := run(client.Options{Socket: socket, Verbose: true, Deadline: time.Second / 2}, "{}")
	if stdout == "" {
		t.Errorf("it was given up: %s", stderr)
	}
}

func TestThePayloadIsSentUnchanged(t *testing.T) {
	for name, payload := range map[string]string{
		"JSON":             `{"tool_name": "Read",  "x":1e400}`,
		"what is no JSON":  "\xff\x00{{{",
		"nothing":          "",
		"a large payload":  strings.Repeat("x", 300_000),
		"the largest":      strings.Repeat("y", client.MaxPayload),
		"header-like text": "\r\n\r\nHTTP/1.1 200 OK\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			socket := serve(t, func(conn net.Conn) {
				got <- received(conn)
				_, _ = io.WriteString(conn, ok(deny))
			})
			stdout, _, _ := run(client.Options{
				Socket:   socket,
				Agent:    "claude-code",
				Event:    "a b&c\r\n",
				Deadline: time.Minute,
			}, payload)
			if stdout == "" {
				t.Error("the answer was not printed")
			}
			head, body, _ := strings.Cut(<-got, "\r\n\r\n")
			if body != payload {
				t.Errorf("%d bytes arrived of %d", len(body), len(payload))
			}
			first, _, _ := strings.Cut(head, "\r\n")
			if first != "POST /api/v1/hooks/evaluate?async=true&agent=claude-code&event=a+b%26c%0D%0A HTTP/1.1" {
				t.Errorf("the request was %q", first)
			}
		})
	}
}

// tardy is a standard input that ends when an event has occurred.
type tardy struct{ when <-chan struct{} }

func (r tardy) Read([]byte) (int, error) { <-r.when; return 0, io.EOF }

func TestTheDaemonIsCalledWhileThePayloadIsRead(t *testing.T) {
	called := make(chan struct{})
	socket := serve(t, func(conn net.Conn) {
		close(called)
		received(conn)
		_, _ = io.WriteString(conn, ok(deny))
	})
	var out, errs bytes.Buffer
	if client.Run(
		client.Options{Socket: socket, Verbose: true, Deadline: time.Minute},
		tardy{called},
		&out,
		&errs,
	); out.Len() == 0 {
		t.Error(errs.String())
	}
}

// The daemon decides about a payload that is too large. Otherwise, with security.hooks.fail_open false, a long call
// could avoid a decision.
func TestAPayloadThatIsTooLargeIsAnsweredAllTheSame(t *testing.T) {
	got := make(chan string, 1)
	socket := serve(t, func(conn net.Conn) {
		got <- received(conn)
		_, _ = io.WriteString(conn, ok(deny))
	})
	stdin := strings.NewReader(strings.Repeat("x", client.MaxPayload+1<<20))
	var out, errs bytes.Buffer
	code := client.Run(client.Options{Socket: socket, Verbose: true, Deadline: time.Minute}, stdin, &out, &errs)
	if out.String() != "{\"no\":1}\n" || code != 0 {
		t.Errorf("printed %q and %q, code %d", out.String(), errs.String(), code)
	}
	if _, body, _ := strings.Cut(<-got, "\r\n\r\n"); len(body) != client.MaxPayload+1 {
		t.Errorf("%d bytes were sent", len(body))
	}
}

func TestCommandLine(t *testing.T) {
	env := map[string]string{"HOME": "/home/ann"}
	for line, c := range map[string]struct {
		want    client.Options
		unknown []string
	}{
		"":                                       {client.Options{}, nil},
		"--agent codex --event PreToolUse":       {client.Options{Agent: "codex", Event: "PreToolUse"}, nil},
		"--agent=codex --event=Stop --socket=/s": {client.Options{Agent: "codex", Event: "Stop", Socket: "/s"}, nil},
		"--verbose --event":                      {client.Options{Verbose: true}, []string{"--event"}},
		"--colour always --agent goose":          {client.Options{Agent: "goose"}, []string{"--colour", "always"}},
		"--help":                                 {client.Options{Help: true}, nil},
		"-h --agent a":                           {client.Options{Help: true, Agent: "a"}, nil},
		"--verbose=false --event PostToolUse agent": {client.Options{Event: "PostToolUse"}, []string{"agent"}},
	} {
		t.Run(line, func(t *testing.T) {
			got, unknown := client.Parse(strings.Fields(line), func(name string) string { return env[name] })
			if c.want.Socket == "" {
				c.want.Socket = "/home/ann/.mcpproxy/mcpproxy.sock"
			}
			if diff := cmp.Diff(c.want, got); diff != "" || !slices.Equal(unknown, c.unknown) {
				t.Errorf("%s unknown: %q", diff, unknown)
			}
		})
	}
	o, _ := client.Parse(nil, func(name string) string { return "/env/" + name })
	if o.Socket != "/env/MCPPROXY_SOCKET" {
		t.Errorf("the socket is %s", o.Socket)
	}
}

func TestTwoHundredAtOnceAreAllAnswered(t *testing.T) {
	socket := serve(t, func(conn net.Conn) {
		_, body, _ := strings.Cut(received(conn), "\r\n\r\n")
		_, _ = io.WriteString(
			conn,
			ok(fmt.Sprintf(`{"success":true,"data":{"output":{"stdout":%q,"exit_code":0}}}`, body)),
		)
	})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			want := fmt.Sprintf("call %d %s", i, strings.Repeat("x", 10_000))
			stdout, stderr, _ := run(client.Options{Socket: socket, Verbose: true, Deadline: time.Minute}, want)
			if stdout != want {
				t.Errorf("call %d: %.20q %q", i, stdout, stderr)
			}
		})
	}
	wg.Wait()
}

// The imports of the hook determine its size and how fast it starts.
// Shows: FR-044.
func TestTheHookNeedsLittle(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{join .Imports \" \"}}", "mcpproxy/internal/hook/client", "mcpproxy/cmd/mcpproxy-hook").
		Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "bufio encoding/json errors io net net/url os strconv strings syscall time\nmcpproxy/internal/hook/client os\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}
