package shell

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// Patterns for code in other languages that connects to other hosts, sends data, or reads data. Matching single words
// is precise enough, because a harmless one-line script rarely does all three.
var (
	netWords = lazyregexp.NewFiltered(
		`(?i)\b(?:requests?\.|urllib|urlopen|httpx|aiohttp|http\.client|HTTPS?Connection|socket|smtplib|ftplib|paramiko|telnetlib|` +
			`fetch\(|Deno\.connect|Bun\.connect|URLConnection|openStream|Net\.Sockets|TcpClient|Sockets|net\.Dial|http\.(?:Post|Get)|axios|XMLHttpRequest|https?\.(?:request|get|post)|net\.(?:connect|createConnection|Socket)|dgram|got\(|undici|nodemailer|dns\.(?:resolve|lookup)|` +
			`LWP|IO::Socket|HTTP::Tiny|Net::(?:HTTP|SMTP|FTP)|open-uri|URI\.open|TCPSocket|UDPSocket|HTTParty|Faraday|` +
			`curl_(?:init|exec)|fsockopen|stream_socket_client|gethostbyname|getaddrinfo|/inet/(?:tcp|udp)|` +
			`curl|wget|nc|scp|ssh|sftp|dig|nslookup)\b|fetch\(|got\(|https?\.(?:request|get|post)\(|require\(["']https?["']\)|(?:file_get_contents|fopen)\(\s*["']https?:`,
	)
	giveWords = lazyregexp.NewFiltered(
		`(?i)["']\s*\.\s*[\w$]|\b(?:post|put|patch|send|pipe|pipeTo|copy|sendall|sendto|sendmail|send_message|write|storbinary|upload|uploadFile|upload_file|data|body|json|files|connect|CURLOPT_POSTFIELDS|gethostbyname|getaddrinfo|resolve|socket|IO::Socket|TCPSocket)\b|` + "`" + `|\+|%s|\.format|f["']|\$\{`,
	)
	pathCalls = lazyregexp.NewFiltered(
		`(?i)(?:\bopen\b|Bun\.file|readFileSync|readFile|readTextFileSync|readTextFile|read_text|\bPath\b|file_get_contents|fopen|readfile|CURLFile|slurp|File\.read!?|readLines|@ARGV[^=;"']*=|File\.open|IO\.read|IO\.readlines|createReadStream|\brequire\b|ReadAllText|ReadAllBytes|expanduser|read_bytes|\bcat\b|\bglob\b|\bread\b|getline\s+\w*\s*<)\s*\(?\s*(?:(?:my\s+)?[$@]?\w+\s*,\s*)?(?:["'][<r]+["']\s*,\s*)?["'` + "`" + `]?([~./\w$*{}\\-]+)["'` + "`" + `]?(\s*,\s*["'](?:w|a|x|>))?`,
	)
	envWords = lazyregexp.NewFiltered(`\bos\.environ\b|\bgetenv\b|process\.env\b|\bENV\b|\$_ENV|System\.getenv|Deno\.env|%ENV`)
	shellOut = lazyregexp.NewFiltered(
		`\b(?:os\.system|os\.popen|subprocess|check_output|child_process|execSync|spawnSync|shell_exec|passthru|proc_open|system|popen)\b`,
	)
	urls      = lazyregexp.New(`(?i)\b(?:https?|ftps?|wss?|s3)://[^\s"'<>|;)\\` + "`" + `]+`)
	hostArg   = lazyregexp.New(`["'(]((?:[a-zA-Z0-9-]+\.)+[a-zA-Z]{2,}|(?:\d{1,3}\.){3}\d{1,3})["']?\s*[,):'";}\]]`)
	quoted    = lazyregexp.New(`"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'`)
	lists     = lazyregexp.NewFiltered(`\[\s*(?:"[^"\]]*"|'[^'\]]*')(?:\s*,\s*(?:"[^"\]]*"|'[^'\]]*'))+\s*\]`)
	fileNames = lazyregexp.New(
		`(?i)\.(?:py|js|ts|json|txt|md|csv|ya?ml|toml|html?|css|go|rs|java|xml|log|lock|cfg|ini|env|sh|png|jpg|pdf|exe|ps1|dll|zip|gz|tgz|csproj|sln)$`,
	)
)

