package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/lazyregexp"
)

// changers are programs that change the files that they are given. What programs.txt
// knows to be written, and where copies go, is noted besides.
var changers = words(
	"rm rmdir unlink mv ln touch chmod chown chgrp chattr truncate shred fallocate setfacl setfattr chflags chcon " +
		"mount umount rename prename mmv ed ex vi vim nvim nano emacs patch sqlite3 sponge " +
		"remove-item move-item set-content add-content out-file clear-content rename-item copy-item new-item ri rd del erase mi sc ac clc rni ren cpi ni",
)

// movers take a folder with all that is in it, or hide it. Others do so when a flag says
// that they descend: rm -r, chmod -R.
var (
	movers   = words("mv mount umount rename move-item rename-item mi rni")
	descends = words("rm remove-item ri chmod chown chgrp chattr setfacl chflags chcon")
)

// permits are those of them that set who may use files. In a project they are harmless:
// its hooks stay readable.
var permits = words("chmod chown chgrp chattr setfacl chflags chcon")

// fillers write as much as they are told, so that the disk of a folder is full.
var fillers = words("fallocate truncate dd")

// inPlace are programs that do so when a flag says it.
var inPlace = words("sed gsed perl ruby awk gawk")

// codeChanges are what code in another language says when it changes files.
var codeChanges = lazyregexp.New(
	`(?i)["'](?:w|a|x|r\+|w\+|a\+|wb|ab|rb\+)["']|write|unlink|remove|\brm(?:dir|sync|_r)|rename|rmtree|truncate|copy|move|replace|file_put_contents|symlink|chmod|open\s+\w+\s*,\s*["']\+?>|\bdump\b|touch|delete`,
)

// codeDescends is what such code says when it takes folders with all that is in them.
var codeDescends = lazyregexp.New(
	`(?i)rmtree|rmsync|rm_r|remove_dir|rimraf|remove-item|\bmove|rename|delete_tree|recursive`,
)

// change notes that a file may be written, replaced or removed.
func (m *machine) change(file string) {
	if file == "" || file == "-" {
		return
	}
	file = strings.ReplaceAll(file, "/./", "/")
	if m.dir != "" && !rooted(file) {
		file = path.Join(m.dir, file)
	}
	if len(m.c.Writes) < maxReads && !slices.Contains(m.c.Writes, file) {
		m.c.Writes = append(m.c.Writes, file)
	}
}

// rooted reports whether a path says where it begins.
func rooted(file string) bool {
	return strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "$")
}

// below is a folder with all that is in it.
func below(folder string) string { return strings.TrimRight(folder, "/") + "/**" }

// changes notes what a program changes by its arguments, and where it goes. All are its
// arguments with the words of its name: "-C D checkout x".
func (m *machine) changes(program string, all, args []value) {
	switch name := strings.ToLower(program); {
	case name == "cd" || name == "pushd" || name == "chdir" || name == "set-location":
		m.enter(args)
	case len(serverLists()[name]) > 0 && len(args) > 1 && args[0].text == "mcp" && listChanges()[args[1].text]:
		for _, file := range serverLists()[name] {
			m.change(file)
		}
	case changers()[name] || inPlace()[name] && slices.ContainsFunc(args, func(a value) bool { return edits(a.text) }):
		m.changesAll(name, args)
	case name == "git" || strings.HasPrefix(name, "git "):
		m.gitChanges(strings.TrimPrefix(name, "git "), all, args)
	case name == "cpio" || name == "bsdcpio" || name == "7z" || name == "7za" || name == "unrar" || name == "unzip":
		m.unpacks(args)
	case name == "cp" || name == "install" || name == "rsync":
		last := len(args) - 1
		if name == "rsync" && last > 0 &&
			slices.ContainsFunc(args, func(a value) bool { return strings.HasPrefix(a.text, "--delete") }) {
			m.change(below(args[last].text))
		}
		for i, a := range args {
			if into, ok := strings.CutPrefix(a.text, "--target-directory="); ok {
				m.change(into)
			} else if i > 0 && slices.Contains([]string{"-t", "-d", "--target-directory"}, args[i-1].text) {
				m.change(a.text)
			}
		}
	}
}

