package replica

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestNoByteOfAnAnswerGoesOutBeforeItsStateIsWritten(t *testing.T) {
	var w *httptest.ResponseRecorder
	commits := 0
	begin := func(result error) *fenced {
		w = httptest.NewRecorder()
		return &fenced{ResponseWriter: w, commit: func() error {
			commits++
			if got := w.Body.String(); strings.Contains(got, "secret") {
				t.Errorf("%q went out before the state was written", got)
			}
			return result
		}}
	}
	f := begin(nil)
	if _, err := f.Write([]byte("the secret")); err != nil || w.Body.String() != "the secret" || commits != 1 {
		t.Errorf("wrote %q after %d commits, %v", w.Body, commits, err)
	}

	f = begin(errors.New("the store is gone"))
	f.Header().Set("Mcp-Session-Id", "a session that nobody keeps")
	f.WriteHeader(http.StatusOK)
	if _, err := f.Write([]byte("the secret")); err == nil {
		t.Error("a write succeeded without the store")
	}
	if err := f.FlushError(); err == nil {
		t.Error("a flush succeeded without the store")
	}
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "secret") ||
		w.Header().Get("Mcp-Session-Id") != "" {
		t.Errorf("the answer is %d %q %v", w.Code, w.Body, w.Header())
	}
}

func TestEveryPartOfAStreamWaitsForItsState(t *testing.T) {
	w := httptest.NewRecorder()
	var lost error
	f := &fenced{ResponseWriter: w, commit: func() error { return lost }}
	if err := f.FlushError(); err != nil { // the response is a stream that has begun
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("first")); err != nil {
		t.Fatal(err)
	}
	lost = errors.New("another replica serves this caller")
	if _, err := f.Write([]byte("second")); err == nil {
		t.Error("a part was written without the store")
	}
	lost = nil
	if _, err := f.Write([]byte("third")); err == nil {
		t.Error("a stream went on after a part that was withheld")
	}
	if got := w.Body.String(); got != "first" {
		t.Errorf("the agent got %q", got)
	}
}