// inHomeFolder matches code that joins the user's home folder and a file name: os.homedir() + '/.npmrc'.
var inHomeFolder = lazyregexp.NewFiltered(
	`(?:homedir\(\)|Path\.home\(\)|Dir\.home|expanduser\(\s*["']~/?["']\s*\)|` +
		`\b(?:env(?:iron)?(?:\.get)?|ENV|getenv|_ENV)\s*[.\[(]\s*["']?HOME["']?\s*[\])]?)\s*\}?\s*[+,/.]?\s*["'` + "`" + `]?(/?\.?[\w-][\w./-]*)`,
)

// code analyses a program in another language word by word.
func (m *machine) code(name string, program, in value) value {
	s := program.text
	if program.known { // the text shows everything that the program uses
		if in.known && in.text == program.text {
			in = value{}
		}
		program.data = nil
	}
	data := union(program.data, in.data)
	m.codeWrites(s)
	m.codeControls(name, s)
	m.codeDecides(name, s)
	m.rest(s)
	if strings.Contains(s, ownerSocket) && netWords.MatchString(s) {
		m.c.Decides = name + " " + ownerSocket
	}
	for _, call := range pathCalls.FindAllStringSubmatch(s, maxSources) {
		if call[2] == "" &&
			(strings.Contains(call[1], ".") || strings.HasPrefix(call[1], "/") || strings.HasPrefix(call[1], "~")) {
			data = union(data, m.open(literal(call[1]), value{}).data)
		}
	}
	for _, found := range inHomeFolder.FindAllStringSubmatch(s, maxSources) {
		data = union(data, m.open(literal("~/"+strings.TrimLeft(found[1], "/")), value{}).data)
	}
	data = union(data, m.environs(s))
	if shellOut.MatchString(s) || strings.HasSuffix(name, "awk") {
		data = union(data, []Source{{Kind: Output, Name: name}})
		m.commandsIn(s, data)
	}
	m.encodedCode(name, s, in)
	out := value{data: data}
	if !program.known {
		m.c.Opaque = true
		m.foreign(program.data)
	}
	whole := joints().ReplaceAllString(s, "")
	r := reachesOut(name, whole, data)
	if len(r.to) == 0 && !netWords.MatchString(s) { // the code names no receiver and connects to no host
		return out.with([]Source{{Kind: Output, Name: name}})
	}
	if unrelated(name, s) {
		data = onlyTelling(data)
	}
	data = union(data, r.data)
	given := giveWords.MatchString(s) || len(r.data) > 0 ||
		slices.ContainsFunc(data, func(s Source) bool { return s.Kind == File || s.Kind == Variable })
	runs := fetchedCode.MatchString(s)
	for _, e := range r.to {
		data := withoutOwn(e, data, s)
		if !given || len(local(data)) == 0 {
			out = out.with(m.fetch(e).data)
		}
		if given && !e.inside() {
			m.send(Send{
				By:    name,
				To:    e,
				Data:  data,
				Guess: true,
			})
		}
		if runs && !e.inside() {
			m.foreign([]Source{{Kind: remote, Name: e.Value}})
		}
	}
	return out
}

// commandsIn runs the command lines that code contains, each a string or a list of arguments.
func (m *machine) commandsIn(code string, data []Source) {
	for _, q := range quoted().FindAllStringSubmatch(code, maxSources) {
		line := q[1] + q[2]
		words := strings.Fields(line)
		if len(words) > 1 && (reachWords()[programName(words[0])] || governs(programName(words[0]))) ||
			strings.Contains(line, "| ") {
			m.script(line, value{data: data})
		}
	}
	for _, list := range lists.FindAllString(code, maxSources) {
		var fields []value
		for _, q := range quoted().FindAllStringSubmatch(list, maxSources) {
			fields = append(fields, literal(q[1]+q[2]))
		}
		m.run(fields, value{})
	}
}

