// Package fetch gets the signed bundle of a managed machine from its source: a file, a folder or an
// https address, of which a presigned address of a bucket is one.
//
// It verifies nothing: package bundle does. It bounds size and time, follows redirects to https
// addresses only, and sends no credentials of its own.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/bundle"
	"mcpproxy/internal/version"
)

const (
	wait         = 30 * time.Second
	maxRedirects = 5
)

// Source fetches one bundle again and again. It is not safe for concurrent use. Its zero value is
// ready to use.
type Source struct {
	// Client sends requests; nil for one that uses the proxies of the environment.
	Client *http.Client

	address string // of the last answer
	etag    string // of the last answer
	last    []byte // the last answer
}

// Get returns the signed document that the source of m has now.
func (s *Source) Get(ctx context.Context, m *bundle.Managed) ([]byte, error) {
	if !m.Remote() {
		raw, err := atomicfile.Read(ctx, m.File(), atomicfile.Limits{Bytes: bundle.MaxSize, Wait: wait})
		if err != nil {
			return nil, fmt.Errorf("fetching the bundle: %w", err)
		}
		return raw, nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	raw, err := s.download(ctx, m.Source)
	if err != nil {
		return nil, fmt.Errorf("fetching the bundle: %w", hidden(err))
	}
	return raw, nil
}

// hidden returns err without the address, whose query can hold a signature that lets others fetch.
func hidden(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func (s *Source) download(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "mcpproxy/"+version.String())
	if s.address == address && s.etag != "" {
		r.Header.Set("If-None-Match", s.etag)
	}
	client := http.Client{CheckRedirect: onlySecure}
	if s.Client != nil {
		client.Transport = s.Client.Transport
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusNotModified:
		if s.last == nil {
			return nil, errors.New("the server says that nothing has changed, and nothing was asked for before")
		}
		return s.last, nil
	case http.StatusOK:
	default:
		return nil, fmt.Errorf("the server %s answers %s", r.URL.Host, answer.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, bundle.MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > bundle.MaxSize {
		return nil, fmt.Errorf("the answer is larger than %d MB", bundle.MaxSize>>20)
	}
	s.address = address
	s.etag = answer.Header.Get("ETag")
	s.last = raw
	return raw, nil
}

// onlySecure refuses redirects that leave https, except on this machine.
func onlySecure(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("the server redirects too often")
	}
	if r.URL.Scheme == "https" || r.URL.Scheme == "http" && mcpproxy.LoopbackHost(r.URL.Hostname()) {
		return nil
	}
	return fmt.Errorf("the server redirects to %s, which is not https", r.URL.Host)
}
