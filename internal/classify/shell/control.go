package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// idle are the flags with which a program that ends the machine only says something.
var idle = words("--wtmp-only --help --version --show")

// selves are the names under which this firewall's processes are found. A pattern that
// is held against whole command lines may find the last one besides.
var selves = []string{"mcpproxy", "mcpproxy-hook", "mcpproxy serve"}

// maxPattern bounds a pattern of process names that is tried, in bytes.
const maxPattern = 256

// namesSelf reports whether a text names this firewall, also as "[m]cpproxy".
func namesSelf(text string) bool {
	return strings.Contains(strings.ToLower(strings.NewReplacer("[", "", "]", "").Replace(text)), selves[0])
}

// finds reports whether a regular expression finds a process of this firewall.
func finds(pattern string) bool {
	if pattern == "" || namesSelf(pattern) {
		return pattern != ""
	}
	if len(pattern) > maxPattern {
		return false
	}
	re, err := regexp.Compile("(?i)" + pattern)
	return err == nil && slices.ContainsFunc(selves, re.MatchString)
}

// stops notes a program that stops, freezes or traces this firewall.
func (m *machine) stops(program, target string) {
	if m.c.Stops == "" {
		m.c.Stops = strings.TrimSpace(program + " " + target[:min(len(target), maxPattern)])
	}
}

// signals notes a process id, or a port as ":8080" whose user is signalled.
func (m *machine) signals(target string) {
	if len(m.c.Signals) < maxReads && !slices.Contains(m.c.Signals, target) {
		m.c.Signals = append(m.c.Signals, target)
	}
}

// signalNames are what may follow the "-" of a program that sends signals.
var signalNames = words(
	"HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU",
)

// isSignal reports whether an argument is a signal: -9, -STOP, -SIGSTOP.
func isSignal(a string) bool {
	name, ok := strings.CutPrefix(a, "-")
	return ok && name != "" && (digits(name) || signalNames()[strings.TrimPrefix(strings.ToUpper(name), "SIG")])
}

// isShort reports whether an argument holds a flag of one letter: -k, -vk.
func isShort(a, letter string) bool {
	return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, letter)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// serviceTools are told the service first, and then what to do with it.
var serviceTools = words("service rc-service invoke-rc.d")

// unsignalled are the arguments of a program that sends signals without the signal. What
// follows the signal of kill are processes, also those that begin with a "-".
func unsignalled(name string, args []value) []value {
	if serviceTools()[name] && len(args) > 1 && args[len(args)-1].text == "status" {
		return nil // it looks
	}
	if name == "fuser" &&
		!slices.ContainsFunc(args, func(a value) bool { return a.text == "--kill" || isShort(a.text, "k") }) {
		return nil // it lists them
	}
	for i, a := range args {
		used := 0
		switch {
		case a.text == "--":
			return args
		case isSignal(a.text):
			used = 1
		case a.text == "-s" || a.text == "-n" && name == "kill" || a.text == "--signal":
			used = 2
		default:
			continue
		}
		rest := args[min(i+used, len(args)):]
		if name != "kill" {
			return append(slices.Clone(args[:i]), rest...)
		}
		if a.text == "-0" || len(rest) == 0 { // whether it lives
			return nil
		}
		if rest[0].text == "--" {
			return rest
		}
		return append([]value{literal("--")}, rest...)
	}
	return args
}

// controls notes what a program that ends or traces processes is aimed at.
func (d *doing) controls(r role, a value) {
	m, by := d.m, d.row.name
	switch r {
	case holders:
		if port, _, _ := strings.Cut(a.text, "/"); digits(port) {
			m.signals(":" + port)
		} else {
			m.change(a.text)
		}
		return
	case service:
		text := strings.ToLower(a.text)
		glob, err := path.Match(strings.TrimSuffix(text, ".service"), selves[0])
		if namesSelf(text) || err == nil && glob {
			m.stops(by, a.text)
		}
		return
	}
	for _, target := range append(strings.Fields(a.text), "")[:max(1, len(strings.Fields(a.text)))] {
		switch {
		case target == "-1":
			m.stops(by, target)
		case digits(strings.TrimPrefix(target, "-")):
			m.signals(strings.TrimPrefix(target, "-"))
		case r == process && namesSelf(target), r == match && finds(a.text):
			m.stops(by, a.text)
		}
	}
	for _, s := range a.data {
		switch s.Kind {
		case File:
			m.change(s.Name) // the file that holds the process id
		case Output:
			d.listed(s.Name)
		}
	}
}

