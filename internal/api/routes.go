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

// routes is a mux that records its routes.
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

// lenient marks operations that ignore unknown query parameters.
const lenient = "x-ignores-unknown-parameters"

// strictly serves a documented route without huma and refuses undocumented query parameters. The
// document must contain the same method and path.
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
						fmt.Sprintf("there is no parameter %q here: /openapi.json lists the parameters of each request", name),
					)
					return
				}
			}
		}
		h(w, req)
	})
}

// strictQuery returns a huma middleware that refuses ambiguous queries.
func strictQuery(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		u := ctx.URL()
		if _, err := queryOf(u.RawQuery); err != nil {
			_ = huma.WriteErr(api, ctx, http.StatusBadRequest, err.Error()) // the client has left
			return
		}
		next(ctx)
	}
}

// repeatable are the parameters that may occur several times; their values are combined.
var repeatable = []string{"types"}

// queryOf parses a query in which every parameter occurs once. Other parsers drop a malformed pair
// or take one of two values, so that a filter is silently lost.
func queryOf(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fmt.Errorf("the query is not well encoded: %w; "+
			"separate parameters with &, and write other special characters as %%XX", err)
	}
	for name, values := range query {
		if len(values) > 1 && !slices.Contains(repeatable, name) {
			return nil, fmt.Errorf("the parameter %q appears %d times: give it once", name, len(values))
		}
		for _, text := range append([]string{name}, values...) {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
				return nil, fmt.Errorf("the parameter %q must be UTF-8 text without control characters", name)
			}
		}
	}
	return query, nil
}

// operations returns the documented operations by path and method.
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

// handler is the handler of the API, with the routes that it serves.
type handler struct {
	http.Handler
	all []*routes
}
