package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// strictJSON is the format of request bodies. It refuses duplicate keys, because another parser
// could use the other value.
var strictJSON = huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}

func unmarshal(raw []byte, v any) error {
	if err := checkJSON(raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// checkJSON returns what is wrong with a JSON value, and where.
func checkJSON(raw []byte) error {
	_, err := jsontext.NewDecoder(bytes.NewReader(raw)).ReadValue()
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("the member %s appears twice", e.JSONPointer)
	}
	return err
}

// methods are the HTTP methods that are tried.
var methods = []string{
	http.MethodGet,
	http.MethodHead,
	http.MethodPost,
	http.MethodPut,
	http.MethodPatch,
	http.MethodDelete,
}

// allowed returns the methods that a request's path supports.
func (r *routes) allowed(req *http.Request) []string {
	var out []string
	for _, method := range methods {
		other := *req
		other.Method = method
		if _, pattern := r.Handler(&other); strings.HasPrefix(pattern, method+" ") ||
			method == http.MethodHead && strings.HasPrefix(pattern, http.MethodGet+" ") {
			out = append(out, method)
		}
	}
	return out
}

// unserved answers a request without a matching route.
func (r *routes) unserved(w http.ResponseWriter, req *http.Request) {
	if allowed := r.allowed(req); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		fail(
			w,
			http.StatusMethodNotAllowed,
			fmt.Sprintf("%s does not support %s: use %s", req.URL.Path, req.Method, strings.Join(allowed, " or ")),
		)
		return
	}
	fail(w, http.StatusNotFound, "there is no "+req.URL.Path+": /openapi.json lists the paths that exist")
}

// others passes requests without a matching route in r to next, with any method.
func (r *routes) others(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if len(r.allowed(req)) > 0 {
			r.unserved(w, req)
			return
		}
		next.ServeHTTP(w, req)
	})
}
