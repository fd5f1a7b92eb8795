package classify

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// Verbs of tool names and of command lines, by what they do. A verb may stand in several
// lists: what it is done to decides then.
var (
	payVerbs = words(
		"pay transfer wire remit refund charge withdraw deposit payout purchase buy order checkout donate tip reimburse disburse topup",
	)
	buying     = words("create place submit make complete confirm")
	bought     = words("order purchase checkout booking reservation")
	grantVerbs = words(
		"grant invite share authorize authorise permit allow enroll enrol impersonate delegate whitelist allowlist unlock promote",
	)
	weakenVerbs = words(
		"mute silence unprotect suppress bypass exempt snooze relax unblock",
	)
	// stoppingVerbs weaken what they are done to when that is a protection, and else change it.
	stoppingVerbs = words("disable deactivate suspend pause skip ignore downgrade dismiss off")
	sendVerbs     = words(
		"send post reply email mail notify comment message publish tweet upload share submit push forward broadcast announce respond dispatch deliver",
	)
	runVerbs = words(
		"run execute exec start restart stop trigger invoke deploy rollout scale launch apply eval evaluate rerun boot reboot rollback test lint",
	)
	installVerbs  = words("install upgrade")
	navigateVerbs = words(
		"navigate click hover scroll resize press select screenshot snapshot wait back forward type fill drag focus tab tabs goto zoom login logon logout signin authenticate",
	)
	createVerbs = words(
		"create add insert write new append schedule draft make mkdir copy import save log book reserve generate compose clone fork open record start build enqueue put upsert attach",
	)
	changeVerbs = words(
		"update set edit modify move rename patch replace merge assign unassign transition close resolve approve reject restore archive label cancel reschedule enable activate toggle mark complete link sync change configure put write sort format reopen rotate subscribe unsubscribe accept decline confirm rate manage",
	)
)

// What an act is done to, where that makes more of it than its verb tells.
var (
	moneyThings = words(
		"payment payments refund refunds money funds fund transaction transactions purchase payout payouts transfer transfers wire deposit payee payees beneficiary beneficiaries wallet iban",
	)
	accessThings = words(
		"permission permissions access role roles member members collaborator collaborators admin admins administrator owner owners acl policy_binding iam",
		"guest guests visibility sharing credential credentials password passwords mfa 2fa totp factor factors token tokens apikey authorized_keys sudoers",
		"delegate delegates forwarding autoforward auto_forward forwarder oauth grant grants keypair sso membership memberships share shares acls",
	)
	// grantees are people who are let in when they are added to something.
	grantees    = words("user users member members collaborator collaborators contributor contributors guest guests key keys")
	checkThings = words(
		"protection protections rule rules alert alerts alarm alarms monitor monitors check checks mfa 2fa guard firewall restriction restrictions verification audit",
		"logging backup backups policy policies limit limits antivirus edr encryption approval approvals reviewer reviewers codeowners signature tls ssl waf scanner scanning quarantine retention validation",
	)
)

// weakens are values that switch a protection off, as arguments spell them.
var weakens = words(
	"essentially_off insecure unrestricted permissive allow_all allowall world_readable publicread public_read write_all writeall no_verify noverify nosslverify",
	"trusted_host global_trusted_host strict_ssl_false ssl_verify_false http_ssl_verify_false 0_0_0_0_0",
	"skip_checks skipchecks pull_request_target anonymous disable_ssl_verification allusers allauthenticatedusers anyone anyone_with_link",
)

// Effect says what a call of a server's tool does, as people would ask for it: the gravest
// of what its name, its annotations, the first word of its description and its arguments
// show. Args may be nil.
func (s *Subject) Effect(args *Arguments, doc *text.Document) mcpproxy.Effect {
	e := s.effect
	if args != nil {
		switch {
		case len(args.Destructive) > 0:
			e = graver(e, mcpproxy.EffectDelete)
		case len(args.Writes) > 0:
			e = graver(e, mcpproxy.EffectChange)
		}
	}
	if doc != nil && !e.Harmless() {
		e = graver(e, byArguments(doc))
	}
	return e
}

