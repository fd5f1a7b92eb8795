package scan

import (
	"slices"
	"strings"

	"mcpproxy/internal/locate"
)

// command examines a command for a shell or an interpreter at the position of its dangerous form.
func (s *scanner) command(at int, rest string) {
	switch rest[0] {
	case '$':
		line := firstLine(rest, 400)
		switch {
		case !strings.HasPrefix(line, "$("):
		case fetchAt(line) >= 0 && runs(line):
			s.report(checkCommand, at, at+len(line), 0.85)
		case strings.HasPrefix(line, "$(cat ") && readsSecret(firstLine(line, 48)):
			s.report(checkTheft, at, at+len(line), 0.5)
		}
	case '|':
		s.pipe(at, rest)
	case '-':
		s.option(at, rest)
	case '/':
		if opensShell(s.r.text[max(0, at-12):at], rest) {
			s.report(checkCommand, max(0, at-20), min(len(s.r.text), at+40), 0.8) // opens a shell to another machine
		}
	case '(':
		s.callOf(at)
	}
}

// opensShell reports whether a command opens a shell to another machine.
func opensShell(before, rest string) bool {
	if strings.HasPrefix(rest, "/dev/tcp/") {
		return true
	}
	line := firstLine(rest, 32)
	return (strings.HasPrefix(line, "/bin/sh -i") || strings.HasPrefix(line, "/bin/bash -i")) &&
		(strings.Contains(line, ">&") || strings.Contains(before, "|"))
}

// pipe examines data that is piped into a shell or sent to another machine.
func (s *scanner) pipe(at int, rest string) {
	line := firstLine(rest[1:], 80)
	from := max(0, at-400)
	from += strings.LastIndexByte(s.r.text[from:at], '\n') + 1
	before := s.r.text[from:at]
	switch {
	case startsShell(line):
		if strings.Contains(before, "base64 -d") || strings.Contains(before, "base64 --decode") ||
			strings.Contains(before, "xxd -r") {
			s.report(checkCommand, from, at+len(line)+1, 0.8)
		} else if i := fetchAt(before); i >= 0 && !installs(before[i:]) {
			sure := 0.3
			switch {
			case strings.ContainsAny(before[:i], "('\"`"): // in a call or substitution: no install instruction
				sure = 0.75
			case strings.Contains(before[i:], "http://"): // honest installers are not fetched unencrypted
				sure = 0.6
			}
			s.report(checkCommand, from+i, at+len(line)+1, sure)
		}
	case sends(line) && readsSecret(before):
		s.report(checkTheft, from, at+len(line)+1, 0.8)
	}
}

// installs reports whether a command fetches the installation script of a well-known project, and nothing else.
func installs(command string) bool {
	_, rest, found := strings.Cut(command, "https://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, " ")
	return found && locate.IsInstaller(host) && !strings.Contains(rest, "://") && !strings.ContainsAny(rest, "$;&") &&
		!slices.ContainsFunc(strings.Fields(command), misleads)
}

// misleads reports whether a flag can make curl or wget fetch from another host than that of the URL.
func misleads(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	switch name {
	case "--insecure", "--no-check-certificate", "--proxy", "--preproxy", "--resolve", "--connect-to", "--config", "--unix-socket":
		return true
	}
	return strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.ContainsAny(flag, "kxKe")
}

// sends reports whether a command sends its input to another machine.
func sends(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "curl ") || strings.HasPrefix(line, "nc ") || strings.HasPrefix(line, "ncat ") ||
		strings.HasPrefix(line, "wget ") || strings.HasPrefix(line, "netcat ")
}

// readsSecret reports whether a command prints a secret.
func readsSecret(line string) bool {
	for _, name := range [...]string{"/etc/passwd", "/etc/shadow", "id_rsa", "id_ed25519", ".ssh/", ".aws/", ".env", "printenv", "env |", "credentials",
		".netrc", ".npmrc", ".kube/config", "history"} {
		if strings.Contains(line, name) {
			return true
		}
	}
	return strings.TrimSpace(line) == "env"
}

// option examines options that make a harmless command dangerous.
func (s *scanner) option(at int, rest string) {
	t := s.r.text
	switch before := t[max(0, at-80):at]; {
	case encodedCommand(t, at):
		s.report(checkCommand, max(0, at-11), min(len(t), at+60), 0.75)
	case strings.HasSuffix(before, "rm ") && deletesAll(rest):
		sure := 0.5
		before = strings.TrimSuffix(before, "rm ")
		if before != "" && strings.IndexByte("('\"`;", before[len(before)-1]) >= 0 {
			sure = 0.75 // in a call or after another command
		}
		s.report(checkCommand, at-3, min(len(t), at+12), sure)
	case strings.HasSuffix(before, "nc ") && (strings.HasPrefix(rest, "-e /bin") || strings.HasPrefix(rest, "-e cmd")):
		s.report(checkCommand, at-3, min(len(t), at+20), 0.8)
	case strings.HasPrefix(rest, "-O") && strings.Contains(before, "wget ") ||
		strings.HasPrefix(rest, "-o") && strings.Contains(before, "curl "):
		if line := firstLine(rest, 160); strings.Contains(before, "http://") && strings.Contains(line, "chmod +x") {
			s.report(checkCommand, max(0, at-60), at+len(line), 0.7)
		}
	case strings.Contains(before, "curl ") &&
		(strings.HasPrefix(rest, "-d ") || strings.HasPrefix(rest, "-F ") || strings.HasPrefix(rest, "--data")):
		line := firstLine(rest, 160)
		if (strings.Contains(line, "$(") || strings.Contains(line, "@")) && readsSecret(line) {
			s.report(checkTheft, at, at+len(line), 0.8)
		}
	}
}

