package api

import (
	"net/http"
	"strings"

	"mcpproxy/web"
)

// pagePolicy lets the page load only resources of this origin, and prevents text from being
// interpreted as markup or script.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// page serves the page's files. They contain no data and need no key.
func page() http.Handler {
	files := http.StripPrefix("/ui/", http.FileServerFS(web.Files()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			fail(w, http.StatusMethodNotAllowed, "the page supports only GET")
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		if strings.HasPrefix(r.URL.Path, "/ui/assets/") { // their names contain a hash of the content
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			if strings.HasSuffix(r.URL.Path, "/") {
				fail(w, http.StatusNotFound, "there is no list of the page's files")
				return
			}
		}
		files.ServeHTTP(w, r)
	})
}

// toPage redirects browsers from the root path to the page.
func toPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, "/ui/", http.StatusFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}