// effectOf is the effect that a tool's name and definition tell.
func (s *Subject) effectOf() mcpproxy.Effect {
	tokens := unglued(s.Words)
	e := byVerbs(tokens)
	if e == "" {
		e = intent.Mentions(strings.Join(s.Words, " ")).Gravest()
	}
	readOnly := s.def != nil && s.def.ReadOnly != nil && *s.def.ReadOnly
	switch {
	case s.operation == mcpproxy.Read && e != mcpproxy.EffectPay && e != mcpproxy.EffectSend,
		readOnly && (e == "" || e == mcpproxy.EffectCreate || e == mcpproxy.EffectRun || e == mcpproxy.EffectChange):
		return mcpproxy.EffectRead
	case e != "":
		return e
	case readOnly:
		return mcpproxy.EffectRead
	}
	if s.def != nil {
		if e = byVerbs(firstWords(s.def)); e != "" {
			return e
		}
	}
	if s.operation == mcpproxy.Destructive {
		return mcpproxy.EffectDelete // no word says otherwise, so its server is believed
	}
	return mcpproxy.EffectChange // a verb that nobody knows changes something
}

// firstWords are the first words of a tool's description: the verb and what it is done to.
func firstWords(def *mcpproxy.Tool) []string {
	head := strings.ToLower(def.Description[:min(len(def.Description), 80)])
	all := strings.FieldsFunc(head, func(r rune) bool { return !unicode.IsLetter(r) })
	all = all[:min(len(all), 4)]
	for i, w := range all {
		all[i] = bare(w)
	}
	return all
}

// bare is a verb without the ending that a description gives it: "Creates", "Sends".
func bare(w string) string {
	if s, ok := strings.CutSuffix(w, "s"); ok && len(s) > 2 {
		return s
	}
	return w
}

// byVerbs is the effect of the words of a name: the first verb decides, and what follows
// may make more of it. It is "" when no word is known.
func byVerbs(tokens []string) mcpproxy.Effect {
	if len(tokens) == 0 {
		return ""
	}
	tokens = fromVerb(tokens)
	if readWords.has(tokens[0]) && !slices.ContainsFunc(tokens, conjunctions.has) {
		return mcpproxy.EffectRead
	}
	if navigateVerbs.has(tokens[0]) || tokens[0] == "browser" && len(tokens) > 1 && navigateVerbs.in(tokens[1:]) {
		return mcpproxy.EffectNavigate
	}
	removes := destructiveWords.in(tokens) || weakenVerbs.in(tokens) || stoppingVerbs.in(tokens)
	writes := createVerbs.in(tokens) || changeVerbs.in(tokens) || sendVerbs.in(tokens) || grantVerbs.in(tokens)
	switch {
	case payVerbs.has(tokens[0]), buying.has(tokens[0]) && len(tokens) > 1 && bought.has(tokens[1]),
		writes && moneyThings.in(tokens) && !removes:
		return mcpproxy.EffectPay
	case removes && checkThings.in(tokens), weakenVerbs.in(tokens):
		return mcpproxy.EffectWeaken
	case grantVerbs.in(tokens), writes && accessThings.in(tokens), tokens[0] == "reset" && accessThings.in(tokens),
		tokens[0] == "add" && grantees.in(tokens):
		return mcpproxy.EffectGrant
	case destructiveWords.in(tokens):
		return mcpproxy.EffectDelete
	case sendVerbs.in(tokens):
		return mcpproxy.EffectSend
	case installVerbs.in(tokens):
		return mcpproxy.EffectInstall
	case runVerbs.has(tokens[0]):
		return mcpproxy.EffectRun
	case createVerbs.in(tokens):
		return mcpproxy.EffectCreate
	case changeVerbs.in(tokens), writeWords.in(tokens), stoppingVerbs.in(tokens):
		return mcpproxy.EffectChange
	case runVerbs.in(tokens):
		return mcpproxy.EffectRun
	case navigateVerbs.in(tokens):
		return mcpproxy.EffectNavigate
	}
	return ""
}

// fromVerb leaves out what stands before the first verb of a name: the name of a product, as
// in BinanceWithdrawMoney.
func fromVerb(tokens []string) []string {
	for i, t := range tokens {
		for _, verbs := range []*set{
			readWords, payVerbs, grantVerbs, weakenVerbs, stoppingVerbs, sendVerbs, runVerbs, installVerbs,
			navigateVerbs, createVerbs, changeVerbs, destructiveWords, buying,
		} {
			if verbs.has(t) {
				return tokens[i:]
			}
		}
	}
	return tokens
}