// deletesAll reports whether the options and operands of rm delete everything.
func deletesAll(rest string) bool {
	options, operand, _ := strings.Cut(firstLine(rest, 40), " ")
	if !strings.Contains(options, "r") || !strings.Contains(options, "f") {
		return false
	}
	for _, all := range [...]string{"/ ", "/*", "~ ", "~/ ", "$HOME ", "/;", "/'", "/\"", "/)", "--no-preserve-root"} {
		if strings.HasPrefix(operand+" ", all) {
			return true
		}
	}
	return false
}

// callOf examines the name before a bracket. It looks for calls that execute decoded data, and for calls that fetch
// data and execute it.
func (s *scanner) callOf(at int) {
	before := s.r.text[max(0, at-24):at]
	after := firstLine(s.r.text[at:], 120)
	switch {
	case strings.HasSuffix(before, "exec") || strings.HasSuffix(before, "eval"):
		if strings.HasPrefix(after, "(base64.") || strings.HasPrefix(after, "(atob(") || strings.HasPrefix(after, "(requests.get(") ||
			strings.HasPrefix(after, "(base64_decode(") || strings.HasPrefix(after, "(gzinflate(") ||
			strings.HasPrefix(after, "(codecs.decode(") ||
			strings.HasPrefix(after, "(urllib") {
			s.report(checkCommand, at-4, at+len(after), 0.75)
		}
	case strings.HasSuffix(before, "DownloadString"):
		s.report(checkCommand, at-14, at+len(after), 0.75)
	case strings.HasSuffix(before, "fetch") || strings.HasSuffix(before, "sendBeacon") ||
		strings.HasSuffix(before, ".get") || strings.HasSuffix(before, ".post"):
		if strings.Contains(after, "://") &&
			(strings.Contains(after, "document.cookie") || strings.Contains(after, "localStorage")) {
			s.report(checkTheft, at-5, at+len(after), 0.75)
		}
	}
}

// cookie examines a "document.cookie" that is appended to an address.
func (s *scanner) cookie(at int) {
	before := s.r.text[max(0, at-120):at]
	if strings.HasSuffix(before, "document.") && strings.Contains(before, "://") &&
		strings.Contains(before[max(0, len(before)-24):], "+") {
		s.report(checkTheft, max(0, at-40), at+6, 0.75)
	}
}

// metadataHost is the address at which clouds give credentials to their machines.
const metadataHost = "169.254.169.254"

// metadata examines an occurrence of metadataHost. Its confidence is higher if words near the address fetch it.
func (s *scanner) metadata(at int, rest string) {
	sure := 0.4
	before := s.r.text[max(0, at-60):at]
	if fetchAt(before) >= 0 || strings.Contains(before, "fetch") || strings.Contains(before, "requests.") ||
		strings.Contains(firstLine(rest, 100), "security-credentials") {
		sure = 0.7
	}
	s.report(checkTheft, at, min(len(s.r.text), at+48), sure)
}

// report adds a finding. In a code fence, where it is an example, its confidence is halved. A finding with high
// confidence is hard.
func (s *scanner) report(check string, start, end int, sure float64) {
	if s.code.meets(start, end) {
		sure /= 2
	}
	tier := TierSoft
	if sure >= InjectedAt {
		tier = TierHard
	}
	o := observation{
		check: check,
		tier:  tier,
		sure:  sure,
		start: max(start, 0),
		end:   min(end, len(s.r.text)),
	}
	if check != checkMarkup {
		s.disguised(o)
	}
	s.observe(o)
}

func firstLine(s string, most int) string {
	s = s[:min(len(s), most)]
	if end := strings.IndexByte(s, '\n'); end >= 0 {
		s = s[:end]
	}
	return s
}

// fetchAt returns the position of a command that fetches, or -1.
func fetchAt(line string) int {
	for _, name := range [...]string{"curl ", "wget ", "iwr ", "Invoke-WebRequest "} {
		if i := strings.Index(line, name); i >= 0 {
			return i
		}
	}
	return -1
}

// runs reports whether a line pipes into a shell.
func runs(line string) bool {
	for rest := line; ; {
		_, after, ok := strings.Cut(rest, "|")
		if !ok {
			return false
		}
		if startsShell(after) {
			return true
		}
		rest = after
	}
}

// startsShell reports whether the word after "|" is the name of a shell or an interpreter.
func startsShell(s string) bool {
	s = strings.TrimLeft(s, " ")
	s = strings.TrimPrefix(s, "sudo ")
	s = strings.TrimPrefix(s, "/bin/")
	for _, name := range [...]string{"bash", "sh", "zsh", "python3", "python", "perl", "iex", "node", "ruby"} {
		rest, ok := strings.CutPrefix(s, name)
		if ok && (rest == "" || kinds[rest[0]] != letter && rest[0] != '_' && rest[0] != '.') {
			return true
		}
	}
	return false
}

// encodedCommand reports whether the option is PowerShell's option for a command in base64.
func encodedCommand(t string, at int) bool {
	rest := t[at+1:]
	end := strings.IndexByte(rest[:min(len(rest), 20)], ' ')
	if end < 1 || !strings.HasPrefix("encodedcommand", strings.ToLower(rest[:end])) {
		return false
	}
	before := strings.ToLower(t[max(0, at-80):at])
	return strings.Contains(before, "powershell") || strings.Contains(before, "pwsh")
}
