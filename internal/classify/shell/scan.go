package shell

import (
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// Words that the word-by-word reading of a command line looks for, in lower case.
var (
	// reachWords lists programs that connect to other machines.
	reachWords = words(
		"curl wget nc ncat netcat socat telnet scp sftp rsync ssh ftp tftp dig nslookup mail mailx sendmail http https " +
			"iwr irm invoke-webrequest invoke-restmethod start-bitstransfer send-mailmessage resolve-dnsname test-netconnection",
	)
	// reachNames lists parts of words that indicate a connection to another machine.
	reachNames = []string{
		"/dev/tcp/",
		"/dev/udp/",
		"webclient",
		"httpclient",
		"webrequest",
		"tcpclient",
		"smtpclient",
		"net.sockets",
	}
	// handWords lists programs and flags that send data.
	handWords = words(
		"-d -f --form -t --upload-file --post-data --post-file -body -infile -form -attachments -attachment post put patch " +
			"nc ncat netcat socat telnet scp sftp rsync ssh mail mailx sendmail send-mailmessage",
	)
	// handNames lists parts of words that indicate that data is sent.
	handNames = []string{
		"--data",
		"--form=",
		"--upload-file=",
		"--post-",
		"-d@",
		"/dev/tcp/",
		"/dev/udp/",
		"uploadstring",
		"uploadfile",
		"uploaddata",
		"postasync",
		"putasync",
		"tcpclient",
		"net.sockets",
	}
	// fileWords lists words that precede a file that is read.
	fileWords = words(
		"cat head tail gc type get-content base64 tar less more grep xxd -infile -t --upload-file --post-file -attachments -attachment < " +
			"readalltext readallbytes readalllines openread uploadfile",
	)
)

// scan reads a command line word by word. If the line sends anything, it counts as sending everything that it may read
// to every endpoint that it names.
func (m *machine) scan(line string) {
	if m.scanned[line] {
		return
	}
	m.scanned[line] = true
	s := scanner{m: m}
	all := strings.FieldsFunc(splices.Replace(line), isBreak)
	for _, w := range all {
		s.word(w)
	}
	if strings.Contains(line, ">") ||
		slices.ContainsFunc(all, func(w string) bool { return changers()[strings.ToLower(programName(w))] }) ||
		codeChanges.MatchString(line) {
		for _, w := range all {
			if strings.ContainsAny(w, `/\~`) && !strings.Contains(w, "://") {
				m.change(w)
			}
		}
	}
	if s.reaches {
		m.rest(line)
	}
	if s.ends && namesSelf(line) {
		m.stops("shell", selves[0])
	}
	if s.decides {
		m.c.Decides = "mcpproxy"
	}
	if !s.reaches {
		return
	}
	for _, e := range s.to {
		if s.hands || e.Kind == "email" {
			m.send(Send{
				By:    "shell",
				To:    e,
				Data:  s.data,
				Guess: true,
			})
		} else {
			m.fetch(e)
		}
	}
}

// splices removes characters that split a word without a meaning for the shell, and puts a space around "<".
var splices = strings.NewReplacer(`''`, "", `""`, "", "\\\n", "", "`\n", "", "<", " < ")

func isBreak(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`()|;&>{},", r) }

// scanner is the state after the words read so far.
type scanner struct {
	m              *machine
	reaches, hands bool
	ends           bool // the line ends processes or services
	proxy, decides bool // proxy: the line runs mcpproxy; decides: it changes what agents may do
	to             []Endpoint
	data           []Source
	before         string // the previous word, in lower case
}

// decisions lists the arguments of mcpproxy that change what agents may do.
var decisions = words(
	"approve deny baseline block quarantine unquarantine uninstall off revoke call stdio import disconnect --accept --accept=true",
)

func (s *scanner) word(w string) {
	lower := strings.ToLower(w)
	name := strings.TrimSuffix(lower[strings.LastIndexAny(lower, `/\`)+1:], ".exe")
	s.governed(w)
	s.reaches = s.reaches || reachWords()[name] || contains(lower, reachNames)
	s.hands = s.hands || handWords()[name] || contains(lower, handNames)
	s.address(w)
	file, at := strings.CutPrefix(strings.TrimPrefix(w, "-d"), "@")
	switch {
	case strings.Contains(w, "://") || strings.HasPrefix(w, "-"):
	case at && file != "-":
		s.reads(file)
	case fileWords()[s.before] && w != "-":
		s.reads(w)
	case lower == "printenv" || lower == "env:":
		s.give(environment)
	}
	s.variables(w)
	if s.before != "uploadfile" || !strings.Contains(w, "://") { // UploadFile(url, file)
		s.before = name[strings.LastIndexAny(name, ".:")+1:]
	}
}

// governed records a word that runs, configures or stops mcpproxy.
func (s *scanner) governed(w string) {
	lower := strings.ToLower(w)
	name := strings.TrimSuffix(lower[strings.LastIndexAny(lower, `/\`)+1:], ".exe")
	s.decides = s.decides || s.proxy && decisions()[name] || name == ownerSocket
	s.proxy = s.proxy || name == selves[0]
	s.ends = s.ends || endWords()[name]
	if machineWords()[name] {
		s.m.stops(name, "")
	}
}

// endWords end, freeze or trace processes and services. machineWords shut the machine down.
var (
	endWords = words(
		"kill pkill killall taskkill stop-process spps skill fuser systemctl launchctl service sc net stop-service restart-service suspend-service " +
			"set-service remove-service debug-process gdb lldb strace",
	)
	machineWords = words("stop-computer restart-computer")
)

func (s *scanner) reads(file string) {
	s.data = union(s.data, s.m.open(literal(file), value{}).data)
}

func (s *scanner) give(source Source) { s.data = union(s.data, s.m.reads(source).data) }

// address records the endpoint that a word names.
func (s *scanner) address(w string) {
	if len(s.to) >= maxSources {
		return
	}
	if e, ok := device(w[max(strings.Index(w, "/dev/"), 0):]); ok {
		s.to = append(s.to, e)
		return
	}
	if i := strings.Index(w, "://"); i > 0 {
		if e, ok := endpoint(w[strings.LastIndexAny(w[:i], "=:@")+1:]); ok {
			s.to = append(s.to, e)
			s.hands = s.hands || strings.Contains(w[i:], "$") // the URL itself contains data
		}
		return
	}
	if e, ok := email(w); ok && hostShape().MatchString(w[strings.LastIndexByte(w, '@')+1:]) {
		s.to = append(s.to, e)
		return
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(w, "@"), "/")
	if hostShape().MatchString(host) && !fileNames().MatchString(host) && !strings.HasPrefix(w, "@") &&
		!contains(strings.ToLower(w), reachNames) {
		if e, ok := endpoint(host); ok {
			s.to = append(s.to, e)
		}
	}
}

// hostShape matches a name with dots, or an address, with an optional port.
var hostShape = lazyregexp.New(`^(?:(?:[A-Za-z0-9-]{1,63}\.){1,10}[A-Za-z]{2,24}|(?:\d{1,3}\.){3}\d{1,3})\.?(?::\d+)?$`)

// variables records the variables in a word that may be secret.
func (s *scanner) variables(w string) {
	for _, part := range strings.Split(w, "$")[1:] {
		part, powershell := strings.CutPrefix(strings.ToUpper(part), "ENV:")
		end := strings.IndexFunc(
			part,
			func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') },
		)
		if end >= 0 {
			part = part[:end]
		}
		if v := variable(part); part != "" && (v.Secret || powershell && !quietVariables()[part]) {
			s.give(v)
		}
	}
}

func contains(s string, names []string) bool {
	for _, n := range names {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}

// powershell analyses a PowerShell command line.
func (m *machine) powershell(line string) {
	for _, f := range encodedFlag().FindAllStringSubmatch(line, maxSources) {
		m.scan(decodedCommand(f[1]))
	}
	m.scan(line)
	if r := reachesOut("powershell", line, nil); len(r.data) > 0 {
		for _, e := range r.to {
			m.send(Send{By: "powershell", To: e, Data: r.data})
		}
	}
}

var encodedFlag = lazyregexp.New(`(?i)\s-e(?:nc|ncodedcommand|c)?\s+['"]?([A-Za-z0-9+/=]{16,})`)
