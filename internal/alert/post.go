package alert

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// SignatureHeader carries the signature of a body: "t=SECONDS,v1=HEX", where HEX
// is the HMAC-SHA256 of "SECONDS.BODY" with the secret.
const SignatureHeader = "X-Mcpproxy-Signature"

func newClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			MaxIdleConns:        2,
			IdleConnTimeout:     time.Minute,
			TLSHandshakeTimeout: timeout,
		},
		// A redirect would send the alert to an address that the owner did not configure.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// work posts the queued alerts one at a time.
func (s *Sender) work() {
	defer close(s.done)
	for a := range s.queue {
		s.busy.Store(true)
		err := s.deliver(a)
		s.mu.Lock()
		if err == nil {
			s.stats.Sent++
			s.stats.LastSent, s.stats.LastError = time.Now().UTC(), ""
		} else {
			s.stats.Failed++
			s.stats.LastError = err.Error()
		}
		s.busy.Store(false)
		s.mu.Unlock()
		if err != nil {
			slog.Warn(
				"an alert could not be delivered (security.alerts.webhook_url)",
				"activity",
				a.ActivityID,
				"error",
				err,
			)
		}
	}
}

// deliver retries until the receiver accepts the alert, rejects it permanently, or the attempts are
// used up.
func (s *Sender) deliver(a Alert) error {
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encoding the alert: %w", err)
	}
	pause := s.timing.Backoff
	for n := 1; ; n++ {
		wait, err := s.post(body)
		if err == nil || wait < 0 || n == attempts {
			return err
		}
		// Random jitter keeps many daemons from retrying at the same moment.
		if wait == 0 {
			wait = pause/2 + rand.N(pause)
		}
		select {
		case <-time.After(min(wait, maxBackoff)):
		case <-s.closing:
			return err
		}
		pause *= 2
	}
}

// post makes one attempt. After a failure, a negative wait means that another attempt is useless, a
// positive wait is the minimum until the next attempt, and 0 leaves the wait to the caller.
func (s *Sender) post(body []byte) (wait time.Duration, err error) {
	c := s.settings.Load()
	if c.URL == "" {
		return -1, errors.New("alerts were switched off meanwhile")
	}
	req, err := http.NewRequestWithContext(s.requests, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return -1, errors.New("the address is not valid")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mcpproxy")
	if c.Secret != "" {
		req.Header.Set(SignatureHeader, Sign(c.Secret, time.Now(), body))
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return s.given(), bare(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	switch code := resp.StatusCode; {
	case code < 300:
		return 0, nil
	case code < 400:
		return -1, fmt.Errorf(
			"the receiver answers with a redirect (HTTP status %d), which is not followed: configure the address it leads to",
			code,
		)
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusTooManyRequests:
		return retryAfter(resp), fmt.Errorf("the receiver answers with HTTP status %d", code)
	default:
		return -1, fmt.Errorf("the receiver refuses the alert with HTTP status %d", code)
	}
}

// given returns the wait after an attempt that got no response, or a negative wait if the requests
// were aborted.
func (s *Sender) given() time.Duration {
	if s.requests.Err() != nil {
		return -1
	}
	return 0
}

// bare returns an error without the webhook's address, because the address can contain a secret.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("the receiver does not answer in time")
	}
	return err
}

func retryAfter(resp *http.Response) time.Duration {
	n, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || n <= 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxBackoff)
}

// Sign returns the signature of a body sent at the given time.
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
