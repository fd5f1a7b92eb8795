package shell

import "strings"

// builtin executes a command that programs.txt cannot describe: one that changes the state of the machine, or one that
// runs other programs. in is the standard input, and the result is the output.
type builtin func(m *machine, args []value, in value) value

// builtinOf returns the builtin with the given name, or nil.
func builtinOf(name string) builtin {
	switch name {
	case "echo":
		return echo
	case "printf":
		return printf
	case "read", "mapfile", "readarray":
		return readInto
	case "eval":
		return func(m *machine, args []value, in value) value { return m.runText(joined(args), in) }
	case "trap":
		return func(m *machine, args []value, in value) value {
			return m.runText(joined(args[:min(1, len(args))]), in)
		}
	case "source", ".":
		return source
	case "alias":
		return alias
	case "set":
		return set
	case "exec":
		return func(m *machine, args []value, in value) value { return m.run(args, in) }
	case "xargs", "gxargs", "parallel":
		return xargs
	case "find", "fd", "fdfind":
		return find
	case "ls":
		return list
	case "which":
		return which
	case "ps", "pgrep", "pidof", "lsof", "ss", "netstat", "get-process", "Get-Process":
		return listing(name)
	case "apply_patch", "applypatch", "patch", "git apply", "git am":
		return patch
	case "dd":
		return dd
	case "crontab", "at", "batch":
		return later
	case "tar", "bsdtar":
		return tar
	case "git remote add", "git remote set-url":
		return gitRemoteAdd
	case "git config":
		return gitConfig
	case "mount", "mount.cifs", "mount.nfs", "mount.davfs", "mount_smbfs", "mount_nfs", "sshfs", "curlftpfs",
		"s3fs", "gcsfuse", "goofys", "rclone mount":
		return mount
	case "ztcp":
		return ztcp
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash":
		return shell
	}
	return nil
}

// joined returns the arguments as one value, with spaces between them.
func joined(args []value) value {
	out := literal("")
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(a.text)
		out.known = out.known && a.known
		out.data = union(out.data, a.data)
	}
	out.text = b.String()
	return out
}

func echo(m *machine, args []value, _ value) value {
	escapes := false
	for len(args) > 0 && len(args[0].text) > 1 && strings.Trim(args[0].text, "neE") == "-" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	out := joined(args)
	if escapes {
		out.text = unescape(out.text)
	}
	return m.afford(out)
}

// printf inserts its arguments at the verbs of its format, such as %s.
func printf(m *machine, args []value, _ value) value {
	if len(args) > 1 && args[0].text == "-v" {
		m.set(args[1].text, []value{printf(m, args[2:], value{})}, false, false)
		return value{}
	}
	if len(args) == 0 {
		return value{}
	}
	format, rest := unescape(args[0].text), args[1:]
	out := joined(args)
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		if i++; format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if strings.IndexByte("sbcdqx", format[i]) < 0 {
			out.known = false
		}
		if len(rest) > 0 {
			if s := rest[0].text; format[i] == 'b' {
				b.WriteString(unescape(s))
			} else {
				b.WriteString(s)
			}
			rest = rest[1:]
		}
	}
	for _, a := range rest { // printf repeats the format for further arguments
		b.WriteString(a.text)
	}
	out.text = b.String()
	return m.afford(out)
}

func readInto(m *machine, args []value, in value) value {
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			m.set(a.text, []value{in}, false, false)
		}
	}
	m.vars["REPLY"], m.vars["MAPFILE"] = []value{in}, []value{in}
	return value{}
}

func set(m *machine, args []value, _ value) value {
	if len(args) == 0 {
		return m.reads(environment)
	}
	for i, a := range args {
		if a.text == "--" {
			m.args = args[i+1:]
		}
	}
	return value{}
}
