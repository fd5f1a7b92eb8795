package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/lazyregexp"
)

const (
	timeout   = 15 * time.Second // for one answer with its body
	maxAnswer = 4 << 20          // of one answer, in bytes
	redirects = 3
	pages     = 20 // answers that one search reads
)

// Largest is the maximum number of servers that [Client.Search] returns.
const Largest = 100

var nameForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.-]{0,99}/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// IsName reports whether a name has the form of a server's name in a registry, such as io.github.owner/name: the
// publisher's domain in reverse, or account; a slash; and a name.
func IsName(name string) bool { return nameForm().MatchString(name) }

// Client sends requests to one registry.
type Client struct {
	base *url.URL
	http *http.Client
}

// New returns a client of the registry at an address. The address must be https, or http on this machine, because
// mcpproxy runs programs that the registry names.
func New(address string) (*Client, error) {
	base, err := Address(address)
	if err != nil {
		return nil, err
	}
	check := func(r *http.Request, via []*http.Request) error {
		if len(via) > redirects || r.URL.Scheme != via[0].URL.Scheme || r.URL.Host != via[0].URL.Host {
			return errors.New("it redirects to another address")
		}
		return nil
	}
	return &Client{base, &http.Client{Timeout: timeout, CheckRedirect: check}}, nil
}

// Search returns servers whose name contains a text, each in its latest version, in the order of the registry. Some
// registries also search the descriptions.
func (c *Client) Search(ctx context.Context, text string, limit int) (*Found, error) {
	found := &Found{Servers: []Entry{}}
	limit = min(limit, Largest)
	cursor := ""
	for range pages {
		query := url.Values{
			"search":  {text},
			"version": {"latest"},
			"limit":   {strconv.Itoa(limit - len(found.Servers))},
		}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		var page struct {
			Servers  []Entry `json:"servers"`
			Metadata struct {
				Next string `json:"nextCursor"`
			} `json:"metadata"`
		}
		if err := c.get(ctx, "/v0.1/servers?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		if page.Servers == nil {
			return nil, fmt.Errorf("the registry %s answers with something other than a list of servers", c.base.Host)
		}
		for _, e := range page.Servers {
			switch {
			case !e.valid():
				found.Skipped++
			case len(found.Servers) < limit:
				found.Servers = append(found.Servers, e)
			}
		}
		last := cursor
		cursor = page.Metadata.Next
		found.More = cursor != ""
		if cursor == "" || cursor == last || len(page.Servers) == 0 || len(found.Servers) >= limit {
			return found, nil
		}
	}
	return found, nil
}

// Found is the result of [Client.Search].
type Found struct {
	Servers []Entry `json:"servers"`
	More    bool    `json:"more"`    // whether the registry has more servers that match
	Skipped int     `json:"skipped"` // entries with an invalid name or version
}

// Get returns one version of a server, or the latest one if version is empty.
func (c *Client) Get(ctx context.Context, name, version string) (*Entry, error) {
	if !IsName(name) {
		return nil, fmt.Errorf("%q is not a server's name in a registry, such as io.github.owner/name", name)
	}
	if version == "" {
		version = "latest"
	}
	var e Entry
	err := c.get(ctx, "/v0.1/servers/"+url.PathEscape(name)+"/versions/"+url.PathEscape(version), &e)
	switch {
	case errors.Is(err, errNotFound):
		return nil, fmt.Errorf(
			"the registry %s has no server %s in the version %s: `mcpproxy upstream search` finds names",
			c.base.Host,
			name,
			version,
		)
	case err != nil:
		return nil, err
	case !e.valid() || e.Name != name || version != "latest" && e.Version != version:
		return nil, fmt.Errorf("the registry %s answers with something other than %s", c.base.Host, name)
	}
	return &e, nil
}

var errNotFound = errors.New("not found")

// get reads one answer into v. Its errors contain no text from the registry.
func (c *Client) get(ctx context.Context, path string, v any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.base.String(), "/")+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.unreachable(ctx, err)
	case len(raw) > maxAnswer:
		return fmt.Errorf("the registry %s answers with more than %d MB", c.base.Host, maxAnswer>>20)
	case resp.StatusCode == http.StatusNotFound:
		return errNotFound
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("the registry %s answers with status %d", c.base.Host, resp.StatusCode)
	}
	if json.Unmarshal(raw, v) != nil {
		return fmt.Errorf("the registry %s answers with something other than JSON of its interface", c.base.Host)
	}
	return nil
}

func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			return fmt.Errorf("the registry %s has not answered within %s: try again later", c.base.Host, c.http.Timeout)
		}
		err = e.Err // without the address, because it is long
	}
	return fmt.Errorf(
		"the registry %s cannot be reached: %w; see whether this machine has a network, or name another with --registry; "+
			"without one, mcpproxy upstream add NAME -- PROGRAM ARGS adds a server by hand",
		c.base.Host,
		err,
	)
}
