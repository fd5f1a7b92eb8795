package classify

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
)

// CommandEffect returns the effect of a command line by the words of its commands. It ignores quoted words that
// contain spaces, such as a commit message.
func CommandEffect(line string) mcpproxy.Effect {
	var e mcpproxy.Effect
	for _, command := range commandWords(line) {
		e = moreSerious(e, byCommand(command))
	}
	return e
}

// Uploads reports whether at least one command of a line sends something.
func Uploads(line string) bool {
	sends := func(c []string) bool {
		return byCommand(c) == mcpproxy.EffectSend ||
			launching.has(c[0]) && len(c) > 1 && byCommand(c[1:]) == mcpproxy.EffectSend // "uvx twine upload dist/*"
	}
	return slices.ContainsFunc(commandWords(line), sends)
}

// commandWords returns the words of each command of a line, in lower case.
func commandWords(line string) [][]string {
	var out [][]string
	var words []string
	var quote rune
	var b strings.Builder
	flush := func() {
		if w := b.String(); w != "" {
			words = append(words, w)
		}
		b.Reset()
	}
	end := func() {
		flush()
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for _, r := range line[:min(len(line), 4<<10)] {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				b.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ';' || r == '|' || r == '&' || r == '\n' || r == '(' || r == ')':
			end()
		case unicode.IsSpace(r):
			flush()
		default:
			b.WriteRune(r)
		}
	}
	end()
	return out
}

// Programs that only read, and programs whose effect depends on their arguments.
var (
	looking = words(
		"cat ls head tail grep rg awk sed find wc sort uniq cut diff jq yq echo printf test stat file du df ps top env pwd cd which date id whoami hostname sleep tree less more true false basename dirname xxd od sha256sum md5sum dig nslookup ping curl wget",
		"getent host traceroute tracepath mtr whois lsof free uptime column tac nl cmp shasum zcat zgrep",
	)
	removing   = words("rm rmdir shred unlink dropdb truncate")
	installing = words("pip pip3 npm pnpm yarn apt apt-get brew gem cargo go uv poetry dnf yum apk conda")
	launching  = words("npx uvx bunx pipx dlx")
	copying    = words("scp rsync sftp")
	admitting  = words("ufw iptables chmod setfacl usermod")
	prefixes   = words("sudo env time then do") // words that can precede a command
	// objectFirst lists programs whose arguments name an object first and then the action.
	objectFirst = words("gh glab az gcloud doctl heroku fly flyctl vercel wrangler hcloud stripe")
)

// operating lists programs that operate services. The name of a service in their arguments says nothing about the
// effect.
var operating = words("kubectl oc helm docker podman nomad systemctl journalctl terraform tofu kustomize k9s stern crictl nerdctl service supervisorctl pm2")

// temporaryFolders are folders for temporary files.
var temporaryFolders = []string{"/tmp/", "/var/tmp/", "/dev/shm/"}

// temporary reports whether all operands are files in temporaryFolders.
func temporary(args []string) bool {
	named := 0
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		a = strings.Trim(a, "\"'")
		isIn := func(folder string) bool { return strings.HasPrefix(a, folder) && len(a) > len(folder) }
		if strings.Contains(a, "..") || !slices.ContainsFunc(temporaryFolders, isIn) {
			return false
		}
		named++
	}
	return named > 0
}

// byCommand returns the effect of one command.
func byCommand(all []string) mcpproxy.Effect {
	for len(all) > 0 && (strings.Contains(all[0], "=") || prefixes.has(all[0])) {
		all = all[1:]
	}
	if len(all) == 0 {
		return ""
	}
	c := simple{
		words:   all,
		program: all[0][strings.LastIndexByte(all[0], '/')+1:],
		tokens:  telling(all[1:]),
		method:  methodOf(all),
	}
	if c.program == "ssh" {
		return c.elsewhere()
	}
	if inner := c.inContainer(); len(inner) > 0 {
		if at := slices.Index(inner, "-c"); at > 0 && shells.has(inner[0]) {
			return moreSerious(mcpproxy.EffectRun, CommandEffect(strings.Join(inner[at+1:], " ")))
		}
		return moreSerious(mcpproxy.EffectRun, byCommand(inner))
	}
	if at := ScriptOf(all); at > 0 {
		return moreSerious(mcpproxy.EffectRun, CommandEffect(all[at]))
	}
	for _, rule := range commandRules {
		if rule.holds(c) {
			return rule.effect
		}
	}
	return c.byVerb()
}

