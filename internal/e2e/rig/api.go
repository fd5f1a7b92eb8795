package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// API sends requests to the REST API of a daemon, over TCP with the key or, if Socket is set, over the socket.
type API struct {
	Address string
	Key     string
	Socket  string
	Timeout time.Duration // timeout of one request
}

// Request sends a request. Unless body is nil, the request contains it as JSON.
func (a API) Request(method, path string, body any) (status int, answer []byte, err error) {
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return 0, nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.Timeout)
	defer cancel()
	client, address := http.DefaultClient, a.Address
	if a.Socket != "" {
		client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: a.dial}}
		address = "localhost"
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	if a.Key != "" {
		req.Header.Set("X-API-Key", a.Key)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// dial connects to the socket.
func (a API) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", a.Socket)
}

// Get decodes the data of a successful answer and fails for any other answer.
func (a API) Get(path string, data any) error {
	status, answer, err := a.Request(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: HTTP status %d %s: %s", path, status, http.StatusText(status), answer)
	}
	var body struct{ Data json.RawMessage }
	if err := json.Unmarshal(answer, &body); err != nil {
		return err
	}
	return json.Unmarshal(body.Data, data)
}

// Records reads the newest records of the activity log that match a query, at most a hundred, into a slice.
func (a API) Records(query string, records any) error {
	var page struct{ Activities json.RawMessage }
	if err := a.Get("/api/v1/activity?limit=100&"+query, &page); err != nil {
		return err
	}
	return json.Unmarshal(page.Activities, records)
}

// Tools returns the number of tools that the daemon lists.
func (a API) Tools() (int, error) {
	var status struct{ Tools int }
	err := a.Get("/api/v1/status", &status)
	return status.Tools, err
}
