package telemetry

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mcpproxy"
)

// Syslog says how to reach a syslog server.
type Syslog struct {
	Address string // host:port, or the path of a socket
	Network string // udp, tcp, tls or unix
	Format  string // cef or json
}

const (
	facilityAudit = 13 // of RFC 5424: log audit
	syslogTimeout = 10 * time.Second
	// sdID names the structured data; 32473 is the number that RFC 5612 keeps for
	// those who have none of their own.
	sdID = "mcpproxy@32473"
)

// syslogSink writes records to a syslog server, one message each.
type syslogSink struct {
	Syslog
	version, host string
	conn          net.Conn
	datagrams     bool
}

func newSyslog(s Syslog, version string) *syslogSink {
	host, err := os.Hostname()
	if err != nil {
		host = "-"
	}
	return &syslogSink{Syslog: s, version: version, host: printable(host, 255)}
}

func (s *syslogSink) wants(*mcpproxy.Record) bool { return true }

func (s *syslogSink) close() {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// send writes a batch. On a stream a batch that broke off is written again as a
// whole, so a receiver may see a record twice; the id tells.
func (s *syslogSink) send(ctx context.Context, batch []*mcpproxy.Record) (refused int, err error) {
	if err := s.dial(ctx); err != nil {
		return 0, err
	}
	conn := s.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	_ = conn.SetWriteDeadline(time.Now().Add(syslogTimeout)) // a connection that cannot have one fails below
	for _, m := range s.messages(batch) {
		_, err := conn.Write(m)
		if errors.Is(err, syscall.EMSGSIZE) {
			refused++ // the system carries no datagram as long as this one; the others are not to blame
			continue
		}
		if err != nil {
			s.close()
			return refused, err
		}
	}
	return refused, nil
}

// messages returns what is written: one for each record where messages have bounds of
// their own, else one stream in which each stands behind its length (RFC 6587).
func (s *syslogSink) messages(batch []*mcpproxy.Record) [][]byte {
	var out [][]byte
	var stream []byte
	for _, r := range batch {
		m := s.message(r)
		if s.datagrams {
			out = append(out, []byte(m))
		} else {
			stream = fmt.Appendf(stream, "%d %s", len(m), m)
		}
	}
	if len(stream) > 0 {
		out = append(out, stream)
	}
	return out
}

// dial connects unless there is a connection.
func (s *syslogSink) dial(ctx context.Context) error {
	if s.conn != nil && s.datagrams || s.alive() {
		return nil
	}
	s.close()
	s.datagrams = s.Network == "udp"
	ctx, cancel := context.WithTimeout(ctx, syslogTimeout)
	defer cancel()
	d := &net.Dialer{}
	var err error
	switch s.Network {
	case "unix":
		if s.conn, err = d.DialContext(ctx, "unixgram", s.Address); err == nil {
			s.datagrams = true
			return nil
		}
		var stream error
		if s.conn, stream = d.DialContext(ctx, "unix", s.Address); stream == nil {
			return nil
		}
		err = errors.Join(err, stream)
	case "tls":
		s.conn, err = (&tls.Dialer{NetDialer: d, Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext(
			ctx,
			"tcp",
			s.Address,
		)
	default:
		s.conn, err = d.DialContext(ctx, s.Network, s.Address)
	}
	if err != nil {
		s.conn = nil
	}
	return err
}

// alive reports whether a stream's other end is still there. A receiver says
// nothing, so anything but silence is the end; without asking, the first batch
// after a receiver's restart would be lost.
func (s *syslogSink) alive() bool {
	if s.conn == nil {
		return false
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := s.conn.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// message returns a record as RFC 5424 wants it.
func (s *syslogSink) message(r *mcpproxy.Record) string {
	payload := ""
	if s.Format == "json" {
		payload = jsonLine(r)
	} else {
		payload = cef(r, s.version)
	}
	return "<" + strconv.Itoa(
		facilityAudit*8+syslogSeverity(r),
	) + ">1 " + r.Timestamp.UTC().
		Format("2006-01-02T15:04:05.000000Z") +
		" " + s.host +
		" mcpproxy " + strconv.Itoa(
		os.Getpid(),
	) + " " + printable(
		string(r.Type),
		32,
	) +
		" [" + sdID + ` id="` + printable(
		r.ID,
		64,
	) + `"] ` + payload
}

// syslogSeverity returns from 0, the worst, to 7.
func syslogSeverity(r *mcpproxy.Record) int {
	switch severity, _ := severityOf(r); severity {
	case severityError:
		return 2 // critical
	case severityWarn:
		return 4
	}
	return 6
}

// jsonLine returns what a record says, without bodies and evidence, on one line.
func jsonLine(r *mcpproxy.Record) string {
	fields := map[string]any{"time": r.Timestamp.UTC(), "message": line(r)}
	for _, a := range logOf(r).Attributes {
		switch v := a.Value; {
		case v.String != nil:
			fields[a.Key] = *v.String
		case v.Int != nil:
			fields[a.Key] = json.Number(*v.Int)
		case v.Double != nil:
			fields[a.Key] = *v.Double
		case v.Array != nil:
			items := []string{}
			for _, item := range v.Array.Values {
				items = append(items, *item.String)
			}
			fields[a.Key] = items
		}
	}
	if r.TraceID != "" {
		fields["trace_id"], fields["span_id"] = r.TraceID, r.SpanID
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return "{}"
	}
	return string(out)
}

// printable keeps of a name what a header field may hold: at most n visible ASCII
// characters, and none that would end a quoted value.
func printable(s string, n int) string {
	out := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '"' || r == ']' || r == '\\' {
			return -1
		}
		return r
	}, s)
	if out == "" {
		return "-"
	}
	return out[:min(len(out), n)]
}