// simple is one command of a line.
type simple struct {
	words   []string // all words; the program is the first
	program string   // the program's name without its folder
	tokens  []string // the words of the arguments that indicate the effect
	method  string   // the HTTP method, if an argument names it
}

// commandRules determine the effect of a command. The first rule that matches decides. Rules about arguments precede
// rules about programs.
var commandRules = []struct {
	holds  func(simple) bool
	effect mcpproxy.Effect
}{
	{simple.signals, mcpproxy.EffectRun},
	{simple.storesValue, mcpproxy.EffectChange},
	{simple.opensDoor, mcpproxy.EffectGrant},
	{simple.publishesStore, mcpproxy.EffectWeaken},
	{func(c simple) bool { return c.method == "DELETE" && checkThings.in(c.tokens) }, mcpproxy.EffectWeaken},
	{func(c simple) bool { return c.method == "DELETE" }, mcpproxy.EffectDelete},
	{simple.edits, mcpproxy.EffectChange},
	{fetching(mcpproxy.EffectChange), mcpproxy.EffectChange},
	{fetching(mcpproxy.EffectSend), mcpproxy.EffectSend},
	{fetching(mcpproxy.EffectInstall), mcpproxy.EffectInstall},
	{simple.downloads, mcpproxy.EffectRead},
	{simple.uploads, mcpproxy.EffectSend},
	{simple.appliesFromWeb, mcpproxy.EffectInstall},
	{func(c simple) bool { return looking.has(c.program) }, mcpproxy.EffectRead},
	{simple.queries, mcpproxy.EffectRead},
	// Removing temporary files counts as a change, not as a deletion, because nobody needs them later.
	{func(c simple) bool { return removing.has(c.program) && temporary(c.words[1:]) }, mcpproxy.EffectChange},
	{func(c simple) bool { return removing.has(c.program) }, mcpproxy.EffectDelete},
	{withGit(mcpproxy.EffectRead), mcpproxy.EffectRead},
	{withGit(mcpproxy.EffectSend), mcpproxy.EffectSend},
	{withGit(mcpproxy.EffectDelete), mcpproxy.EffectDelete},
	{withGit(mcpproxy.EffectChange), mcpproxy.EffectChange},
	{func(c simple) bool { return launching.has(c.program) && c.runsInstalled() }, mcpproxy.EffectRun},
	{func(c simple) bool { return launching.has(c.program) }, mcpproxy.EffectInstall},
	{func(c simple) bool { return c.manages(installs) }, mcpproxy.EffectInstall},
	{func(c simple) bool { return c.manages(publishes) }, mcpproxy.EffectSend},
	{func(c simple) bool { return copying.has(c.program) }, mcpproxy.EffectSend},
	{simple.closesDoor, mcpproxy.EffectChange},
	{simple.setsOwnMode, mcpproxy.EffectChange},
	{func(c simple) bool { return admitting.has(c.program) }, mcpproxy.EffectGrant},
	{func(c simple) bool { return installing.has(c.program) && sources(c.tokens) }, mcpproxy.EffectInstall},
	{simple.weakens, mcpproxy.EffectWeaken},
}

// runsInstalled reports whether npx may run only programs that are already installed.
func (c simple) runsInstalled() bool {
	return slices.Contains(c.words, "--no-install") || slices.Contains(c.words, "--no") ||
		slices.Contains(c.words, "--offline")
}

