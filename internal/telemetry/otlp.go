package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"mcpproxy"
)

// OTLP says how to reach a collector that accepts JSON over HTTP.
type OTLP struct {
	Endpoint string // http or https; /v1/logs and /v1/traces are added
	Headers  map[string]string
}

const (
	otlpTimeout = 10 * time.Second
	gzipFrom    = 1 << 10 // minimum size of a body that is compressed, in bytes
)

// collector sends one kind of data to a collector.
type collector struct {
	client   *http.Client
	address  string
	headers  map[string]string
	resource resource
	shape    func(resource, []*mcpproxy.Record) any
	only     func(*mcpproxy.Record) bool
	zip      *gzip.Writer // reused, because its tables are large; only one batch is written at a time
}

func newCollector(s Settings, path string) *collector {
	return &collector{
		address:  strings.TrimSuffix(s.OTLP.Endpoint, "/") + path,
		headers:  s.OTLP.Headers,
		resource: newResource(s),
		only:     func(*mcpproxy.Record) bool { return true },
		client: &http.Client{Timeout: otlpTimeout,
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				MaxIdleConns:        2,
				IdleConnTimeout:     time.Minute,
				TLSHandshakeTimeout: otlpTimeout,
			},
			// A redirect would send the headers and the data to an address that is not configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

func newResource(s Settings) resource {
	attributes := []attribute{
		str("service.name", s.Service),
		str("service.version", s.Version),
		num("process.pid", int64(os.Getpid())),
	}
	if host, err := os.Hostname(); err == nil {
		attributes = append(attributes, str("host.name", host))
	}
	return resource{attributes}
}

func (c *collector) wants(r *mcpproxy.Record) bool { return c.only(r) }

func (c *collector) close() { c.client.CloseIdleConnections() }

func (c *collector) send(ctx context.Context, batch []*mcpproxy.Record) (refused int, err error) {
	req, err := c.request(ctx, batch)
	if err != nil {
		return 0, permanent{err}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address, which can contain a key
		}
		return 0, err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	err = fmt.Errorf("the collector answers with HTTP status %d", resp.StatusCode)
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return min(rejected(body), len(batch)), nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return 0, err
	}
	return 0, permanent{err}
}

func (c *collector) request(ctx context.Context, batch []*mcpproxy.Record) (*http.Request, error) {
	body, err := json.Marshal(c.shape(c.resource, batch))
	if err != nil {
		return nil, err
	}
	encoding := ""
	if len(body) >= gzipFrom {
		var small bytes.Buffer
		if c.zip == nil {
			c.zip, _ = gzip.NewWriterLevel(&small, gzip.BestSpeed) // the compression level is valid
		}
		c.zip.Reset(&small)
		_, _ = c.zip.Write(body) // writing to memory cannot fail
		_ = c.zip.Close()
		body, encoding = small.Bytes(), "gzip"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address is not valid")
	}
	for k, v := range c.headers {
		req.Header.Set(k, v)
	}
	req.Header.Set("Content-Type", "application/json")
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	return req, nil
}

// rejected returns the number of items that a collector reports as rejected.
func rejected(body []byte) int {
	var answer struct {
		PartialSuccess struct {
			Logs  json.RawMessage `json:"rejectedLogRecords"`
			Spans json.RawMessage `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return 0
	}
	n := 0
	for _, raw := range []json.RawMessage{answer.PartialSuccess.Logs, answer.PartialSuccess.Spans} {
		if v, err := strconv.Atoi(strings.Trim(string(raw), `"`)); err == nil && v > 0 {
			n += v
		}
	}
	return n
}
