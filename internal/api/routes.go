package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
			query, err := queryOf(req.URL.RawQuery)
			if err != nil {
				fail(w, http.StatusBadRequest, err.Error())
				return
			}
			for name := range query {
				if !known[name] {
					fail(
						w,
						http.StatusBadRequest,
						fmt.Sprintf("there is no parameter %q here: /openapi.json lists those that there are", name),
					)
					return
				}
			}
		}
		h(w, req)
	})
}

// strictQuery is huma's middleware: it refuses a query that could be read in two ways.
func strictQuery(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		u := ctx.URL()
		if _, err := queryOf(u.RawQuery); err != nil {
			_ = huma.WriteErr(api, ctx, http.StatusBadRequest, err.Error()) // fails when the client has left
			return
		}
		next(ctx)
	}
}

// repeatable are the parameters that may stand more than once: each adds to the others.
var repeatable = []string{"types"}

// queryOf reads a query in which every parameter stands once. Other readers drop a pair that
// is not well encoded and take one of two values, so that a filter is lost in silence.
func queryOf(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fmt.Errorf("the query is not well encoded: %w; "+
			"separate parameters with &, and write other special characters as %%XX", err)
	}
	for name, values := range query {
		if len(values) > 1 && !slices.Contains(repeatable, name) {
			return nil, fmt.Errorf("the parameter %q stands %d times: give it once", name, len(values))
		}
		for _, text := range append([]string{name}, values...) {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
				return nil, fmt.Errorf("the parameter %q must be UTF-8 text without control characters", name)
			}
		}
	}
	return query, nil
}

// operations are what a document describes, by path and method.
func operations(doc *huma.OpenAPI) map[string]map[string]*huma.Operation {
	out := map[string]map[string]*huma.Operation{}
	for path, item := range doc.Paths {
		out[path] = map[string]*huma.Operation{}
		for method, op := range map[string]*huma.Operation{
			http.MethodGet:    item.Get,
			http.MethodPost:   item.Post,
			http.MethodPut:    item.Put,
			http.MethodPatch:  item.Patch,
			http.MethodDelete: item.Delete,
		} {
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