// The verbs that follow the name of a package manager.
var (
	installs  = words("install i add get")
	publishes = words("publish")
)

// manages reports whether the command calls a package manager with one of verbs.
func (c simple) manages(verbs *set) bool {
	return installing.has(c.program) && len(c.tokens) > 0 && verbs.has(c.tokens[0])
}

// signals reports whether the command sends only signals that end no process: a signal to reload the configuration, or
// one whose meaning the program defines.
func (c simple) signals() bool {
	rest := c.words[1:]
	switch c.program {
	case "kill", "pkill", "killall":
	case "systemctl", "docker":
		if len(rest) == 0 || rest[0] != "kill" {
			return false
		}
	default:
		return false
	}
	sent, all := 0, true
	for i, w := range rest {
		name, isFlag := strings.CutPrefix(w, "-")
		flag, value, joined := strings.Cut(name, "=")
		switch {
		case !isFlag:
			continue
		case flag == "s" || flag == "-signal":
			if name = value; !joined && i+1 < len(rest) {
				name = rest[i+1]
			}
		}
		sent++
		all = all && gentle.has(strings.ToLower(name))
	}
	return sent > 0 && all
}

// gentle lists the signals that end no process.
var gentle = words("hup sighup usr1 sigusr1 usr2 sigusr2 winch sigwinch")

// storesValue reports whether the command stores a secret or a variable: gh or glab for the workflows of a repository,
// or vault in its store.
func (c simple) storesValue() bool {
	if c.program == "vault" && len(c.tokens) > 1 && c.tokens[0] == "kv" {
		return c.tokens[1] == "put" || c.tokens[1] == "patch"
	}
	return (c.program == "gh" || c.program == "glab") && len(c.tokens) > 1 && c.tokens[1] == "set" &&
		(c.tokens[0] == "secret" || c.tokens[0] == "variable")
}

// opensDoor reports whether the command gives a person or a group access.
func (c simple) opensDoor() bool {
	writes := c.method == "PUT" || c.method == "POST" || c.method == "PATCH"
	if c.program == "kubectl" || c.program == "oc" {
		if bindings.in(c.words) && (slices.Contains(c.words, "create") || slices.Contains(c.words, "patch")) {
			return true
		}
	}
	return strings.Contains(strings.Join(c.words, " "), "authorized_keys") || writes && accessThings.in(c.tokens)
}

// bindings lists the kinds of Kubernetes objects that give a role to a user.
var bindings = words("clusterrolebinding clusterrolebindings rolebinding rolebindings")

// closesDoor reports whether the command takes access away: it adds a firewall rule that refuses traffic, or locks a
// user.
func (c simple) closesDoor() bool {
	switch c.program {
	case "ufw", "iptables", "ip6tables", "nft", "firewall-cmd":
		return refusing.in(c.tokens) && !undoing.in(c.tokens) && !slices.Contains(c.words, "-D")
	case "usermod":
		return slices.Contains(c.words, "-L") || slices.Contains(c.words, "--lock")
	}
	return false
}

// Words of a firewall rule that refuses traffic, and words that remove a rule.
var (
	refusing = words("deny reject drop block")
	undoing  = words("delete remove disable reset accept allow")
)

// publishesStore reports whether the command makes a bucket or another store readable by everybody. It does so by a
// policy for all principals, or by removing a setting that blocks public access.
func (c simple) publishesStore() bool {
	all := strings.Join(c.words, " ")
	return strings.Contains(all, "delete-public-access-block") || publicPolicy.MatchString(all)
}

// publicPolicy matches the part of an AWS access policy that gives everybody access.
var publicPolicy = lazyregexp.NewFiltered(`(?i)"principal"\s*:\s*(?:"\*"|\{\s*"aws"\s*:\s*\[?\s*"\*")`)

// databases are clients that take an SQL statement as an argument.
var databases = words("psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd")

