package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"mcpproxy/internal/config"
	"mcpproxy/internal/remote"
)

// port checks the health endpoint of the listener, at the address that agents use.
func port(ctx context.Context, c *config.Config, listen string) Check {
	base := c.Scheme() + "://" + listen
	result := Check{Section: "Daemon", Name: "port", Detail: base}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/healthz", nil)
	var transport *http.Transport
	if err == nil {
		transport, err = remote.Transport(c)
	}
	if err == nil && c.TLS.WantsCertificates() { // doctor has no client certificate
		var conn net.Conn
		if conn, err = (&tls.Dialer{Config: transport.TLSClientConfig}).DialContext(ctx, "tcp", listen); err == nil {
			conn.Close()
			result.OK, result.Detail = true, base+" asks for client certificates"
		}
	} else if err == nil {
		defer transport.CloseIdleConnections()
		var resp *http.Response
		if resp, err = (&http.Client{Transport: transport}).Do(req); err == nil {
			resp.Body.Close()
			if result.OK = resp.StatusCode == http.StatusOK; !result.OK {
				err = fmt.Errorf("it answers %s", resp.Status)
			}
		}
	}
	if err != nil {
		result.Detail, result.Advice = err.Error(), "no daemon of mcpproxy answers there: check listen in the configuration"
	}
	return result
}
