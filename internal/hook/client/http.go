package client

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// The bounds of an answer, in bytes.
const (
	maxLine   = 8 << 10
	maxHeader = 100 // lines
	maxAnswer = 1 << 20
)

// output is what the daemon has the hook print, and the code to exit with.
type output struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit_code"`
}

// blocked is the exit code by which agents are told that a tool must not run, and
// the only one beside 0 that a daemon may ask for: what others mean differs.
const blocked = 2

// exchange sends the request and reads the answer. The payload has [headroom] bytes
// before it.
func exchange(conn *patience, o Options, payload []byte) (output, error) {
	if _, err := conn.Write(request(o, payload)); err != nil {
		return output{}, err
	}
	body, err := response(conn, conn.atWork)
	if err != nil {
		return output{}, err
	}
	return answer(body)
}

// request is the HTTP request for a payload. What the hook's command line knows
// goes into the address, so that the payload stays as the agent wrote it. What
// cannot change the answer is to be looked at after it (async). The request is made
// in the room before the payload: a copy costs as much as reading it did, since most
// of that is the system's work for memory that is new.
func request(o Options, payload []byte) []byte {
	target := "/api/v1/hooks/evaluate?async=true"
	if o.Agent != "" {
		target += "&agent=" + url.QueryEscape(o.Agent)
	}
	if o.Event != "" {
		target += "&event=" + url.QueryEscape(o.Event)
	}
	length := len(payload) - headroom
	head := "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nPrefer: processing\r\nPrefer: repeated-processing\r\nConnection: close\r\nContent-Length: " +
		strconv.Itoa(
			length,
		) + "\r\n\r\n"
	if len(head) > headroom { // of names that nobody has
		return append([]byte(head), payload[headroom:]...)
	}
	copy(payload[headroom-len(head):], head)
	return payload[headroom-len(head):]
}

// response reads an HTTP response with status 200 and returns its body. Of the
// ways to say where a body ends it knows the length, and the end of the stream. At
// work is called when the daemon says that it is.
func response(r io.Reader, atWork func()) ([]byte, error) {
	lines := bufio.NewReaderSize(r, maxLine)
	status, length, err := header(lines)
	for n := 0; err == nil && status == working && n < maxWorking; n++ {
		atWork()
		status, length, err = header(lines)
	}
	if err != nil {
		return nil, err
	}
	if status != "200" {
		return nil, errors.New("mcpproxy refused, with status " + strconv.Quote(status))
	}
	if length < 0 {
		length = maxAnswer + 1
		body, err := io.ReadAll(io.LimitReader(lines, int64(length)))
		if err == nil && len(body) == length {
			err = errors.New("the answer does not end")
		}
		return body, err
	}
	body := make([]byte, length)
	_, err = io.ReadFull(lines, body)
	return body, err
}

// working is the status by which the daemon says, before it answers, that it processes the event:
// at once, and then every second.
const working = "102"

// maxWorking bounds how often the daemon may say so.
const maxWorking = 1000

// header reads a response up to its body, of which it returns the length; -1 when
// that is not said.
func header(lines *bufio.Reader) (status string, length int, err error) {
	first, err := line(lines)
	if err != nil {
		return "", 0, err
	}
	version, rest, _ := strings.Cut(first, " ")
	if !strings.HasPrefix(version, "HTTP/1.") {
		return "", 0, errors.New("what answers does not speak HTTP")
	}
	status, _, _ = strings.Cut(rest, " ")
	length = -1
	for n := 0; ; n++ {
		l, err := line(lines)
		if err != nil || l == "" {
			return status, length, err
		}
		name, value, ok := strings.Cut(l, ":")
		switch value = strings.TrimSpace(value); {
		case !ok || n == maxHeader || strings.EqualFold(name, "Transfer-Encoding"):
			return "", 0, errors.New("the answer's header is not understood")
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > maxAnswer {
				return "", 0, errors.New("the answer's length makes no sense")
			}
		}
	}
}

// line reads one line of a header.
func line(r *bufio.Reader) (string, error) {
	b, err := r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// nothing is how the most frequent answer, which says nothing, begins and ends. It is
// told apart without a reader of JSON, which takes longer than all else that happens to
// an answer. What only looks like it comes to the same: nothing is said.
var nothing = [2]string{`{"success":true,`, `,"output":{"stdout":"","exit_code":0}}}`}

// answer takes the output out of the daemon's answer.
func answer(body []byte) (output, error) {
	s := string(body)
	if strings.HasPrefix(s, nothing[0]) && strings.HasSuffix(strings.TrimSuffix(s, "\n"), nothing[1]) {
		return output{}, nil
	}
	var envelope struct {
		Success bool `json:"success"`
		Data    *struct {
			Output *output `json:"output"`
		} `json:"data"`
	}
	err := json.Unmarshal(body, &envelope)
	if err != nil || !envelope.Success || envelope.Data == nil || envelope.Data.Output == nil {
		return output{}, errors.New("the answer is not understood")
	}
	o := *envelope.Data.Output
	if o.Exit != 0 && o.Exit != blocked {
		return output{}, errors.New("the answer names the exit code " + strconv.Itoa(o.Exit))
	}
	return o, nil
}
