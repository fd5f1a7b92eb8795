package remote

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// Whatever answers at the daemon's address, a command gets data or an error.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"success":true,"data":{"a":1}}`))
	f.Add([]byte(`{"success":false,"error":"no"}`))
	f.Add([]byte(`<html>`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var data any
		err := Decode(&http.Response{Status: "200 OK", Body: io.NopCloser(bytes.NewReader(raw))}, &data)
		if err == nil && !bytes.Contains(raw, []byte("{")) {
			t.Errorf("%q is an answer: %v", raw, data)
		}
	})
}