// changesAll notes what a program changes that changes all that it is given.
func (m *machine) changesAll(name string, args []value) {
	deep := movers()[name] || descends()[name] && slices.ContainsFunc(args, func(a value) bool {
		flag, ok := strings.CutPrefix(a.text, "-")
		return ok &&
			(!strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, "rR") || strings.HasPrefix(strings.ToLower(flag), "-rec"))
	})
	last := len(args) - 1
	for i, a := range args {
		if a.text == "" || strings.HasPrefix(a.text, "-") {
			continue
		}
		m.change(a.text)
		if deep && (name != "mv" || i < last) && (rooted(a.text) || !permits()[name]) {
			m.change(below(a.text))
		}
		if fillers()[name] {
			m.change(path.Dir(a.text))
		}
	}
}

// unpacks notes the folder into which an archive is unpacked.
func (m *machine) unpacks(args []value) {
	into := "."
	for i, a := range args {
		switch to, ok := strings.CutPrefix(a.text, "--directory="); {
		case ok:
			into = to
		case i > 0 && slices.Contains([]string{"-d", "-D", "--directory", "-C"}, args[i-1].text):
			into = a.text
		case strings.HasPrefix(a.text, "-o") && len(a.text) > 2:
			into = a.text[2:]
		}
	}
	m.change(into)
}

// gitWrites are the subcommands that write files of the working tree.
var gitWrites = words(
	"checkout checkout-index restore clean stash reset switch pull merge rebase apply am rm mv revert cherry-pick read-tree worktree sparse-checkout",
)

// gitChanges notes the working tree that git writes, and the paths in it.
func (m *machine) gitChanges(command string, all, args []value) {
	tries := func(a value) bool {
		return a.text == "--dry-run" || a.text == "-n" && (command == "clean" || command == "rm")
	}
	if !gitWrites()[command] || slices.ContainsFunc(args, tries) {
		return
	}
	tree := "."
	for i, a := range all {
		if at, ok := strings.CutPrefix(a.text, "--work-tree="); ok {
			tree = at
		} else if i > 0 && (all[i-1].text == "-C" || all[i-1].text == "--work-tree") {
			tree = a.text
		}
	}
	m.change(tree)
	named := false
	for _, a := range args {
		if a.text == "" || a.text == "." || strings.HasPrefix(a.text, "-") {
			continue
		}
		named = true
		file := a.text
		if !rooted(file) {
			file = path.Join(tree, file)
		}
		m.change(file)
		m.change(below(file))
	}
	if command == "clean" && !named {
		m.change(below(tree))
	}
}

// serverLists are the files in which an agent's own program names MCP servers.
var serverLists = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	for _, a := range agent.WithServers() {
		for _, scope := range a.Servers.Command {
			file := a.Servers.Files[scope].Names[0]
			if scope != agent.Project {
				file = path.Join("~", a.ServerFolder().Path, file)
			}
			for _, program := range a.Programs {
				lists[program] = append(lists[program], file)
			}
		}
	}
	return lists
})

// listChanges are the words behind "mcp" with which it changes them.
var listChanges = words("add add-json add-from-claude-desktop remove enable disable")

// edits reports whether a flag has a program change its files: -i, -i.bak, -pi,
// --in-place.
func edits(flag string) bool {
	return strings.HasPrefix(flag, "--in-place") || flag == "inplace" ||
		strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.Contains(flag, "i")
}

// enter follows a change of the folder. Where it cannot be followed, the folder is not
// known.
func (m *machine) enter(args []value) {
	to := "~"
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			to = a.text
		}
	}
	if !rooted(to) && m.dir != "" {
		to = path.Join(m.dir, to)
	}
	if m.dir = to; len(args) > 0 && args[0].text == "-" {
		m.dir = ""
	}
}

// codeWrites notes the paths in code that changes files.
func (m *machine) codeWrites(code string) {
	if !codeChanges().MatchString(code) {
		return
	}
	for _, q := range quoted().FindAllStringSubmatch(code, maxSources) {
		if s := q[1] + q[2]; strings.ContainsAny(s, `/\~`) || strings.Contains(s, ".") {
			m.change(s)
			if codeDescends().MatchString(code) {
				m.change(below(s))
			}
		}
	}
}
