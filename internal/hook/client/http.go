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

// Limits of an answer, in bytes.
const (
	maxLine   = 8 << 10
	maxHeader = 100 // lines
	maxAnswer = 1 << 20
)

// output is what the hook must print, and the exit code.
type output struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit_code"`
}

// blocked is the exit code that tells agents that a tool must not run. Apart from 0 it is the only
// one that a daemon may ask for, because agents interpret other codes differently.
const blocked = 2

// exchange sends the request and reads the answer. The payload starts after [headroom] bytes.
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

// request builds the HTTP request for a payload. Facts from the hook's command line go into the
// URL, so that the payload stays unchanged. The parameter async says that an event which cannot
// change the answer may be inspected afterwards. The request's head is written into the space
// before the payload, because copying a large payload takes as long as reading it.
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
	if len(head) > headroom { // only with extremely long names
		return append([]byte(head), payload[headroom:]...)
	}
	copy(payload[headroom-len(head):], head)
	return payload[headroom-len(head):]
}

// response reads an HTTP response with status 200 and returns its body. The body's end is given by
// Content-Length or by the end of the stream. Response calls atWork when the daemon reports that it
// is working.
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
			err = errors.New("the answer is too long")
		}
		return body, err
	}
	body := make([]byte, length)
	_, err = io.ReadFull(lines, body)
	return body, err
}

// working is the interim status by which the daemon reports that it is processing the event: at
// once, and then every second.
const working = "102"

// maxWorking is the maximum number of responses with the status working before an answer.
const maxWorking = 1000

// header reads a response up to its body. It returns the length of the body, or -1 if the response does not contain
// it.
func header(lines *bufio.Reader) (status string, length int, err error) {
	first, err := line(lines)
	if err != nil {
		return "", 0, err
	}
	version, rest, _ := strings.Cut(first, " ")
	if !strings.HasPrefix(version, "HTTP/1.") {
		return "", 0, errors.New("the answer is not HTTP")
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
			return "", 0, errors.New("the answer's header is invalid")
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > maxAnswer {
				return "", 0, errors.New("the answer's Content-Length is invalid")
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

// nothing is the beginning and end of the most frequent answer, which has no output. It is compared
// as text, because parsing JSON takes longer than everything else about an answer. A false match is
// harmless: the client then prints nothing.
var nothing = [2]string{`{"success":true,`, `,"output":{"stdout":"","exit_code":0}}}`}

// answer reads the output from the daemon's answer.
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
		return output{}, errors.New("the answer is not in the expected form")
	}
	o := *envelope.Data.Output
	if o.Exit != 0 && o.Exit != blocked {
		return output{}, errors.New("the answer contains the unknown exit code " + strconv.Itoa(o.Exit))
	}
	return o, nil
}
