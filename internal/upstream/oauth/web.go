package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	strict "github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"mcpproxy"
	"mcpproxy/internal/upstream"
)

const (
	// requestTimeout is the timeout of one request to an authorization server.
	requestTimeout = 30 * time.Second
	// maxDocument is the maximum size of an answer that is read, in bytes.
	maxDocument = 256 << 10
	// maxWords is the maximum length of an authorization server's text that is quoted.
	maxWords = 300
)

// newClient returns the HTTP client for requests to addresses that a server names.
func newClient(spec upstream.Spec, r *reach) *http.Client {
	return &http.Client{
		Transport:     upstream.SideRequests(spec, r.vet),
		Timeout:       requestTimeout,
		CheckRedirect: sameOriginGet,
	}
}

// sameOriginGet follows a few redirects of GET requests within one origin. Requests that carry a
// code or a token are never redirected.
func sameOriginGet(r *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || r.Method != http.MethodGet || r.URL.Host != first.URL.Host ||
		r.URL.Scheme != first.URL.Scheme ||
		len(via) > 3 {
		return fmt.Errorf("refusing a redirect to %s", r.URL.Host)
	}
	return nil
}

// checkEndpoint returns an error unless a secret may be sent to an address.
func checkEndpoint(what, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("the %s %q is not a usable address: it must be an absolute https URL without a user and without a fragment", what, clean(address))
	case u.Scheme != "https" && !(u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname())):
		return fmt.Errorf(
			"the %s %s is not encrypted: only https is used, except on this machine",
			what,
			clean(address),
		)
	}
	return nil
}

// getDocument reads a JSON document into out. Found is false if there is none.
func getDocument(ctx context.Context, client *http.Client, address string, out any) (found bool, err error) {
	if err := checkEndpoint("address", address); err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 400 && resp.StatusCode < 500:
		return false, nil
	case resp.StatusCode != http.StatusOK:
		return false, fmt.Errorf("%s answered with HTTP status %d", address, resp.StatusCode)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "application/json" {
		return false, fmt.Errorf("the answer of %s is not JSON", address)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return false, err
	}
	if len(raw) > maxDocument {
		return false, fmt.Errorf("the answer of %s is larger than %d KB", address, maxDocument>>10)
	}
	if err := strict.Unmarshal(raw, out); err != nil {
		return false, fmt.Errorf("the answer of %s is not a valid document", address)
	}
	return true, nil
}

// post sends a form to an endpoint as the client of a grant, and returns the status.
func post(ctx context.Context, client *http.Client, endpoint string, id identity, form url.Values) (int, error) {
	if id.method != Basic {
		form.Set("client_id", id.id)
		if id.secret != "" {
			form.Set("client_secret", id.secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if id.method == Basic {
		req.SetBasicAuth(url.QueryEscape(id.id), url.QueryEscape(id.secret))
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxDocument)
	return resp.StatusCode, nil
}

// clean prepares a text of a server for display: it removes secrets and control characters, and
// shortens it.
func clean(words string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) > 3 {
			words = strings.ReplaceAll(words, s, "[masked]")
			words = strings.ReplaceAll(words, url.QueryEscape(s), "[masked]")
		}
	}
	words = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, words)
	if r := []rune(words); len(r) > maxWords {
		words = string(r[:maxWords]) + "…"
	}
	return words
}

// refusal returns the error for an authorization server that issues no token. It quotes only the
// members of the answer that the standard defines for people.
func refusal(err error, secrets ...string) error {
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return errors.New(clean(err.Error(), secrets...))
	case e.ErrorCode != "" && e.ErrorDescription != "":
		return errors.New(clean(e.ErrorCode+": "+e.ErrorDescription, secrets...))
	case e.ErrorCode != "":
		return errors.New(clean(e.ErrorCode, secrets...))
	case e.Response != nil:
		return fmt.Errorf("HTTP status %d", e.Response.StatusCode)
	}
	return errors.New("the answer contains no token")
}
