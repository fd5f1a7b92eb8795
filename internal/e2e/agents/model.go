package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Step is the next response of the model: a tool call, or the final text.
type Step struct {
	Tool  string // "" for the final text; NAMESPACE/NAME in the Responses API
	Input any    // the tool's arguments
	Text  string
	Wait  func() // called before the response is sent; may be nil
}

// arguments returns the tool's arguments as JSON text.
func (s Step) arguments() string {
	raw, err := json.Marshal(s.Input)
	if err != nil {
		panic("agents: " + err.Error())
	}
	return string(raw)
}

// Model is a scripted model, as an HTTP handler. It determines the position in the script from the number of tool
// results in a request.
type Model struct {
	Script []Step

	mu      sync.Mutex
	answers []string // tool results as they were sent, in order
}

// Answers returns the tool results that the agent has sent, unchanged.
func (m *Model) Answers() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.answers...)
}

// next returns the step after these tool results. A request that offers no tools does not advance the script; its
// response is a short text.
func (m *Model) next(results []string, tools int) Step {
	if tools == 0 {
		return Step{Text: "ok"}
	}
	m.mu.Lock()
	if len(results) > len(m.answers) {
		m.answers = results
	}
	m.mu.Unlock()
	s := m.Script[min(len(results), len(m.Script)-1)]
	if s.Wait != nil {
		s.Wait()
	}
	return s
}

// ServeHTTP implements [http.Handler] for the known wire formats.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.Contains(r.URL.Path, "count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages"):
		m.messages(w, r)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/responses"):
		m.responses(w, r)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		m.chat(w, r)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "enerateContent"):
		m.generate(w, r)
	case r.Method == http.MethodHead:
	default:
		http.Error(w, `{"error":{"type":"not_found_error","message":"not scripted"}}`, http.StatusNotFound)
	}
}

// events writes server-sent events.
type events struct{ w http.ResponseWriter }

func stream(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	return events{w}
}

// send writes one event; kind is "" in formats whose events have no names.
func (e events) send(kind string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic("agents: " + err.Error())
	}
	if kind != "" {
		fmt.Fprintf(e.w, "event: %s\n", kind)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", raw)
}

type object = map[string]any