// ports are the ports in the arguments of lsof and ss.
var ports = lazyregexp.New(`:(\d{1,5})\b`)

// listed notes the processes that a program has listed: "pgrep -f vite".
func (d *doing) listed(list string) {
	program, args, _ := strings.Cut(list, " ")
	if !listers()[program] {
		return
	}
	for _, port := range ports().FindAllStringSubmatch(args, maxSources) {
		d.m.signals(":" + port[1])
	}
	for f := range strings.FieldsSeq(args) {
		switch {
		case strings.HasPrefix(f, "-"):
		case program == "pgrep" && finds(f), namesSelf(f):
			d.m.stops(d.row.name, list)
		case program == "lsof" || program == "fuser":
			d.m.change(f)
		}
	}
}

// ended notes a list of processes that is piped into a program that ends them.
func (d *doing) ended() {
	if row := strings.ToLower(d.row.name); row == "stop-process" || row == "spps" {
		d.controls(process, value{data: d.in.data})
	}
}

// listers are programs that print processes.
var listers = words("ps pgrep pidof lsof ss netstat get-process top")

// listing is what such a program prints.
func listing(name string) builtin {
	return func(_ *machine, args []value, _ value) value {
		return from(
			Source{
				Kind: Output,
				Name: (name + " " + joined(args).text)[:min(maxPattern, len(name)+1+len(joined(args).text))],
			},
		)
	}
}

// narrowed is a list of processes after a filter: what the filter looks for is noted
// with the list.
func narrowed(fields []value, out value) value {
	program := programName(fields[0].text)
	looks := program == "grep" || program == "egrep" || program == "rg" || program == "awk" || program == "gawk" ||
		program == "sed"
	if !looks ||
		slices.ContainsFunc(fields[1:], func(f value) bool { return f.text == "-v" || f.text == "--invert-match" }) {
		return out
	}
	at := slices.IndexFunc(out.data, func(s Source) bool {
		lister, _, _ := strings.Cut(s.Name, " ")
		return s.Kind == Output && listers()[lister]
	})
	if at < 0 {
		return out
	}
	for _, f := range fields[1:] {
		if strings.HasPrefix(f.text, "-") {
			continue
		}
		if namesSelf(f.text) || strings.HasSuffix(program, "grep") && finds(f.text) {
			out.data = slices.Clone(out.data)
			out.data[at].Name += " " + selves[0]
			break
		}
	}
	return out
}

// codeEnds are what code in another language says when it signals, ends or traces
// processes, and numbers what may be their ids.
var (
	codeEnds = lazyregexp.New(
		`(?i)kill|signal|terminate|ptrace|pidfd|stop-(?:process|service|computer)|restart-(?:service|computer)|taskkill|suspend|systemctl|launchctl|shutdown`,
	)
	numbers = lazyregexp.New(`\b\d{2,10}\b`)
)

// codeControls notes what code that ends processes is aimed at.
func (m *machine) codeControls(name, code string) {
	if !codeEnds().MatchString(code) {
		return
	}
	for _, n := range numbers().FindAllString(code, maxSources) {
		m.signals(n)
	}
	if namesSelf(code) {
		m.stops(name, selves[0])
	}
}

// claims notes a program that nobody knows and that is told what only this firewall is
// told: a copy of it, or a link to it.
func (m *machine) claims(row *program, name value, args []value) {
	rows, err := programs()
	listed := err == nil && rows[row.name] != nil
	elsewhere := !name.known || strings.ContainsAny(name.text, `/\`)
	if err != nil || row.marks["decides"] || strings.HasPrefix(row.name, selves[0]) || listed && !elsewhere {
		return
	}
	long := selves[0]
	for _, a := range args[:min(len(args), 6)] {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		long += " " + a.text
		if told := rows[long]; told != nil && (told.marks["telling"] || elsewhere && told.marks["likely"]) {
			m.c.Decides = programName(name.text) + strings.TrimPrefix(long, selves[0])
			return
		}
	}
}
