package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/token"
)

// openAPI is the part of the document that the tests use.
type openAPI struct {
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]any }

	resolved map[string]*jsonschema.Resolved // resolved schemas, by their JSON
}

type operation struct {
	ID         string `json:"operationId"`
	Summary    string
	Security   []map[string][]string
	Lenient    bool `json:"x-ignores-unknown-parameters"`
	Parameters []parameter
	Body       *struct {
		Content map[string]media
	} `json:"requestBody"`
	Responses map[string]struct {
		Description string
		Content     map[string]media
	}
}

type parameter struct {
	Name, In string
	Schema   map[string]any
	Example  any
}

type media struct {
	Schema, Example any
}

// read reads the document as a client gets it.
func (r *rig) read() openAPI {
	r.t.Helper()
	d := openAPI{resolved: map[string]*jsonschema.Resolved{}}
	a := r.ask("/openapi.json", map[string]string{"X-API-Key": ""})
	if err := json.Unmarshal([]byte(a.body), &d); err != nil || a.status != http.StatusOK || len(d.Paths) < 20 {
		r.t.Fatalf("status %d, %v: %d paths", a.status, err, len(d.Paths))
	}
	return d
}

// valid checks a value against a schema of the document.
func (d openAPI) valid(t *testing.T, what string, schema any, value []byte) {
	t.Helper()
	key, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	resolved := d.resolved[string(key)]
	if resolved == nil {
		raw, err := json.Marshal(map[string]any{"$defs": d.Components.Schemas, "allOf": []any{schema}})
		if err != nil {
			t.Fatal(err)
		}
		raw = bytes.ReplaceAll(raw, []byte(`"#/components/schemas/`), []byte(`"#/$defs/`))
		var s jsonschema.Schema
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatalf("%s: its schema is none: %v", what, err)
		}
		if resolved, err = s.Resolve(nil); err != nil {
			t.Fatalf("%s: its schema cannot be resolved: %v", what, err)
		}
		d.resolved[string(key)] = resolved
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		t.Errorf("%s is no JSON: %v: %.300s", what, err, value)
		return
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s is not what the document says: %v\n%.600s", what, err, value)
	}
}

// url returns the path of an operation with its examples, without query.
func (o *operation) url(t *testing.T, path string) string {
	t.Helper()
	for _, p := range o.Parameters {
		if p.In != "path" {
			continue
		}
		if p.Example == nil {
			t.Fatalf("the parameter %s of the path has no example: add it to parameters", p.Name)
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(fmt.Sprint(p.Example)))
	}
	return path
}

// public reports whether an operation needs no key. It also checks that the operation accepts a request with a key.
func (o *operation) public() (public, asks bool) {
	return len(o.Security) > 0 && len(o.Security[0]) == 0, len(o.Security) != 1
}