// byArguments is the effect that values of the arguments show whatever the tool is called:
// "essentially_off" takes a protection away.
func byArguments(doc *text.Document) (e mcpproxy.Effect) {
	for _, p := range doc.Parts {
		if p.Kind == text.Key || p.Opened() || len(p.Text) > 4000 {
			continue
		}
		if name := doc.Field(p); name == "old_string" || name == "old_str" {
			continue // what is replaced
		} else if queryParams.has(strings.ToLower(name)) && granting().MatchString(p.Text) {
			e = graver(e, mcpproxy.EffectGrant)
		}
		if len(p.Text) > 40 || strings.ContainsAny(p.Text, "=:") {
			if loosens(p.Text) {
				e = graver(e, mcpproxy.EffectWeaken)
			}
			continue
		}
		name := Tokens(doc.Field(p))
		value := strings.Join(Tokens(p.Text), "_")
		switch {
		case weakens.has(value):
			e = graver(e, mcpproxy.EffectWeaken)
		case (value == "off" || value == "disabled" || value == "none" || value == "disable") && checkThings.in(name):
			e = graver(e, mcpproxy.EffectWeaken)
		case value == "public" && (slices.Contains(name, "visibility") || accessThings.in(name)):
			e = graver(e, mcpproxy.EffectGrant)
		}
	}
	return e
}

// granting finds statements of SQL that let somebody in, or give him more rights.
var granting = lazyregexp.New(`(?is)\bgrant\s.+\bto\b|\b(?:create|alter)\s+(?:user|role|login)\b` +
	`|\bset\b[^;]*\b(?:role|roles|is_?admin|admin|is_?superuser|superuser|permissions?|access_level|is_?staff)\s*=`)

// WritingEffect is what a tool of an agent's own does that writes a file.
func WritingEffect(doc *text.Document) mcpproxy.Effect {
	return graver(mcpproxy.EffectChange, byArguments(doc))
}

// CommandEffect is what a command line does, by the words of its commands. Words in quotes
// with spaces, such as a commit's message, say nothing about it.
func CommandEffect(line string) mcpproxy.Effect {
	var e mcpproxy.Effect
	for _, command := range commandWords(line) {
		e = graver(e, byCommand(command))
	}
	return e
}

// commandWords are the words of each command of a line, in lower case.
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

// Programs that only look, or that do what their arguments say.
var (
	looking = words(
		"cat ls head tail grep rg awk sed find wc sort uniq cut diff jq yq echo printf test stat file du df ps top env pwd cd which date id whoami hostname sleep tree less more true false basename dirname xxd od sha256sum md5sum dig nslookup ping curl wget",
	)
	removing   = words("rm rmdir shred unlink dropdb truncate")
	installing = words("pip pip3 npm pnpm yarn apt apt-get brew gem cargo go uv poetry dnf yum apk conda")
	launching  = words("npx uvx bunx pipx dlx")
	copying    = words("scp rsync sftp")
	admitting  = words("ufw iptables chmod setfacl usermod")
	prefixes   = words("sudo env time then do") // that stand before a command
)

// temporary reports whether all operands are files in a folder for temporary files.
func temporary(args []string) bool {
	named := 0
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		a = strings.Trim(a, "\"'")
		if strings.Contains(a, "..") || !strings.HasPrefix(a, "/tmp/") && !strings.HasPrefix(a, "/var/tmp/") || len(a) < len("/tmp/x") {
			return false
		}
		named++
	}
	return named > 0
}

// byCommand is the effect of one command.
func byCommand(all []string) mcpproxy.Effect {
	for len(all) > 0 && (strings.Contains(all[0], "=") || prefixes.has(all[0])) {
		all = all[1:]
	}
	if len(all) == 0 {
		return ""
	}
	program := all[0][strings.LastIndexByte(all[0], '/')+1:]
	if program == "ssh" { // what is run there
		there := mcpproxy.Effect("")
		if len(all) > 2 {
			there = CommandEffect(strings.Trim(strings.Join(all[2:], " "), "\"'"))
		}
		if there == mcpproxy.EffectRead && !strings.Contains(strings.Join(all, " "), ">") {
			return there
		}
		return graver(mcpproxy.EffectRun, there)
	}
	tokens := telling(all[1:])
	method := ""
	for i, w := range all {
		if (w == "-X" || w == "--request" || w == "--method") && i+1 < len(all) {
			method = strings.ToUpper(all[i+1])
		}
	}
	switch {
	case strings.Contains(strings.Join(all, " "), "authorized_keys"):
		return mcpproxy.EffectGrant
	case (method == "PUT" || method == "POST" || method == "PATCH") && accessThings.in(tokens):
		return mcpproxy.EffectGrant
	case method == "DELETE" && checkThings.in(tokens):
		return mcpproxy.EffectWeaken
	case method == "DELETE":
		return mcpproxy.EffectDelete
	case program == "sed" && slices.ContainsFunc(all, func(w string) bool { return strings.HasPrefix(w, "-i") }):
		return mcpproxy.EffectChange
	case program == "curl" || program == "wget":
		return fetchEffect(all, method)
	case looking.has(program):
		return mcpproxy.EffectRead
	case removing.has(program) && temporary(all[1:]):
		return mcpproxy.EffectChange // what is there is of no use to anybody later
	case removing.has(program):
		return mcpproxy.EffectDelete
	case program == "git":
		return gitEffect(tokens)
	case launching.has(program):
		return mcpproxy.EffectInstall
	case installing.has(program) && len(tokens) > 0 &&
		(tokens[0] == "install" || tokens[0] == "i" || tokens[0] == "add" || tokens[0] == "get"):
		return mcpproxy.EffectInstall
	case installing.has(program) && len(tokens) > 0 && tokens[0] == "publish":
		return mcpproxy.EffectSend
	case copying.has(program):
		return mcpproxy.EffectSend
	case admitting.has(program):
		return mcpproxy.EffectGrant
	case installing.has(program) && sources(tokens):
		return mcpproxy.EffectInstall
	}
	weakening := func(w string) bool { return weakens.has(strings.Join(Tokens(w), "_")) }
	if slices.ContainsFunc(all, weakening) {
		return mcpproxy.EffectWeaken
	}
	if slices.Contains(tokens, "false") && slices.Contains(tokens, "set") && checkThings.in(tokens) {
		return mcpproxy.EffectWeaken
	}
	// The verb of a program with many stands among its first words: "kubectl delete pod".
	for i := range min(len(tokens), 3) {
		e := byVerbs(tokens[i:min(len(tokens), 8)])
		if e == mcpproxy.EffectPay && !moneyThings.in(tokens) {
			e = mcpproxy.EffectRun // "gh pr checkout"
		}
		if e != "" && e != mcpproxy.EffectNavigate {
			return e
		}
	}
	return mcpproxy.EffectRun
}

