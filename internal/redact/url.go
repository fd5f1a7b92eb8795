package redact

import "strings"

// connects are the schemes of connection strings.
var connects = map[string]bool{
	"http":          true,
	"https":         true,
	"ws":            true,
	"wss":           true,
	"ftp":           true,
	"ftps":          true,
	"sftp":          true,
	"ssh":           true,
	"git":           true,
	"svn":           true,
	"tcp":           true,
	"udp":           true,
	"tls":           true,
	"unix":          true,
	"npipe":         true,
	"grpc":          true,
	"grpcs":         true,
	"postgres":      true,
	"postgresql":    true,
	"mysql":         true,
	"mariadb":       true,
	"mssql":         true,
	"sqlserver":     true,
	"oracle":        true,
	"db2":           true,
	"sqlite":        true,
	"sqlite3":       true,
	"mongodb":       true,
	"redis":         true,
	"rediss":        true,
	"valkey":        true,
	"memcached":     true,
	"amqp":          true,
	"amqps":         true,
	"kafka":         true,
	"nats":          true,
	"mqtt":          true,
	"mqtts":         true,
	"stomp":         true,
	"ldap":          true,
	"ldaps":         true,
	"smtp":          true,
	"smtps":         true,
	"imap":          true,
	"imaps":         true,
	"pop3":          true,
	"clickhouse":    true,
	"cassandra":     true,
	"neo4j":         true,
	"bolt":          true,
	"elasticsearch": true,
	"influxdb":      true,
	"couchdb":       true,
	"cockroachdb":   true,
	"etcd":          true,
	"consul":        true,
	"vault":         true,
	"docker":        true,
	"s3":            true,
	"gs":            true,
	"abfs":          true,
	"abfss":         true,
	"wasbs":         true,
	"hdfs":          true,
	"smb":           true,
	"nfs":           true,
	"rtsp":          true,
	"telnet":        true,
	"rdp":           true,
	"vnc":           true,
	"socks5":        true,
	"file":          true,
}

// maxURL is the maximum length, in bytes, of a URL that may stay.
const maxURL = 1024

// url removes a URL whose scheme is from i to end.
func (s *scanner) url(i, end int) int {
	rest := s.s[end:]
	if !strings.HasPrefix(rest, "://") {
		return i
	}
	stop := end + 3
	for stop < len(s.s) && !isSpace(s.s[stop]) && !isQuote(s.s[stop]) && s.s[stop] != '<' && s.s[stop] != '>' &&
		s.s[stop] != '\\' && sign(s.s, stop) == 0 {
		stop++
	}
	address := trimURL(s.s[end+3 : stop])
	stop = end + 3 + unglued(address)
	if stop == end+3 {
		return i
	}
	scheme, _, _ := strings.Cut(strings.ToLower(s.s[i:end]), "+")
	authority, _, _ := strings.Cut(s.s[end+3:stop], "/")
	// A user's name and password may contain an unescaped slash.
	user := strings.Contains(authority, "@") ||
		strings.Contains(s.s[end+3:stop], "@") && strings.Contains(authority, ":")
	switch {
	case user, stop-i > maxURL:
		return s.cut(i, stop, fit(s.s[i:stop], urlMark))
	case s.secrets:
		return end + 3 // it may contain a credential
	case s.keeps(s.s[i:stop]) && Secrets(s.s[i:stop]) == s.s[i:stop]:
		return stop
	case scheme == "file":
		return s.cut(i, stop, fit(s.s[i:stop], pathMark))
	case connects[scheme] || inside(authority):
		return s.cut(i, stop, fit(s.s[i:stop], urlMark))
	}
	return end + 3
}

// trimURL removes the punctuation of the sentence around a URL.
func trimURL(s string) string {
	for s != "" {
		last := s[len(s)-1]
		pair := map[byte]string{')': "(", ']': "[", '}': "{"}[last]
		switch {
		case strings.IndexByte(".,;:!?", last) >= 0:
		case pair != "" && !strings.Contains(s, pair):
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}