// codeRuns matches calls that run programs.
var codeRuns = lazyregexp.NewFiltered(
	`(?i)\b(?:system|exec\w*|spawn\w*|popen|run|call|check_output|check_call|subprocess|child_process|qx|proc_open|shell_exec|passthru|Command|ProcessBuilder|Runtime|forkpty|Open3)\b`,
)

// codeDecides records code that runs mcpproxy to change what agents may do.
func (m *machine) codeDecides(name, code string) {
	if !namesSelf(code) || !codeRuns.MatchString(code) {
		return
	}
	s := scanner{m: m}
	separates := func(r rune) bool { return isBreak(r) || r == '[' || r == ']' }
	for _, w := range strings.FieldsFunc(splices.Replace(code), separates) {
		s.governed(w)
	}
	if s.decides {
		m.c.Decides = name + " " + selves[0]
	}
}

// governs reports whether a program changes files, ends processes, or is mcpproxy itself.
func governs(program string) bool {
	rows, err := programs()
	if err != nil || rows[program] == nil {
		return changers()[program]
	}
	row := rows[program]
	return changers()[program] || row.marks["signals"] || row.marks["machine"] ||
		slices.Contains([]string{"systemctl", "service", "launchctl", "find", selves[0], selves[1]}, program)
}

// addressed returns the hosts that code names, in URLs and where names matches.
func addressed(s string, names *regexp.Regexp) []Endpoint {
	var out []Endpoint
	for _, u := range urls().FindAllString(s, maxSources) {
		if e, ok := endpoint(u); ok {
			out = append(out, e)
		}
	}
	for _, h := range names.FindAllStringSubmatch(s, maxSources) {
		if e, ok := endpoint(h[1]); ok && !fileNames().MatchString(h[1]) {
			out = append(out, e)
		}
	}
	return out
}

// script processes the code in a file, in a folder, or on the standard input.
func (d *doing) script(a value) {
	switch v, ok := d.m.file(a.text); {
	case a.text == "-" || a.text == "/dev/stdin":
		d.argument(code, d.in)
	case ok:
		d.ran = true
		d.out = d.out.then(d.m.runCode(d.row.name, a.text, v, d.in))
	case d.folder(a.text):
		d.ran = true
	case strings.Contains(a.text, "://"):
		d.address(soft, a)
	default:
		d.read = true
	}
}

// folder reads the programs that the command line has written into a folder.
func (d *doing) folder(dir string) bool {
	if len(d.m.files) > maxSources {
		return false
	}
	found := false
	for _, file := range slices.Sorted(maps.Keys(d.m.at.Files)) {
		if path.Dir(file) == d.m.place(dir) && interpreter(file, d.m.at.Files[file]) != "" {
			found = true
			d.m.runCode(d.row.name, file, literal(d.m.at.Files[file]), d.in)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(d.m.files)) {
		if path.Dir(file) == path.Clean(dir) && d.m.files[file].known {
			found = true
			d.m.code(d.row.name, d.m.files[file], d.in)
		}
	}
	return found
}

// languages lists the commands by which an editor or a debugger runs code.
var languages = words("py py3 pyx pyxdo python python3 pythonx lua luado perl perldo ruby rubydo tcl mzscheme")

// editor processes a command of an editor or a debugger.
func (d *doing) editor(a value) {
	text := strings.TrimLeft(a.text, ": +")
	name, rest, _ := strings.Cut(text, " ")
	command, runs := strings.CutPrefix(text, "!")
	switch {
	case runs:
		d.m.runText(value{command, a.known, a.data}, d.in)
	case name == "shell" || name == "term" || name == "terminal":
		d.m.runText(value{rest, a.known, a.data}, d.in)
	case languages()[name]:
		d.m.code(name, value{strings.TrimLeft(rest, "= "), a.known, a.data}, d.in)
	}
}
