package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// routes is a mux that knows what it serves.
type routes struct {
	*http.ServeMux
	patterns []string
}

func newRoutes() *routes { return &routes{ServeMux: http.NewServeMux()} }

// HandleFunc adds a route.
func (r *routes) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	r.patterns = append(r.patterns, pattern)
	r.ServeMux.HandleFunc(pattern, h)
}

// Handle adds a route.
func (r *routes) Handle(pattern string, h http.Handler) { r.HandleFunc(pattern, h.ServeHTTP) }

// lenient marks operations that ignore query parameters which they do not know.
const lenient = "x-ignores-unknown-parameters"

// strictly serves a route that is described in the document and not made by huma,
// and refuses query parameters that the document does not know. There must be a
// description under the same method and path.
func (r *routes) strictly(doc *huma.OpenAPI, pattern string, h http.HandlerFunc) {
	method, path, _ := strings.Cut(pattern, " ")
	op := operations(doc)[path][method]
	if op == nil {
		panic("the route " + pattern + " is not described")
	}
	known := map[string]bool{}
	for _, p := range op.Parameters {
		known[p.Name] = p.In == "query"
	}
	r.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		if op.Extensions[lenient] == nil {
			for name := range req.URL.Query() {
				if !known[name] {
					fail(w, http.StatusBadRequest, fmt.Sprintf("there is no parameter %q here: /openapi.json lists those that there are", name))
					return
				}
			}
		}
		h(w, req)
	})
}

// operations are what a document describes, by path and method.
func operations(doc *huma.OpenAPI) map[string]map[string]*huma.Operation {
	out := map[string]map[string]*huma.Operation{}
	for path, item := range doc.Paths {
		out[path] = map[string]*huma.Operation{}
		for method, op := range map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post,
			http.MethodPut: item.Put, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete} {
			if op != nil {
				out[path][method] = op
			}
		}
	}
	return out
}

// handler is the API's, which knows its routes.
type handler struct {
	http.Handler
	all []*routes
}
