// Package fetch gets the signed bundle of a managed machine from its source: a file, a folder, an https
// address (a presigned address of a bucket, for example), or an object in an S3-compatible bucket.
//
// It does not verify the bundle; package bundle does. It limits size and time, follows redirects to
// https addresses only, and sends the credentials of the environment only to the store of a bucket.
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
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/bundle"
	"mcpproxy/internal/version"
)

const (
	wait         = 30 * time.Second
	maxRedirects = 5
)

// Source fetches a bundle and remembers its ETag and time, so that an unchanged bundle is not sent
// again. It is not safe for concurrent use. Its zero value is ready to use.
type Source struct {
	// Client sends the requests; nil means a client that uses the proxies of the environment.
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
	r, err := requestFor(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("fetching the bundle: %w", err)
	}
	raw, err := s.download(r)
	if err != nil {
		return nil, fmt.Errorf("fetching the bundle: %w", hidden(err))
	}
	return raw, nil
}

// hidden returns err without the address, because its query can contain a signature that lets
// others fetch the bundle.
func hidden(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// requestFor returns the request for the bundle of a machine.
func requestFor(ctx context.Context, m *bundle.Managed) (*http.Request, error) {
	if !m.InBucket() {
		return http.NewRequestWithContext(ctx, http.MethodGet, m.Source, nil)
	}
	o, err := m.Object()
	if err != nil {
		return nil, err
	}
	u, err := o.URL()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err == nil {
		bucket.FromEnvironment().Sign(r, o.Region, nil, time.Now())
	}
	return r, err
}

func (s *Source) download(r *http.Request) ([]byte, error) {
	address := r.URL.String()
	r.Header.Set("User-Agent", "mcpproxy/"+version.String())
	if s.address == address && s.etag != "" {
		r.Header.Set("If-None-Match", s.etag)
	}
	client := http.Client{CheckRedirect: onlySecure}
	if r.Header.Get("Authorization") != "" {
		client.CheckRedirect = noRedirect
	}
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
			return nil, errors.New("the server answers that the bundle has not changed, but it was never fetched before")
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

// noRedirect refuses redirects of a signed request: the signature is valid for one host only.
func noRedirect(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("the store redirects to %s: set s3.region or s3.endpoint to that store", r.URL.Host)
}

// onlySecure refuses redirects to addresses that are not https, except to this machine.
func onlySecure(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("the server redirects too often")
	}
	if r.URL.Scheme == "https" || r.URL.Scheme == "http" && mcpproxy.LoopbackHost(r.URL.Hostname()) {
		return nil
	}
	return fmt.Errorf("the server redirects to %s, which is not https", r.URL.Host)
}