// queries reports whether the command only queries a database: each statement among the arguments reads.
func (c simple) queries() bool {
	if !databases.has(c.program) {
		return false
	}
	asked := false
	for _, w := range c.words[1:] {
		first, _, more := strings.Cut(strings.ToLower(strings.TrimSpace(w)), " ")
		switch {
		case strings.HasPrefix(w, "\\") && strings.Trim(w, "\\dltn+ ") == "": // a command of psql such as \dt
			asked = true
			continue
		case strings.ContainsAny(w, "$`<>"), strings.HasPrefix(w, "\\"), strings.HasPrefix(w, "."),
			strings.HasPrefix(w, "-f"), strings.HasPrefix(w, "--file"), strings.HasPrefix(w, "--init"), first == "source":
			return false // a file, another program or the output of a command is part of the statement
		}
		if !sqlVerbs.has(first) || !more {
			continue
		}
		st := readStatement(w)
		if st.destroys != "" || st.writes != "" || !querying.has(first) {
			return false
		}
		asked = true
	}
	return asked
}

// querying lists the verbs of statements that only read.
var querying = words("select with show explain describe desc table values")

// Clients of object stores, and the verbs with which they copy.
var (
	storeClients = words("aws gsutil gcloud rclone azcopy mc s3cmd s4cmd s5cmd b2")
	copies       = words("cp mv sync copy put upload rsync mirror")
)

// appliesFromWeb reports whether the command makes a cluster run the objects that a URL describes.
func (c simple) appliesFromWeb() bool {
	switch c.program {
	case "kubectl", "oc", "helm", "kustomize":
	default:
		return false
	}
	return applying.in(c.words) && slices.ContainsFunc(c.words, func(w string) bool { return strings.Contains(w, "://") })
}

// applying lists the verbs that make a cluster run something.
var applying = words("apply create install upgrade replace")

// setsOwnMode reports whether chmod changes the mode of a file without giving other users access, as +x and 600 do.
func (c simple) setsOwnMode() bool {
	return c.program == "chmod" && !slices.ContainsFunc(c.words[1:], func(w string) bool {
		return slices.ContainsFunc(strings.Split(w, ","), opensMode().MatchString)
	})
}

// opensMode matches a mode of chmod that lets the group write, lets everybody read or write, or sets an id bit.
var opensMode = lazyregexp.New(
	`^[2-7][0-7]{3}$|^0?[0-7]{0,2}[2367]$|^0?[0-7][2367][0-7]$|` +
		`^(?:[ugoa]*[goa][ugoa]*)?[+=][rxX]*w|^[ugoa]*[oa][ugoa]*[+=][xX]*r|^[ugoa]*[+=][rwxX]*s`,
)

// uploads reports whether the command copies something to an object store. The last path or URL among its arguments
// must be a URL.
func (c simple) uploads() bool {
	if !storeClients.has(c.program) || !copies.in(c.words) {
		return false
	}
	last := ""
	for _, w := range c.words[1:] {
		if w == "-" || strings.Contains(w, "/") || strings.Contains(w, "://") {
			last = w
		}
	}
	return strings.Contains(last, "://")
}

// downloads reports whether the command copies from another machine or an object store to this machine: the first
// place among its operands is elsewhere, and the last is on this machine. It returns false if one of the places may
// be the value of a flag.
func (c simple) downloads() bool {
	if !copying.has(c.program) && !(storeClients.has(c.program) && copies.in(c.words)) {
		return false
	}
	first, last := "", ""
	for i, w := range c.words[1:] {
		if w == "mv" || w == "--remove-source-files" || strings.HasPrefix(w, "--del") {
			return false // it also removes files
		}
		if strings.HasPrefix(w, "-") && w != "-" || !isPlace(w) {
			continue
		}
		if before := c.words[i]; len(before) > 1 && before[0] == '-' && !isSwitch(before) {
			return false
		}
		if last = w; first == "" {
			first = w
		}
	}
	return isElsewhere(first) && last != "" && !isElsewhere(last)
}

