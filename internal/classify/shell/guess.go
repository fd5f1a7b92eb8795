package shell

import (
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// addressShape matches an argument that almost certainly names another machine: a URL, an IP address, user@host, or a
// name with a port.
var addressShape = lazyregexp.New(
	`^(?:[a-z][a-z0-9+.-]*://\S+|(?:[\w.+-]+@)?(?:\d{1,3}\.){3}\d{1,3}(?::\S*)?|[\w.+-]+@(?:[\w-]+\.)+[a-zA-Z]{2,}(?::\S*)?|` +
		`(?:[\w-]+\.)+[a-zA-Z]{2,}:\d{1,5}(?:/\S*)?|\[[0-9a-fA-F:]+\](?::\d+)?)$`,
)

// bareIP matches an argument that is only an IP address. As the value of a flag it may also be a number.
var bareIP = lazyregexp.New(`^[0-9.]+$`)

// hostFlags precede a host. The names of fileFlags contain a word for data that is sent. Other flags take settings,
// lists and output files.
var (
	hostFlags = words(
		"--host --hostname --server --to --remote --endpoint --addr --address --dest --destination --peer --broker --url",
	)
	fileFlags   = []string{"file", "upload", "data", "body", "send", "put", "input", "attach", "payload", "source", "push"}
	fileLetters = words("-f -d -i")
)

// handing lists words of a command that sends files: tool upload FILE URL.
var handing = words("upload send push put post publish share transfer copy cp backup sync export import deploy store submit")

// guess records what an unknown program may do. If its arguments name a file and another machine, it may send the file
// to the machine.
func (d *doing) guess(args []value) {
	rows, err := programs()
	if err != nil || rows[d.row.name] != nil || rows[strings.ToLower(d.row.name)] != nil || d.row.name == "unknown" {
		return
	}
	named := slices.ContainsFunc(append(strings.Split(d.row.name, "-"), texts(args)...), func(w string) bool {
		return handing()[strings.TrimLeft(w, "-")]
	})
	var hosts []Endpoint
	url := false
	data := slices.DeleteFunc(local(d.in.data), func(s Source) bool { return s.Kind != File })
	var positional []Source
	before := ""
	for _, a := range args {
		text := a.text
		flag, inline, has := strings.Cut(text, "=")
		switch {
		case strings.HasPrefix(text, "-") && has:
			text, before = inline, flag
		case strings.HasPrefix(text, "-"):
			before = text
			continue
		}
		e, ok := otherMachine(text, before)
		switch {
		case ok:
			hosts = append(hosts, e)
			url = url || strings.Contains(text, "://")
		case !pathLike(text):
		case before == "":
			positional = append(positional, Source{Kind: File, Name: text})
		case contains(before, fileFlags) || fileLetters()[before]:
			data = union(data, []Source{{Kind: File, Name: text}})
		}
		before = ""
	}
	if named || !url { // beside a URL, a file without a flag is often the output file
		data = union(data, positional)
	}
	if len(data) == 0 || len(hosts) == 0 {
		return
	}
	for _, s := range data {
		d.m.reads(s)
	}
	for _, e := range hosts {
		d.m.send(Send{
			By:    d.row.name,
			To:    e,
			Data:  data,
			Guess: true,
		})
	}
}

// otherMachine returns the machine that an argument after a flag probably names.
func otherMachine(text, flag string) (Endpoint, bool) {
	shaped := addressShape().MatchString(text) && (flag == "" || hostFlags()[flag] || !bareIP().MatchString(text))
	if !shaped && !(hostFlags()[flag] && hostShape().MatchString(text)) ||
		strings.HasPrefix(text, "file://") {
		return Endpoint{}, false
	}
	e, ok := remotePath(text)
	if !ok {
		e, ok = endpoint(text)
	}
	return e, ok && !e.inside()
}

// pathLike reports whether an argument is probably the path of a file.
func pathLike(text string) bool {
	text = strings.TrimPrefix(text, "@")
	return strings.ContainsAny(text, "/~") && !strings.Contains(text, "://") || fileNames().MatchString(text)
}

func texts(args []value) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.text
	}
	return out
}
