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
	Address string // host:port, or the path of a Unix socket
	Network string // udp, tcp, tls or unix
	Format  string // cef or json
}

const (
	facilityAudit = 13 // the facility "log audit" of RFC 5424
	syslogTimeout = 10 * time.Second
	// sdID is the name of the structured data. RFC 5612 reserves 32473 for organisations without a number of their
	// own.
	sdID = "mcpproxy@32473"
)

// syslogSink sends records to a syslog server, one message for each.
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

// send sends a batch. If a stream breaks, the whole batch is sent again, so a receiver may get a record twice. It can
// recognise this by the record's id.
func (s *syslogSink) send(ctx context.Context, batch []*mcpproxy.Record) (refused int, err error) {
	if err := s.dial(ctx); err != nil {
		return 0, err
	}
	conn := s.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	// If the connection supports no deadlines, Write returns the error.
	_ = conn.SetWriteDeadline(time.Now().Add(syslogTimeout))
	for _, m := range s.messages(batch) {
		_, err := conn.Write(m)
		if errors.Is(err, syscall.EMSGSIZE) {
			refused++ // the message is too long for a datagram; the other messages are still sent
			continue
		}
		if err != nil {
			s.close()
			return refused, err
		}
	}
	return refused, nil
}

// messages returns the data to write. For datagrams it returns one message for each record, and for streams one text
// in which each message follows its length (RFC 6587).
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

// dial connects if there is no usable connection.
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

// alive reports whether the other end of a stream is still connected. Receivers send nothing, so anything but a
// timeout means that the connection has ended. Without this check, the first batch after a receiver's restart would be
// lost.
func (s *syslogSink) alive() bool {
	if s.conn == nil {
		return false
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := s.conn.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// message returns a record in the format of RFC 5424.
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

// syslogSeverity returns a severity from 0, the worst, to 7.
func syslogSeverity(r *mcpproxy.Record) int {
	switch severity, _ := severityOf(r); severity {
	case severityError:
		return 2 // critical
	case severityWarn:
		return 4
	}
	return 6
}

// jsonLine returns a record as one line of JSON, without bodies and evidence.
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

// printable returns a name in a form that is valid in a header field: at most n visible ASCII characters, without
// those that end a quoted value.
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
