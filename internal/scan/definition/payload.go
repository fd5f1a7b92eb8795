package definition

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const idPayload = "payload.decoded"

// inspectPayload examines text that appears only after decoding: base64, hex, percent codes, tag characters and so
// on, also nested. Only a command or an instruction is a threat, because legitimate definitions also encode settings,
// notes and pictures. The evidence is the decoded text.
func inspectPayload(tool *ToolView, _ *RegistryView) []Signal {
	r := tool.read()
	var out []Signal
	told := map[int]bool{}
	for _, v := range r.doc.Views() {
		if v.How == "" || told[v.Part] || !encoded(v.How) || plainer(r.doc, v) {
			continue
		}
		if line := commandIn(v.Text); line != "" {
			told[v.Part] = true
			out = append(out, payload(r, v.Part, line, "A command appears only after decoding ("+v.How+")."))
		}
	}
	for _, n := range r.notes {
		if n.How == "" || told[n.part] || !encoded(n.How) || !n.hard && n.sure < 0.5 ||
			slices.Contains(notOrders, n.Check) ||
			softEncoding(n.How) && n.Check != "payload.decoded" {
			continue
		}
		told[n.part] = true
		out = append(out, payload(r, n.part, n.Evidence, "An instruction appears only after decoding ("+n.How+")."))
	}
	if r.doc.Truncated() {
		out = append(out, Signal{
			Tier:       scan.TierSoft,
			ThreatType: threatOther,
			Severity:   mcpproxy.SeverityMedium,
			Confidence: 0.5,
			Detail:     "The definition contains more encoded text than mcpproxy examines.",
		})
	}
	return out
}

// notOrders are kinds of findings that are not evidence in decoded text.
var notOrders = []string{"unicode.hidden", "ansi.escape", "markup.fake", rowPrefer}

// softEncoding reports whether how is only the removal of escapes, which legitimate texts often contain.
func softEncoding(how string) bool {
	return how == "escapes" || how == "form encoding" || how == "quoted-printable" || how == "reversal" ||
		how == "rot13"
}

// plainer reports whether v only removes escapes from a text that is readable with them.
func plainer(d *text.Document, v *text.View) bool {
	return softEncoding(v.How) && commandIn(d.Parts[v.Part].Text) != ""
}

func payload(r *parsedDefinition, part int, evidence, detail string) Signal {
	return Signal{
		Tier:       scan.TierHard,
		ThreatType: threatCode,
		Severity:   mcpproxy.SeverityCritical,
		Confidence: 0.95,
		Evidence:   evidence,
		Detail:     detail,
		Path:       r.path(r.doc.Parts[part]),
	}
}

// maxLine is the length of a decoded line that is examined.
const maxLine = 2000

// commandIn returns the first line of s that would do harm in a shell or interpreter, or "".
func commandIn(s string) string {
	for line := range strings.SplitSeq(s, "\n") {
		if harmful(line[:min(len(line), maxLine)]) {
			return strings.TrimSpace(line[:min(len(line), maxLine)])
		}
	}
	return ""
}

