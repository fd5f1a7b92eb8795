package shell

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy/internal/lazyregexp"
)

// Patterns for code that opens or accepts connections without an HTTP library.
var (
	socketWords = lazyregexp.NewFiltered(
		`(?i)\bsocket\w*|\b(?:TCP|UDP)(?:Socket|Server)\b|IO::Socket|\bnet\.(?:connect|createConnection|createServer|Socket|Server|Dial|Listen)|` +
			`\btls\.connect|\bp?fsockopen|stream_socket_(?:client|server)|socket_create|Deno\.(?:connect|listen|serve)|Bun\.(?:connect|listen|serve)|` +
			`java\.net\b|ServerSocket|syscall\.Socket|/inet[46]?/(?:tcp|udp)|open_connection|start_server|websockets?\b|createServer|createConnection|` +
			`http\.server|SimpleHTTP|socketserver|serve_forever|WEBrick|HTTP::Daemon|new_tcp|gen_tcp|getprotobyname|sockaddr_in|\bhttpd\b|` +
			`require\(?\s*["'](?:node:)?(?:net|tls|dgram|http|https|socket)["']|\b(?:Tcp|Udp)(?:Client|Listener)\b|Net\.Sockets`,
	)
	listenWords = lazyregexp.NewFiltered(
		`(?i)\.listen\b|\blisten\s*\(|\bListen\s*=>|LocalPort|createServer|TCPServer|UDPServer|ServerSocket|socketserver|serve_forever|` +
			`stream_socket_server|socket_(?:listen|accept)\s*\(|TcpListener|\bbind\s*\(|\.bind\b|\baccept\b|HTTP::Daemon|WEBrick|\.serve\(|net\.Listen|start_server|socket\s+-server|\bhttpd\b|/inet[46]?/(?:tcp|udp)/[1-9]`,
	)
	// servesFiles matches code that serves the current folder.
	servesFiles = lazyregexp.NewFiltered(`(?i)SimpleHTTP|FileServer|FileHandler|serveStatic|express\.static|\bhttpd\b`)
	// nearWords match addresses to which only this machine can connect.
	nearWords = lazyregexp.NewFiltered(`["'(/](?:127\.\d+\.\d+\.\d+|localhost|::1)\b`)
	// shellNames matches code that starts a shell. runsInput matches code that runs its input.
	shellNames = lazyregexp.NewFiltered(
		"[\"'`]\\s*(?:[\\w./]*/)?(?:ba|da|z|k|a|c|tc|fi)?sh(?:\\s+-\\w+)*(?:\\s[^\"'`]*)?\\s*[\"'`]|\\bcmd(?:\\.exe)?\\b[\"']|\\bpowershell\\b|pty\\.spawn|\\bexec\\s+(?:[\\w./]*/)?(?:ba|da|z|k)?sh\\b|%w\\[\\s*(?:/bin/)?(?:ba)?sh\\b",
	)
	runsInput = lazyregexp.NewFiltered(
		"(?i)\\b(?:popen|popen2|popen3|system|exec|execSync|spawn|eval|execute|shell_exec|passthru|check_output|run|Popen|readpipe|os\\.cmd)\\b\\s*\\(?\\s*[$@]?[A-Za-z_]\\w*\\s*[,)\\]}]|" +
			"`[^`]*[$#][{(]?\\w+[^`]*`|\\|&\\s*getline|\\bexec\\s+\\$|\\beval\\s+\\$|\\bexec\\s+\\[gets\\b|\\b(?:iex|Invoke-Expression)\\b",
	)
	// fetchedCode matches code that runs downloaded code.
	fetchedCode = lazyregexp.NewFiltered(`(?i)\b(?:exec|eval|execfile|Function|instance_eval|loadstring|load|include|require|system|popen|shell_exec|passthru)\b\s*\(?\s*(?:[\w$.\["'\]]+\s*(?:\?\?|\(|\|\|)\s*)?(?:urllib|urlopen|requests?\.|fetch\(|open\s*\(?\s*["']https?:|file_get_contents\s*\(\s*["']https?:|get\s*\(\s*["']https?:|["']https?:|\w+\.urlopen|Net::HTTP|URI)`)
	// connects matches code that certainly connects to a host, even if the host is not known.
	connects = lazyregexp.NewFiltered(
		`(?i)\bconnect\s*\(|urlopen|\brequests?\.(?:post|put|patch|get|request)|\bfetch\(|create_connection|http\.request|https\.request|sendto\(|fsockopen|TCPSocket|PeerAddr|/inet[46]?/(?:tcp|udp)/0/|curl_init`,
	)
)

