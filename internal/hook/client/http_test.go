package client

import (
	"bytes"
	"strings"
	"testing"
)

// Whatever a daemon answers, the hook ends, prints only what the daemon sent, and uses one of two exit codes.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 66\r\n\r\n{\"success\":true,\"data\":{\"output\":{\"stdout\":\"x\",\"exit_code\":2}}}\r\n",
		"HTTP/1.1 200 OK\n\n{\"success\":true,\"data\":{\"output\":{}}}",
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
		"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}", "HTTP/1.1 102\r\n\r\nHTTP/1.1 102\r\n\r\n",
		"HTTP/1.1 200\r\n: \r\n\r\n", "HTTP/1.1 403 No\r\n\r\n", "", "\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		body, err := response(bytes.NewReader(said), func() {})
		if err != nil {
			return
		}
		if !bytes.Contains(said, body) || !strings.Contains(string(said), "200") {
			t.Fatalf("read %q", body)
		}
		if o, err := answer(body); err == nil && o.Exit != 0 && o.Exit != blocked {
			t.Errorf("the exit code is %d", o.Exit)
		}
	})
}