// harmful reports whether a line is a command that fetches, sends, runs or
// destroys.
func harmful(line string) bool {
	low := strings.ToLower(line)
	for _, sign := range [...]string{"/dev/tcp/",
		"| sh", "|sh", "| bash", "|bash", "| /bin/", "rm -rf ", "chmod +x ",
		"chmod 777 ", "powershell -", "bash -i", "bash -c ", "sh -c ",
		"nc -e", "ncat -e", "mkfifo ", "os.system(", "subprocess.", "child_process", "__import__(", "eval(atob", "exec(base64", "invoke-expression", "iex(", "iex (",
		"downloadstring", "authorized_keys", "crontab ", "certutil -urlcache", "/etc/shadow", "id_rsa", "document.cookie", "base64 -d"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	address := strings.Contains(low, "://") || hasIP(low)
	for _, name := range [...]string{"curl ", "wget ", "nc ", "ncat ", "iwr ", "invoke-webrequest ",
		"scp ", "ftp ", "telnet ", "fetch(", "requests.post(", "requests.get(", "urllib", "socket.connect"} {
		if i := strings.Index(low, name); i >= 0 && (i == 0 || !isLetter(low[i-1])) && address {
			return true
		}
	}
	return strings.Contains(low, "&& /tmp/") || strings.Contains(low, "> /tmp/") && address
}

// commands reports lines that send data away or open the machine to others. Other commands are quoted in many
// legitimate definitions.
func commands(tool *ToolView, pick func(where) bool) []Signal {
	r := tool.read()
	var out []Signal
	for i := range r.doc.Parts {
		p := &r.doc.Parts[i]
		if p.Opened() || p.Kind != text.Value || !mayCommand(p.Text) {
			continue
		}
		line := theftIn(p.Text)
		if line == "" {
			continue
		}
		if path := r.path(*p); pick(placeOf(path, p.Kind)) && !exhibit(p.Text, line) {
			out = append(out, Signal{
				Tier:       scan.TierHard,
				ThreatType: threatCode,
				Severity:   mcpproxy.SeverityCritical,
				Confidence: 0.85,
				Evidence:   line,
				Detail:     "A command sends data away, or opens the machine to others.",
				Path:       path,
			})
		}
	}
	return out
}

// exhibit reports whether the command in line is something that the tool detects, or an example in a sentence about
// what the tool does.
func exhibit(s, line string) bool {
	at := max(0, strings.Index(s, line))
	end := at + len(strings.TrimRight(line, ".!?)\"'` "))
	return watches(s, end) || sampled(s, end)
}

// mayCommand reports whether s holds the name of something that [theftIn] looks for.
func mayCommand(s string) bool {
	for _, name := range [...]string{"curl ", "wget ", "nc ", "fetch(", "/dev/tcp", "rm -rf", "<script", "<SCRIPT"} {
		if strings.Contains(s, name) {
			return true
		}
	}
	return false
}

// theftIn returns the first line of s with a command that steals or breaks in, or "".
func theftIn(s string) string {
	for line := range strings.SplitSeq(s, "\n") {
		line = line[:min(len(line), maxLine)]
		low := strings.ToLower(line)
		fetch := (strings.Contains(low, "curl ") || strings.Contains(low, "wget ") ||
			strings.Contains(low, " nc ") || strings.Contains(low, "fetch(")) &&
			(strings.Contains(low, "://") || hasIP(low))
		sensitive := false
		for _, sign := range [...]string{"$(env", "$(cat", "$(printenv", "$(whoami", "`env`", "`cat ", "`whoami`", "@~/", "@/etc/", "@$home", "id_rsa", ".aws/credentials", "/etc/passwd",
			"/etc/shadow", "env | base64", "printenv", "process.env", "os.environ", "document.cookie", "$(base64"} {
			sensitive = sensitive || strings.Contains(low, sign)
		}
		piped := fetch && runsHidden(low)
		script := strings.Contains(low, "<script") && strings.Contains(low, "</script") &&
			(strings.Contains(low, "alert(") || strings.Contains(low, "eval(") || strings.Contains(low, "fetch(") || strings.Contains(low, "document."))
		if script || fetch && sensitive || piped || strings.Contains(low, "/dev/tcp/") || strings.Contains(low, "nc -e") ||
			strings.Contains(low+" ", "rm -rf / ") ||
			strings.Contains(low, "rm -rf ~") ||
			strings.Contains(low, "rm -rf /*") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// runsHidden reports whether a line pipes what it fetches from an IP address, or without encryption, into a shell.
func runsHidden(low string) bool {
	return (strings.Contains(low, "| sh") || strings.Contains(low, "| bash") || strings.Contains(low, "|sh") ||
		strings.Contains(low, "|bash")) &&
		(hasIP(low) || strings.Contains(low, "http://"))
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// hasIP reports whether s contains something like an IPv4 address.
func hasIP(s string) bool {
	dots, digits := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
			if dots == 3 {
				return true
			}
		case c == '.' && digits > 0 && digits < 4:
			dots++
			digits = 0
		default:
			dots, digits = 0, 0
		}
	}
	return false
}