// isPlace reports whether an operand of a copying command looks like a place: a path, a URL, or host:path.
func isPlace(w string) bool { return w == "-" || w == "." || strings.ContainsAny(w, "/:") }

// isElsewhere reports whether an operand names a place on another machine, such as host:path or s3://bucket/key.
func isElsewhere(w string) bool {
	before, _, found := strings.Cut(w, ":")
	return found && !strings.Contains(before, "/")
}

// isSwitch reports whether a group of short flags takes no value in scp, rsync and gsutil.
func isSwitch(flag string) bool {
	return flag[1] != '-' && strings.Trim(flag[1:], "aAvzrRqptuhnC46m") == ""
}

// edits reports whether sed changes the files that it reads.
func (c simple) edits() bool {
	return c.program == "sed" && slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(w, "-i") })
}

// fetching returns a condition for curl and wget commands with this effect.
func fetching(effect mcpproxy.Effect) func(simple) bool {
	return func(c simple) bool {
		return (c.program == "curl" || c.program == "wget") && fetchEffect(c.words, c.method) == effect
	}
}

// withGit returns a condition for git commands with this effect.
func withGit(effect mcpproxy.Effect) func(simple) bool {
	return func(c simple) bool { return c.program == "git" && gitEffect(c.tokens) == effect }
}

// weakens reports whether an argument removes a protection.
func (c simple) weakens() bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return weakens.has(strings.Join(Tokens(w), "_")) }) ||
		slices.Contains(c.tokens, "false") && slices.Contains(c.tokens, "set") && checkThings.in(c.tokens)
}

// elsewhere returns the effect of the command that ssh runs on another machine.
func (c simple) elsewhere() mcpproxy.Effect {
	there := mcpproxy.Effect("")
	if len(c.words) > 2 {
		there = CommandEffect(strings.Trim(strings.Join(c.words[2:], " "), "\"'"))
	}
	if there == mcpproxy.EffectRead && !strings.Contains(strings.Join(c.words, " "), ">") {
		return there
	}
	return moreSerious(mcpproxy.EffectRun, there)
}

// inContainer returns the words of the command that docker or kubectl runs in a container. It returns nil for other
// commands.
func (c simple) inContainer() []string {
	at := slices.Index(c.words, "exec")
	if !containers.has(c.program) || at < 0 {
		return nil
	}
	if behind := slices.Index(c.words, "--"); behind > at {
		return c.words[behind+1:]
	}
	for i := at + 1; i < len(c.words); i++ {
		switch w := c.words[i]; {
		case w == "-u" || w == "--user" || w == "-e" || w == "--env" || w == "-w" || w == "--workdir":
			i++ // skip the value of the option
		case !strings.HasPrefix(w, "-"):
			return c.words[i+1:]
		}
	}
	return nil
}

// ScriptOf returns the index of the script in the arguments of a shell, such as ["bash", "-lc", "make"]. It returns 0
// for other programs and for a shell without -c.
func ScriptOf(argv []string) int {
	if len(argv) < 3 || !shells.has(argv[0][strings.LastIndexByte(argv[0], '/')+1:]) {
		return 0
	}
	for i := 1; i < len(argv)-1; i++ {
		switch a := argv[i]; {
		case !strings.HasPrefix(a, "-"):
			return 0 // the shell runs a script file
		case strings.HasPrefix(a, "--"):
		case strings.HasSuffix(a, "c"):
			return i + 1
		case strings.HasSuffix(a, "o"), strings.HasSuffix(a, "O"):
			i++ // skip the name of the shell option
		}
	}
	return 0
}

var (
	// containers lists the programs that run a command in a container.
	containers = words("docker docker-compose podman nerdctl kubectl oc")
	// shells lists the programs that run the text of a command line.
	shells = words("sh bash ash dash zsh")
)

