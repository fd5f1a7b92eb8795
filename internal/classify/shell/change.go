package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/lazyregexp"
)

// changers lists programs that change the files in their arguments. The output files of programs.txt and the targets
// of copies are recorded elsewhere.
var changers = words(
	"rm rmdir unlink mv ln touch chmod chown chgrp chattr truncate shred fallocate setfacl setfattr chflags chcon " +
		"mount umount rename prename mmv ed ex vi vim nvim nano emacs patch sqlite3 sponge " +
		"remove-item move-item set-content add-content out-file clear-content rename-item copy-item new-item ri rd del erase mi sc ac clc rni ren cpi ni",
)

// movers lists changers that move or hide a folder with its whole content. Other changers do so only with a flag for
// recursion: rm -r, chmod -R.
var (
	movers   = words("mv mount umount rename move-item rename-item mi rni")
	descends = words("rm remove-item ri chmod chown chgrp chattr setfacl chflags chcon")
)

// permits lists the changers that set permissions. In a project they are harmless, because the hooks of the project
// stay readable.
var permits = words("chmod chown chgrp chattr setfacl chflags chcon")

// fillers lists programs that write any amount of data. They can fill the disk that holds a folder.
var fillers = words("fallocate truncate dd")

// inPlace lists programs that change files in place if a flag says so.
var inPlace = words("sed gsed perl ruby awk gawk")

// codeChanges matches calls in other languages that change files.
var codeChanges = lazyregexp.NewFiltered(
	`(?i)["'](?:w|a|x|r\+|w\+|a\+|wb|ab|rb\+)["']|write|unlink|remove|\brm(?:dir|sync|_r)|rename|rmtree|truncate|copy|move|replace|file_put_contents|symlink|chmod|open\s+\w+\s*,\s*["']\+?>|\bdump\b|touch|delete`,
)

// codeDescends matches calls in other languages that change a folder with its whole content.
var codeDescends = lazyregexp.NewFiltered(
	`(?i)rmtree|rmsync|rm_r|remove_dir|rimraf|remove-item|\bmove|rename|delete_tree|recursive`,
)

// change records that a file may be written, replaced or removed.
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

// rooted reports whether a path does not depend on the current folder.
func rooted(file string) bool {
	return strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "$")
}

// below returns the pattern for a folder with its whole content.
func below(folder string) string { return strings.TrimRight(folder, "/") + "/**" }

// changes records the files that a program changes, and the changes of the current folder. args are the arguments
// after the words of the program's name. all also has the arguments between these words, such as -C D in "git -C D
// checkout x".
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

// changesAll records the files in args as changed if the program is one of changers.
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

// unpacks records the folder into which an archive is unpacked.
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

// gitWrites lists the subcommands of git that write files of the working tree.
var gitWrites = words(
	"checkout checkout-index restore clean stash reset switch pull merge rebase apply am rm mv revert cherry-pick read-tree worktree sparse-checkout",
)

// gitChanges records the working tree, and the paths in it, as changed by git.
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

// serverLists are the files in which the command line tools of agents configure MCP servers.
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

// listChanges lists the subcommands of "mcp" that change the files of serverLists.
var listChanges = words("add add-json add-from-claude-desktop remove enable disable")

// edits reports whether a flag makes a program change its files in place: -i, -i.bak, -pi, --in-place.
func edits(flag string) bool {
	return strings.HasPrefix(flag, "--in-place") || flag == "inplace" ||
		strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.Contains(flag, "i")
}

// enter changes the current folder. The folder is unknown afterwards if the argument is not known.
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

// codeWrites records the paths in code that changes files.
func (m *machine) codeWrites(code string) {
	if !codeChanges.MatchString(code) {
		return
	}
	for _, q := range quoted().FindAllStringSubmatch(code, maxSources) {
		if s := q[1] + q[2]; strings.ContainsAny(s, `/\~`) || strings.Contains(s, ".") {
			m.change(s)
			if codeDescends.MatchString(code) {
				m.change(below(s))
			}
		}
	}
}
