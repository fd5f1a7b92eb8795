package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// idle lists flags with which a program that shuts the machine down only prints something.
var idle = words("--wtmp-only --help --version --show")

// selves are the names of mcpproxy's processes. The last one is a command line, which patterns for whole command lines
// may match.
var selves = []string{"mcpproxy", "mcpproxy-hook", "mcpproxy serve"}

// maxPattern is the maximum length, in bytes, of a pattern for process names that is evaluated.
const maxPattern = 256

// namesSelf reports whether a text names mcpproxy, including the form "[m]cpproxy".
func namesSelf(text string) bool {
	return strings.Contains(strings.ToLower(brackets.Replace(text)), selves[0])
}

var brackets = strings.NewReplacer("[", "", "]", "")

// finds reports whether a regular expression matches a process of mcpproxy.
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

// stops records a program that stops, freezes or traces mcpproxy.
func (m *machine) stops(program, target string) {
	if m.c.Stops == "" {
		m.c.Stops = strings.TrimSpace(program + " " + target[:min(len(target), maxPattern)])
	}
}

// signals records the target of a signal: a process id, or a port as ":8080", which stands for the processes that use
// it.
func (m *machine) signals(target string) {
	if len(m.c.Signals) < maxReads && !slices.Contains(m.c.Signals, target) {
		m.c.Signals = append(m.c.Signals, target)
	}
}

// signalNames lists the names of signals that can follow "-" in an argument.
var signalNames = words(
	"HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU",
)

// isSignal reports whether an argument is a signal: -9, -STOP, -SIGSTOP.
func isSignal(a string) bool {
	name, ok := strings.CutPrefix(a, "-")
	return ok && name != "" && (digits(name) || signalNames()[strings.TrimPrefix(strings.ToUpper(name), "SIG")])
}

// isShort reports whether an argument contains a one-letter flag: -k, -vk.
func isShort(a, letter string) bool {
	return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, letter)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// serviceTools lists programs that take the name of the service first and the action second.
var serviceTools = words("service rc-service invoke-rc.d")

// unsignalled returns the arguments of a program that sends signals, without the signal itself. All arguments of kill
// after the signal are processes, even if they begin with "-".
func unsignalled(name string, args []value) []value {
	if serviceTools()[name] && len(args) > 1 && args[len(args)-1].text == "status" {
		return nil // the program only shows something
	}
	if name == "fuser" &&
		!slices.ContainsFunc(args, func(a value) bool { return a.text == "--kill" || isShort(a.text, "k") }) {
		return nil // it lists processes
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
		if a.text == "-0" || len(rest) == 0 { // it checks whether a process exists
			return nil
		}
		if rest[0].text == "--" {
			return rest
		}
		return append([]value{literal("--")}, rest...)
	}
	return args
}

// controls records the target of a program that ends or traces processes.
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

// ports matches the ports in the arguments of lsof and ss.
var ports = lazyregexp.New(`:(\d{1,5})\b`)

// listed records the processes that a program has listed, such as "pgrep -f vite".
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

// ended records the processes in a list that is piped into a program that ends them.
func (d *doing) ended() {
	if row := strings.ToLower(d.row.name); row == "stop-process" || row == "spps" {
		d.controls(process, value{data: d.in.data})
	}
}

// listers lists programs that print processes.
var listers = words("ps pgrep pidof lsof ss netstat get-process top")

// listing returns the builtin for a program that prints processes.
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

// narrowed returns the output of a filter on a list of processes. It adds the filter's pattern to the list.
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

// codeEnds matches calls in other languages that signal, end or trace processes. numbers matches numbers that may be
// process ids.
var (
	codeEnds = lazyregexp.NewFiltered(
		`(?i)kill|signal|terminate|ptrace|pidfd|stop-(?:process|service|computer)|restart-(?:service|computer)|taskkill|suspend|systemctl|launchctl|shutdown`,
	)
	numbers = lazyregexp.New(`\b\d{2,10}\b`)
)

// codeControls records the targets of code that ends processes.
func (m *machine) codeControls(name, code string) {
	if !codeEnds.MatchString(code) {
		return
	}
	for _, n := range numbers().FindAllString(code, maxSources) {
		m.signals(n)
	}
	if namesSelf(code) {
		m.stops(name, selves[0])
	}
}

// claims records an unknown program whose arguments only mcpproxy takes. It may be a copy of mcpproxy or a link to it.
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