// body returns the example of the request body.
func (o *operation) body(t *testing.T) []byte {
	t.Helper()
	if o.Body == nil {
		return nil
	}
	media, ok := o.Body.Content["application/json"]
	if !ok || media.Example == nil {
		t.Fatalf("the body of %s has no example: add one to examples", o.ID)
	}
	raw, err := json.Marshal(media.Example)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// questionID is the id of the open question in the examples.
const questionID = "01JQ8Z3M5K7N9P2R4T6V8X0Y1C"

// ruleID is the id of the permanent approval in the examples.
const ruleID = "01JQ8Z3M5K7N9P2R4T6V8X0Y1D"

// request makes a request and returns the answer. Of a stream, it reads only the beginning. In path and body, it
// replaces the ids of the examples with the ids of the rig's question and permanent approval.
func (r *rig) request(method, path string, body []byte, header map[string]string) answer {
	r.t.Helper()
	if waiting := r.desk.Pending(); len(waiting) > 0 {
		path = strings.ReplaceAll(path, questionID, waiting[0].ID)
		body = bytes.ReplaceAll(body, []byte(questionID), []byte(waiting[0].ID))
	}
	if kept := r.kept.Rules(); len(kept) > 0 {
		path = strings.ReplaceAll(path, ruleID, kept[0].ID)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), strings.ToUpper(method), r.url+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range header {
		if v == "" {
			req.Header.Del(k)
		} else {
			req.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var got []byte
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		buf := make([]byte, 4096)
		n, _ := resp.Body.Read(buf)
		got = buf[:n]
	} else if got, err = io.ReadAll(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(got)}
}

// documented returns a rig that contains everything that the examples name.
func documented(t *testing.T) *rig {
	t.Helper()
	records := some()
	asked := *records[1]
	asked.ID = "01JQ8Z3M5K7N9P2R4T6V8X0Y1A" // parameters["id"]
	asked.Metadata.Boundary = &mcpproxy.Boundary{Principal: "ci", Tool: "post_message", Rules: []string{"r"}}
	r := newRig(t, append(records, &asked)...)
	r.waits(`{"text":"[masked]"}`)
	if _, err := r.kept.Keep(*asked.Metadata.Boundary, asked.ID, "owner"); err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]token.Role{"ci": token.Agent, "eve": token.Auditor} { // ci: examples()
		plain, _, err := r.tokens.Create(token.Spec{Name: name, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		if role == token.Agent {
			r.agent = plain
		} else {
			r.auditor = plain
		}
	}
	return r
}

// operations calls f with every operation, all of them on one rig. If fresh is set, each operation other than GET gets
// a new rig.
func operations(t *testing.T, fresh bool, f func(t *testing.T, r *rig, d openAPI, method, path string, o *operation)) {
	shared := documented(t)
	d := shared.read()
	for path, methods := range d.Paths {
		for method, o := range methods {
			t.Run(strings.ToUpper(method)+" "+path, func(t *testing.T) {
				r := shared
				if fresh && method != "get" {
					r = documented(t)
				}
				f(t, r, d, method, path, o)
			})
		}
	}
}

// otherForms are addresses that serve the document itself in other formats. The document need not describe them.
var otherForms = []string{"GET /openapi.yaml", "GET /openapi-3.0.json", "GET /openapi-3.0.yaml"}

func TestEveryRouteIsInTheDocumentAndTheReverse(t *testing.T) {
	r := documented(t)
	described := map[string]bool{}
	for path, methods := range r.read().Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, pattern := range api.Patterns(r.api) {
		if !described[pattern] && !slices.Contains(otherForms, pattern) {
			t.Errorf(
				"%s is served and not described: register it with huma, or describe it and serve it with strictly",
				pattern,
			)
		}
	}
	for pattern := range described {
		if !slices.Contains(api.Patterns(r.api), pattern) {
			t.Errorf("%s is described and not served", pattern)
		}
	}
}

func TestTheDocumentSaysHowToSendAKey(t *testing.T) {
	a := documented(t).ask("/openapi.json", map[string]string{"X-API-Key": ""})
	for _, want := range []string{`"securitySchemes"`, `"X-API-Key"`, `"bearer"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("it does not name %s", want)
		}
	}
}

func TestEveryOperationAnswersAsTheDocumentSays(t *testing.T) {
	operations(t, true, func(t *testing.T, r *rig, d openAPI, method, path string, o *operation) {
		if o.ID == "" || o.Summary == "" {
			t.Error("it has no id or no summary")
		}
		a := r.request(method, o.url(t, path), o.body(t), nil)
		want, ok := o.Responses["200"]
		if a.status != http.StatusOK || !ok {
			t.Fatalf("it answers %d: %.500s", a.status, a.body)
		}
		kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
		media, ok := want.Content[kind]
		if !ok {
			t.Fatalf("it answers with %q, which the document does not know", kind)
		}
		if kind == "application/json" {
			d.valid(t, "the answer", media.Schema, []byte(a.body))
		}
		if media.Example == nil {
			t.Fatalf("its answer has no example: add one for %q to examples", o.ID)
		}
		example, err := json.Marshal(media.Example)
		if err != nil {
			t.Fatal(err)
		}
		if media.Schema != nil {
			d.valid(t, "the example", media.Schema, example)
		}
	})
}

func TestEveryParameterHasAnExampleThatWorks(t *testing.T) {
	operations(t, false, func(t *testing.T, r *rig, _ openAPI, method, path string, o *operation) {
		for _, p := range o.Parameters {
			if p.Example == nil {
				t.Errorf("the parameter %s has no example: add it to parameters", p.Name)
				continue
			}
			if p.In != "query" {
				continue
			}
			if method != "get" {
				r = documented(t)
			}
			target := o.url(t, path) + "?" + url.Values{p.Name: {fmt.Sprint(p.Example)}}.Encode()
			if a := r.request(method, target, o.body(t), nil); a.status != http.StatusOK {
				t.Errorf("%s answers %d: %.300s", target, a.status, a.body)
			}
		}
	})
}

// malformed returns a value that a parameter cannot have; "" if every text is allowed.
func malformed(p parameter) string {
	switch {
	case p.Schema["enum"] != nil, p.Schema["pattern"] != nil, p.Schema["format"] != nil:
		return "no-such-value"
	case p.Schema["type"] == "integer", p.Schema["type"] == "number":
		return "x"
	case p.Schema["type"] == "boolean":
		return "perhaps"
	}
	return ""
}

func TestMalformedAndUnknownParametersAreRefused(t *testing.T) {
	checked := 0
	operations(t, false, func(t *testing.T, r *rig, d openAPI, method, path string, o *operation) {
		refused := func(target string) {
			t.Helper()
			a := r.request(method, target, o.body(t), nil)
			if a.status != http.StatusBadRequest {
				t.Errorf("%s answers %d: %.300s", target, a.status, a.body)
				return
			}
			checked++
			a.failure(t)
			d.valid(t, "the failure", o.Responses["400"].Content["application/json"].Schema, []byte(a.body))
		}
		if o.Lenient {
			a := r.request(method, o.url(t, path)+"?no_such_parameter=1", o.body(t), nil)
			if a.status != http.StatusOK {
				t.Errorf("it says that it ignores what it does not know, and answers %d", a.status)
			}
			return
		}
		refused(o.url(t, path) + "?no_such_parameter=1")
		for _, p := range o.Parameters {
			wrong := malformed(p)
			if wrong == "" {
				continue
			}
			if p.In == "query" {
				refused(o.url(t, path) + "?" + url.Values{p.Name: {wrong}}.Encode())
			} else if p.In == "path" {
				refused(strings.ReplaceAll(path, "{"+p.Name+"}", wrong))
			}
		}
		if o.Body != nil {
			for _, body := range []string{`{`, `[]`, `{"no_such_member":1}`} {
				if a := r.request(method, o.url(t, path), []byte(body), nil); a.status != http.StatusBadRequest {
					t.Errorf("the body %s answers %d: %.300s", body, a.status, a.body)
				}
			}
		}
	})
	if checked < 60 {
		t.Errorf("only %d refusals were seen", checked)
	}
}

// If a path names something that does not exist, the answer is a 404 that names it.
func TestTheErrorNamesWhatDoesNotExist(t *testing.T) {
	operations(t, false, func(t *testing.T, r *rig, d openAPI, method, path string, o *operation) {
		for _, p := range o.Parameters {
			if p.In != "path" || malformed(p) != "" {
				continue
			}
			a := r.request(method, o.url(t, strings.ReplaceAll(path, "{"+p.Name+"}", "ghost")), o.body(t), nil)
			if a.status != http.StatusNotFound || !strings.Contains(a.body, "ghost") {
				t.Errorf("without its %s it answers %d: %.300s", p.Name, a.status, a.body)
				continue
			}
			d.valid(t, "the failure", o.Responses["404"].Content["application/json"].Schema, []byte(a.body))
		}
	})
}