// hostPlaces match the places where code names a host, in quotes or without.
var hostPlaces = []func() *regexp.Regexp{
	lazyregexp.New(`/inet[46]?/(?:tcp|udp)/\d+/([^/"'\s]+)/`),
	lazyregexp.New(`(?i)\b(?:socket|connect|ztcp)\s+(?:-\w+\s+)*((?:[\w-]+\.)+[a-zA-Z]{2,}|(?:\d{1,3}\.){3}\d{1,3})\s+\d{1,5}`),
	lazyregexp.New(`(?i)["'](?:tcp|udp|ssl|tls)://\[?([^/"'\s:\]]+)`),
}

// joints match the concatenation of two strings: 'attacker' + '.example'.
var joints = lazyregexp.New(`(?:"\s*(?:\+|\.\.?)\s*"|'\s*(?:\+|\.\.?)\s*'|"\s*(?:\+|\.\.?)\s*'|'\s*(?:\+|\.\.?)\s*")`)

// reaching says what code does with other hosts.
type reaching struct {
	to   []Endpoint
	data []Source // what it sends in addition to what it reads
}

// reachesOut finds the endpoints to which code connects, and whether it gives them a shell or a folder.
func reachesOut(name, s string, data []Source) reaching {
	var r reaching
	sockets := socketWords.MatchString(s)
	if !sockets && !netWords.MatchString(s) && !fetchedCode.MatchString(s) {
		return r
	}
	r.to = hostNames(name, s)
	r.to = append(r.to, hostsIn(s)...)
	listens := sockets && listenWords.MatchString(s)
	if listens && !nearWords.MatchString(s) {
		r.to = append(r.to, anybody)
		if servesFiles.MatchString(s) {
			r.data = append(r.data, Source{Kind: File, Name: "."})
		}
	}
	if sockets && (shellNames.MatchString(s) && codeRuns.MatchString(s) || runsInput.MatchString(s)) {
		r.data = append(r.data, openShell)
	}
	if strings.Contains(s, "/inet") {
		r.data = append(r.data, Source{Kind: Output, Name: name}) // awk prints its output into the connection
	}
	if len(r.to) == 0 && !listens && len(local(data))+len(r.data) > 0 && connects.MatchString(s) {
		r.to = []Endpoint{{Kind: "host", Value: unknownText}}
	}
	return r
}

// hostsIn returns the hosts that code names at [hostPlaces].
func hostsIn(s string) []Endpoint {
	var out []Endpoint
	for _, place := range hostPlaces {
		for _, found := range place().FindAllStringSubmatch(s, maxSources) {
			if e, ok := endpoint(found[1]); ok && e.Value != "0" {
				out = append(out, e)
			}
		}
	}
	return out
}

// decodes matches code that undoes an encoding.
var decodes = lazyregexp.NewFiltered(`(?i)b64decode|base64_decode|decode64|\batob\b|decode_base64|base64|fromhex|unhexlify|unpack\b|hex2bin|pack\(`)

// minEncoded is the minimum length, in bytes, of a text that may be encoded code.
const minEncoded = 16

// encodedCode decodes and analyses the encoded code within a program.
func (m *machine) encodedCode(name, s string, in value) {
	if m.calls >= maxCalls || !decodes.MatchString(s) {
		return
	}
	m.calls++
	defer func() { m.calls-- }()
	for _, q := range quoted().FindAllStringSubmatch(s, maxSources) {
		encoded := q[1] + q[2]
		if len(encoded) < minEncoded {
			continue
		}
		if plain, ok := fromBase64(encoded); ok && readable(plain) {
			m.code(name, literal(plain), in)
		} else if plain, ok := fromHex(encoded); ok && readable(plain) {
			m.code(name, literal(plain), in)
		}
	}
}

// readable reports whether a text can be code: UTF-8 without control characters.
func readable(s string) bool {
	return utf8.ValidString(s) && !slices.ContainsFunc([]byte(s), func(c byte) bool {
		return c < ' ' && c != '\n' && c != '\t' && c != '\r'
	})
}