// sources reports whether a command of a package manager changes where packages come from.
func sources(tokens []string) bool {
	return len(tokens) > 1 && (tokens[0] == "config" || tokens[0] == "source" || tokens[0] == "set") &&
		slices.ContainsFunc(tokens, func(w string) bool { return w == "registry" || w == "index" || w == "source" || w == "mirror" })
}

// telling are the words of a command's arguments that tell what it does: no messages, and
// nothing by which it logs in.
func telling(args []string) (tokens []string) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		flag, _, joined := strings.Cut(w, "=")
		switch {
		case strings.ContainsAny(w, " \n") && len(w) > 120: // a message
		case strings.HasPrefix(w, "-") && (flag == "-H" || flag == "-u" || flag == "-b" || logins.in(Tokens(flag))):
			if !joined {
				i++ // its value follows
			}
		default:
			tokens = append(tokens, Tokens(w)...)
		}
	}
	return tokens[:min(len(tokens), 64)]
}

// logins are words of the flags by which a command logs in, or says who does.
var logins = words("header user token password passwd auth key apikey secret cookie bearer credentials login")

// fetchEffect is the effect of a command that asks a host for something: it hands something
// over, brings a file, or only looks.
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

// documents reports whether a word names a file that nobody runs.
func documents(w string) bool { return data.has(strings.ToLower(path.Ext(w))) }

// data are the ends of files that nobody runs.
var data = words(".html .htm .json .csv .tsv .txt .md .pdf .png .jpg .jpeg .gif .svg .webp .xml .log .xlsx .docx .mp3 .mp4 .parquet")

// gitEffect is the effect of a git command.
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

// graver is the graver of two effects.
func graver(a, b mcpproxy.Effect) mcpproxy.Effect {
	if effectRank(b) > effectRank(a) {
		return b
	}
	return a
}

// effectRank orders effects by their gravity.
func effectRank(e mcpproxy.Effect) int { return slices.Index(mcpproxy.Effects(), e) }

// Settings that take a protection away, as code and configuration spell them.
var loosening = lazyregexp.New(`(?i)\b\w*(verif|strict|ssl|tls|signature|csrf|auth|secure|protect|check|2fa|mfa|validat|encrypt|sandbox|firewall|readonly)\w*["']?\s*(:\s*bool\s*)?[:=]\s*["']?(false|off|no|0|none|disabled)\b` +
	`|(?i)\b(insecure|skip|disable|no)[_-]?\w*(verif|ssl|tls|check|auth|validat|signature)\w*["']?\s*[:=]\s*["']?(true|1|yes|on)\b`)

// loosens reports whether a text holds a word or a setting that takes a protection away,
// such as the permissions of a workflow.
func loosens(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if w = strings.Trim(w, "[](){},;:\\\"'`"); len(w) > 4 && weakens.has(strings.Join(Tokens(w), "_")) {
			return true
		}
	}
	return loosening().MatchString(s)
}