// byVerb returns the effect of a program with subcommands. The verb among its first words decides: "kubectl delete
// pod".
func (c simple) byVerb() mcpproxy.Effect {
	first := 0
	if objectFirst.has(c.program) && len(c.tokens) > 1 {
		first = 1 // "gh run view"
	}
	for i := first; i < min(len(c.tokens), 3); i++ {
		e := byVerbs(c.tokens[i:min(len(c.tokens), 8)])
		if e == mcpproxy.EffectPay && (!moneyThings.in(c.tokens) || operating.has(c.program)) {
			e = mcpproxy.EffectRun // "gh pr checkout", "kubectl logs deploy/payments"
		}
		if e != "" && e != mcpproxy.EffectNavigate {
			return e
		}
	}
	return mcpproxy.EffectRun
}

// methodOf returns the HTTP method that the last method flag of a command names.
func methodOf(words []string) (method string) {
	for i, w := range words[:len(words)-1] {
		if w == "-X" || w == "--request" || w == "--method" {
			method = strings.ToUpper(words[i+1])
		}
	}
	return method
}

// sources reports whether a command changes the source from which a package manager installs.
func sources(tokens []string) bool {
	return len(tokens) > 1 && (tokens[0] == "config" || tokens[0] == "source" || tokens[0] == "set") &&
		slices.ContainsFunc(tokens, func(w string) bool { return w == "registry" || w == "index" || w == "source" || w == "mirror" })
}

// telling returns the words of the arguments that indicate the effect. Messages and credentials are left out.
func telling(args []string) (tokens []string) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		flag, _, joined := strings.Cut(w, "=")
		switch {
		case strings.ContainsAny(w, " \n") && len(w) > 120: // a message
		case w == "--rm": // "docker run --rm" removes only the container that it started
		case w == "--single-transaction": // an option of database dumps, not a payment
		case strings.HasPrefix(w, "-") && (flag == "-H" || flag == "-u" || flag == "-b" || logins.in(Tokens(flag))):
			if !joined {
				i++ // skip the value of the flag
			}
		default:
			tokens = append(tokens, Tokens(w)...)
		}
	}
	return tokens[:min(len(tokens), 64)]
}

// logins lists words in the names of flags for credentials.
var logins = words("header user token password passwd auth key apikey secret cookie bearer credentials login")

// fetchEffect returns the effect of a curl or wget command: it sends data, downloads a file, or only reads.
func fetchEffect(all []string, method string) mcpproxy.Effect {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(all[1:], func(w string) bool { return slices.Contains(flags, w) })
	}
	switch {
	case method == "PUT" || method == "PATCH":
		return mcpproxy.EffectChange
	case method == "POST",
		has("-d", "--data", "--data-binary", "--data-raw", "-F", "--form", "-T", "--upload-file", "--json", "--post-file"):
		return mcpproxy.EffectSend
	case all[0] == "wget" && !has("-qO-", "-O-"), has("-o", "-O", "--output", "--remote-name", "-fsSLO", "-LO") && !has("/dev/null"):
		if slices.ContainsFunc(all, documents) {
			return mcpproxy.EffectRead
		}
		return mcpproxy.EffectInstall
	}
	return mcpproxy.EffectRead
}

// documents reports whether a word names a document or a data file, which is not run.
func documents(w string) bool { return data.has(strings.ToLower(path.Ext(w))) }

// data lists the extensions of documents and data files.
var data = words(".html .htm .json .csv .tsv .txt .md .pdf .png .jpg .jpeg .gif .svg .webp .xml .log .xlsx .docx .mp3 .mp4 .parquet")

// gitEffect returns the effect of a git command.
func gitEffect(tokens []string) mcpproxy.Effect {
	if len(tokens) == 0 {
		return mcpproxy.EffectRead
	}
	switch tokens[0] {
	case "push":
		if slices.Contains(tokens, "delete") {
			return mcpproxy.EffectDelete
		}
		return mcpproxy.EffectSend
	case "status", "log", "diff", "show", "blame", "grep", "fetch", "rev", "ls", "describe", "branch", "remote", "stash":
		return mcpproxy.EffectRead
	}
	return mcpproxy.EffectChange
}
