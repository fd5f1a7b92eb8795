package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/hook/evaluate"
)

// Hooks answers the hooks of agents, and knows which agents have active hooks.
type Hooks interface {
	Evaluate(ctx context.Context, q evaluate.Question) evaluate.Answer
	// Refuse records an event that is not evaluated, with the reason.
	Refuse(q evaluate.Question, why string)
	Coverage(now time.Time) evaluate.Coverage
}

// maxPayload is the length of the largest hook payload that is read, in bytes.
const maxPayload = 16 << 20

// evaluate is POST /hooks/evaluate. It is served without huma, because payloads have the agents'
// formats, and every payload is answered with a decision.
func (s *server) evaluate(w http.ResponseWriter, r *http.Request) {
	params := r.URL.Query()
	q := evaluate.Question{
		Agent:     params.Get("agent"),
		Event:     params.Get("event"),
		Async:     params.Get("async") == "true",
		Principal: auth.Owner,
		Until:     time.Now().Add(evaluate.Patience),
		Work:      func() (end func()) { return gateway.Holding(r.Context()) },
	}
	stop := processing(w, r)
	a, err := s.judge(r, q)
	stop()
	if errors.Is(err, errGone) {
		slog.Warn(err.Error())
		s.Hooks.Refuse(q, err.Error())
		return
	}
	if err != nil {
		status, message, ok := gateway.BodyFailure(w, err)
		if !ok {
			status, message = http.StatusBadRequest, err.Error()
		}
		s.Hooks.Refuse(q, message)
		fail(w, status, message)
		return
	}
	out, err := json.Marshal(envelope[evaluate.Answer]{true, a})
	if err != nil {
		fail(w, http.StatusInternalServerError, "the answer could not be written")
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(out))) // the hook's client does not support chunked responses
	_, _ = w.Write(out)
}

// errGone is the reason recorded if the hook gave up before its event was evaluated.
var errGone = errors.New("the hook gave up before its event could be judged")

// judge evaluates q, whose payload is the body of r. It returns an error if the event is not
// evaluated.
func (s *server) judge(r *http.Request, q evaluate.Question) (evaluate.Answer, error) {
	var err error
	if q.Body, err = payload(r); err != nil {
		return evaluate.Answer{}, err
	}
	if len(q.Body) > maxPayload {
		q.Body, q.Cut = q.Body[:maxPayload], true
	}
	late := time.NewTimer(time.Until(q.Until))
	defer late.Stop()
	select {
	case s.evaluating <- struct{}{}:
		defer func() { <-s.evaluating }()
	case <-late.C: // the evaluator denies a call that comes so late; other events are evaluated without waiting
	case <-r.Context().Done():
		return evaluate.Answer{}, errGone
	}
	return s.Hooks.Evaluate(r.Context(), q), nil
}

// processing tells a hook that its event is being processed, if the hook has asked for such reports. It does so at
// once and, if the hook wants it, every second until stop is called. No other code may write to w meanwhile.
func processing(w http.ResponseWriter, r *http.Request) (stop func()) {
	prefers := r.Header.Values("Prefer")
	if slices.Contains(prefers, "processing") {
		w.WriteHeader(http.StatusProcessing)
	}
	if !slices.Contains(prefers, "repeated-processing") {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		every := time.NewTicker(time.Second)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				w.WriteHeader(http.StatusProcessing)
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// payload returns a request's body. Of a body longer than maxPayload, it returns one byte more than that.
func payload(r *http.Request) ([]byte, error) {
	var b bytes.Buffer
	if n := min(r.ContentLength, maxReserved); n > 0 {
		b.Grow(int(n) + bytes.MinRead) // avoids growing the buffer to detect the end of the body
	}
	if _, err := b.ReadFrom(io.LimitReader(r.Body, maxPayload+1)); err != nil {
		return nil, fmt.Errorf("the request ended before its payload did: %w", err)
	}
	return b.Bytes(), nil
}

// maxReserved is the largest buffer that is allocated before the payload has arrived, in bytes.
const maxReserved = 1 << 20

// describeHooks adds the endpoint to the document.
func (s *server) describeHooks(doc *huma.OpenAPI) {
	object := &huma.Schema{
		Type:                 "object",
		AdditionalProperties: true,
		Description:          "The agent's own payload; or event, session_id, tool_name, tool_input and tool_response; or agent, event and the agent's payload under raw",
	}
	text := &huma.Schema{Type: "string"}
	doc.AddOperation(&huma.Operation{
		OperationID: "evaluate-hook",
		Method:      http.MethodPost,
		Path:        "/api/v1/hooks/evaluate",
		Summary:     "Evaluate an event of an agent's hook",
		Extensions:  map[string]any{lenient: true}, // a newer hook must not fail because of a new parameter
		Parameters: []*huma.Param{
			{
				Name:        "agent",
				In:          "query",
				Schema:      text,
				Description: "The agent's name, such as claude-code; detected when absent",
			},
			{
				Name:        "event",
				In:          "query",
				Schema:      text,
				Description: "The event's name, when the payload has none",
			},
			{
				Name:        "async",
				In:          "query",
				Schema:      &huma.Schema{Type: "boolean"},
				Description: "Answer before inspecting events that cannot change the answer: events about a tool that has run, and large calls that nothing can stop",
			},
		},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: object}},
		},
		Responses: map[string]*huma.Response{"401": {Description: "No or a wrong key"},
			"200": {Description: "The decision", Content: map[string]*huma.MediaType{"application/json": {
				Schema: huma.SchemaFromType(doc.Components.Schemas, reflect.TypeFor[envelope[evaluate.Answer]]())}}}},
	})
}
