package classify

import (
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// Verbs of tool names and of command lines, by their effect. For a verb in several lists, the object of the verb
// decides.
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
		"mute silence unprotect suppress bypass exempt snooze relax unblock disarm",
	)
	// stoppingVerbs weaken a protection if their object is a protection. Otherwise they only change the object.
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
		"update set edit modify move rename patch replace merge assign unassign regenerate reissue transition close resolve approve reject restore archive label cancel reschedule enable activate toggle mark complete link sync change configure put write sort format reopen rotate subscribe unsubscribe accept decline confirm rate manage",
	)
)

// Objects that make an effect more serious than its verb indicates.
var (
	moneyThings = words(
		"payment payments refund refunds money funds fund transaction transactions purchase payout payouts transfer transfers wire deposit payee payees beneficiary beneficiaries wallet iban",
		"credit credits voucher vouchers coupon coupons gift giftcard giftcards",
	)
	accessThings = words(
		"permission permissions access role roles member members collaborator collaborators admin admins administrator owner owners acl policy_binding iam",
		"guest guests visibility sharing credential credentials password passwords mfa 2fa totp factor factors token tokens apikey authorized_keys sudoers",
		"delegate delegates forwarding autoforward auto_forward forwarder oauth grant grants keypair sso membership memberships share shares acls",
	)
	// grantees are the people and keys that get access when they are added to something.
	grantees = words("user users member members collaborator collaborators contributor contributors guest guests key keys")
	// openers are words for a key or a code. It gives access if one of openerKinds names its kind.
	openers     = words("key keys code codes pin pins")
	openerKinds = words("deploy ssh gpg api access entry door gate guest lock host signing public admin service")
	checkThings = words(
		"protection protections rule rules alert alerts alarm alarms monitor monitors check checks mfa 2fa guard firewall restriction restrictions verification audit",
		"logging backup backups policy policies limit limits antivirus edr encryption approval approvals reviewer reviewers codeowners signature tls ssl waf scanner scanning quarantine retention validation",
	)
)

// weakens lists argument values that switch a protection off.
var weakens = words(
	"essentially_off insecure unrestricted permissive allow_all allowall world_readable publicread public_read write_all writeall no_verify noverify nosslverify",
	"trusted_host global_trusted_host strict_ssl_false ssl_verify_false http_ssl_verify_false 0_0_0_0_0",
	"skip_checks skipchecks pull_request_target anonymous disable_ssl_verification allusers allauthenticatedusers anyone anyone_with_link",
)

// Effect returns the effect of a call of a server's tool. The tool's name, its annotations, the first words of its
// description and the arguments each indicate an effect, and the most serious one counts. args may be nil.
func (s *Subject) Effect(args *Arguments, doc *text.Document) mcpproxy.Effect {
	e := s.effect
	if e == mcpproxy.EffectPay && doc != nil && len(s.Words) == 1 && moneyNouns.has(s.Words[0]) &&
		s.onlyReads() && onlyNumber(doc, s.Words[0]) {
		e = mcpproxy.EffectRead // charge {"id": …} only shows the charge
	}
	switch {
	case doc == nil:
	case e == mcpproxy.EffectPay && !payVerbs.in(s.Words) && booksReceipt(doc):
		e = mcpproxy.EffectChange
	case e == mcpproxy.EffectGrant && mailing(doc):
		e = mcpproxy.EffectCreate
	}
	if doc != nil {
		// A harmless value is ignored, because it may be the name of an object, such as a service called search.
		if told := dispatched(doc); told != "" && !told.Harmless() && (s.claimed || moreSerious(e, told) == told) {
			e = told
		}
	}
	if args != nil {
		switch {
		case len(args.Destructive) > 0:
			e = moreSerious(e, mcpproxy.EffectDelete)
		case len(args.Writes) > 0:
			e = moreSerious(e, mcpproxy.EffectChange)
		}
	}
	if doc != nil && !e.Harmless() {
		e = moreSerious(e, byArguments(doc))
		if s.loosens(doc) {
			e = moreSerious(e, mcpproxy.EffectWeaken)
		}
	}
	return e
}

// booksReceipt reports whether the arguments only record that an invoice was paid. Such a call moves no money.
func booksReceipt(doc *text.Document) bool {
	dated, invoiced := false, false
	for _, p := range doc.Parts {
		if p.Kind != text.Key || p.Opened() {
			continue
		}
		switch name := strings.Join(Tokens(p.Text), "_"); {
		case name == "paid_on" || name == "paid_at" || name == "received_on" || name == "received_at" || name == "date_paid":
			dated = true
		case strings.HasPrefix(name, "invoice"):
			invoiced = true
		case payeeThings.has(name) || strings.Contains(name, "account") || strings.Contains(name, "card") || name == "to":
			return false
		}
	}
	return dated && invoiced
}

// mailing reports whether the arguments name a mailing list. Its members get mail, but no access.
func mailing(doc *text.Document) bool {
	return slices.ContainsFunc(doc.Parts, func(p text.Part) bool {
		return p.Kind == text.Key && !p.Opened() && mailingThings.has(strings.Join(Tokens(p.Text), "_"))
	})
}

// mailingThings lists names of arguments that hold a mailing list.
var mailingThings = words(
	"audience audience_id mailing_list mailing_list_id newsletter newsletter_id merge_fields",
)

// onlyReads reports whether the server declares the tool read-only.
func (s *Subject) onlyReads() bool { return s.def != nil && s.def.ReadOnly != nil && *s.def.ReadOnly }

// moneyNouns are both verbs and nouns: a tool called charge may show a charge or make one.
var moneyNouns = words("charge payment payout transaction invoice order")

// onlyNumber reports whether the only argument is the identifier of a thing.
func onlyNumber(doc *text.Document, thing string) bool {
	members := 0
	for _, p := range doc.Parts {
		if p.Kind != text.Key || p.Opened() {
			continue
		}
		switch strings.Join(Tokens(p.Text), "_") {
		case "id", "number", "reference", thing + "_id", thing + "_number":
			members++
		default:
			return false
		}
	}
	return members == 1
}

// effectOf returns the effect that a tool's name and definition indicate.
func (s *Subject) effectOf() mcpproxy.Effect {
	tokens := unglued(s.Words)
	e := byVerbs(tokens)
	if e == "" {
		e = byAnyWord(strings.Join(s.Words, " "))
	}
	readOnly := s.onlyReads()
	said := mcpproxy.Effect("")
	if s.def != nil {
		first := firstWords(s.def)
		said = byVerbs(first)
		if said == mcpproxy.EffectPay && byVerbs(first[:1]) == "" {
			said = "" // in "Sperrt eine Charge", charge is a German noun
		}
	}
	switch {
	case readOnly && said == mcpproxy.EffectRead && len(tokens) == 1 && e == mcpproxy.EffectPay:
		return mcpproxy.EffectRead // charge and order are nouns here
	case (e == mcpproxy.EffectCreate || e == mcpproxy.EffectChange) && said.Serious() && !readOnly &&
		!blocking.in(tokens):
		return said // add_code: "Add an access code to a lock"
	case s.operation == mcpproxy.Read && e != mcpproxy.EffectPay && e != mcpproxy.EffectSend,
		readOnly && (e == "" || e == mcpproxy.EffectCreate || e == mcpproxy.EffectRun || e == mcpproxy.EffectChange):
		return mcpproxy.EffectRead
	case e != "":
		return e
	case readOnly:
		return mcpproxy.EffectRead
	}
	if said != "" {
		return said
	}
	s.claimed = true
	if s.operation == mcpproxy.Destructive {
		return mcpproxy.EffectDelete // no word contradicts the server's annotation
	}
	return mcpproxy.EffectChange // an unknown verb counts as a change
}

// byAnyWord returns the effect of the words of a name in any language. People also ask with a word for "add" to have
// something installed, but a tool that installs has a more precise name.
func byAnyWord(name string) mcpproxy.Effect {
	all := intent.Mentions(name)
	e := all.MostSerious()
	if e == mcpproxy.EffectInstall && all.Has(mcpproxy.EffectCreate) {
		return mcpproxy.EffectCreate
	}
	return e
}

// dispatched returns the most serious effect of the verbs among the arguments. Tools that do many things take the verb
// as an argument: {"service": "light.turn_off"}, {"operation": "uncordon"}.
func dispatched(doc *text.Document) (e mcpproxy.Effect) {
	for _, p := range doc.Parts {
		if p.Kind != text.Value || p.Opened() || len(p.Text) > 40 || strings.ContainsAny(p.Text, " /") {
			continue
		}
		switch strings.ToLower(doc.Field(p)) {
		case "operation", "action", "service", "verb", "op":
			e = moreSerious(e, byVerbs(unglued(Tokens(p.Text))))
		}
	}
	return e
}

// firstWords returns the first words of a tool's description: the verb and its object.
func firstWords(def *mcpproxy.Tool) []string {
	head := strings.ToLower(def.Description[:min(len(def.Description), 80)])
	all := strings.FieldsFunc(head, func(r rune) bool { return !unicode.IsLetter(r) })
	all = all[:min(len(all), 4)]
	for i, w := range all {
		all[i] = bare(w)
	}
	return all
}

// bare removes the ending that a description adds to a verb: "Creates", "Sends".
func bare(w string) string {
	if s, ok := strings.CutSuffix(w, "s"); ok && len(s) > 2 && !strings.HasSuffix(s, "s") {
		return s
	}
	return w
}

// byVerbs returns the effect that the words of a name indicate. The first verb decides, and the words after it can
// make the effect more serious. The result is "" if no word is known.
func byVerbs(tokens []string) mcpproxy.Effect {
	if len(tokens) == 0 {
		return ""
	}
	if looksUp(tokens) || tokens[0] == "track" && len(tokens) > 1 && sent.has(tokens[1]) {
		return mcpproxy.EffectRead
	}
	tokens = fromVerb(tokens)
	if readWords.has(tokens[0]) && !slices.ContainsFunc(tokens, conjunctions.has) {
		return mcpproxy.EffectRead
	}
	forwards := tokens[0] == "forward" && len(tokens) > 1 // "forward" alone is a button of a browser
	inBrowser := tokens[0] == "browser" && len(tokens) > 1 && navigateVerbs.in(tokens[1:])
	if navigateVerbs.has(tokens[0]) && !forwards || inBrowser {
		return mcpproxy.EffectNavigate
	}
	name := verbal{
		tokens:  tokens,
		removes: destructiveWords.in(tokens) || weakenVerbs.in(tokens) || stoppingVerbs.in(tokens),
		writes:  createVerbs.in(tokens) || changeVerbs.in(tokens) || sendVerbs.in(tokens) || grantVerbs.in(tokens),
	}
	for _, rule := range verbRules {
		if rule.holds(name) {
			return rule.effect
		}
	}
	return ""
}

// sent lists things in transit. Tracking them changes nothing.
var sent = words("parcel parcels package packages shipment shipments order orders delivery deliveries flight flights")

// looksUp reports whether a name only says what is looked up and by which key: by_email, user_by_phone.
func looksUp(tokens []string) bool {
	i := slices.Index(tokens, "by")
	isNone := func(w string) bool { return !lookedUp.has(w) }
	return i >= 0 && i+1 < len(tokens) && !slices.ContainsFunc(tokens[:i], isNone)
}

// lookedUp lists things that tools look up. Other words before "by" may be unknown verbs.
var lookedUp = words(
	"user users customer customers member members person people contact contacts account accounts client clients",
	"employee employees company companies record records item items ticket tickets device devices",
)

// verbal holds the words of a name from its first verb on.
type verbal struct {
	tokens          []string
	removes, writes bool // a verb removes something; a verb creates or changes something
}

// has reports whether one of the words is in the set.
func (v verbal) has(words *set) bool { return words.in(v.tokens) }

// begins reports whether the first word is in the set.
func (v verbal) begins(words *set) bool { return words.has(v.tokens[0]) }

// verbRules determine the effect of a name. The first rule that matches decides.
var verbRules = []struct {
	holds  func(verbal) bool
	effect mcpproxy.Effect
}{
	{verbal.pays, mcpproxy.EffectPay},
	{func(v verbal) bool { return v.writes && v.has(pageCode) && v.has(pageTags) }, mcpproxy.EffectInstall},
	{verbal.blocks, mcpproxy.EffectChange},
	{func(v verbal) bool { return v.removes && v.has(roleBindings) }, mcpproxy.EffectChange},
	{func(v verbal) bool { return v.removes && v.has(mailThings) }, mcpproxy.EffectDelete},
	{func(v verbal) bool { return v.removes && v.has(checkThings) || v.has(weakenVerbs) }, mcpproxy.EffectWeaken},
	{verbal.admits, mcpproxy.EffectGrant},
	{verbal.shutsOut, mcpproxy.EffectChange},
	{func(v verbal) bool { return v.has(destructiveWords) }, mcpproxy.EffectDelete},
	{func(v verbal) bool { return v.has(sendVerbs) }, mcpproxy.EffectSend},
	{func(v verbal) bool { return v.has(installVerbs) }, mcpproxy.EffectInstall},
	{func(v verbal) bool { return v.begins(runVerbs) }, mcpproxy.EffectRun},
	{func(v verbal) bool { return v.has(createVerbs) || v.files() }, mcpproxy.EffectCreate},
	{verbal.changes, mcpproxy.EffectChange},
	{func(v verbal) bool { return v.has(runVerbs) }, mcpproxy.EffectRun},
	{func(v verbal) bool { return v.has(navigateVerbs) }, mcpproxy.EffectNavigate},
}

// Words for code of a third party that a web page runs: a script tag, a tracking pixel.
var (
	pageCode = words("script scripts pixel")
	pageTags = words("tag tags web tracking")
)

// pays reports whether the call moves money, as its verb or its object shows.
func (v verbal) pays() bool {
	return v.begins(payVerbs) && !v.handsOver() && !v.files() ||
		v.begins(buying) && len(v.tokens) > 1 && bought.has(v.tokens[1]) ||
		v.writes && v.has(moneyThings) && !v.removes && !v.files()
}

// files reports whether the call deposits something other than money, such as the files of a data set in an archive.
func (v verbal) files() bool {
	return v.tokens[0] == "deposit" && len(v.tokens) > 1 && !moneyThings.in(v.tokens[1:])
}

// handsOver reports whether the call transfers something other than money to another person: a drive, a repository, a
// phone call.
func (v verbal) handsOver() bool {
	return v.tokens[0] == "transfer" && len(v.tokens) > 1 && handedOver.has(v.tokens[1])
}

// handedOver are things that are transferred from one person to another.
var handedOver = words(
	"drive drives file files folder folders ownership repository repo project projects document documents call calls",
	"ticket tickets chat chats conversation conversations domain domains mailbox calendar calendars",
)

// blocks reports whether the call adds a rule that refuses people or requests, as a block list does.
func (v verbal) blocks() bool { return !v.removes && v.writes && v.has(blocking) }

// Words that refuse access, objects of mail rules, and bindings of roles. Mail rules are not protections.
var (
	blocking     = words("block blocklist denylist blacklist ban bans deny")
	mailThings   = words("inbox mailbox forwarding autoforward autoreply")
	roleBindings = words("binding bindings")
)

// shutsOut reports whether the call takes a person's access away. This does no lasting harm, because access can be
// given again.
func (v verbal) shutsOut() bool { return v.removes && v.has(admissions) }

// admissions lists objects that give access and hold no data.
var admissions = words(
	"permission permissions access share shares sharing collaborator collaborators guest guests",
	"viewer viewers editor editors delegate delegates acl grant",
)

// changes reports whether the call changes something that exists.
func (v verbal) changes() bool {
	return v.has(changeVerbs) || v.has(writeWords) || v.has(stoppingVerbs)
}

// admits reports whether the call gives a person access or more rights.
func (v verbal) admits() bool {
	edits := v.begins(editing) && !slices.ContainsFunc(v.tokens, func(w string) bool {
		return accessThings.has(w) && !grantees.has(w)
	})
	return v.has(grantVerbs) || v.handsOver() || (v.writes || v.tokens[0] == "reset") && v.has(accessThings) && !edits ||
		v.tokens[0] == "add" && v.has(grantees) || v.writes && v.has(openers) && v.has(openerKinds)
}

// editing lists verbs that change data about people who already have access.
var editing = words("update edit modify patch rename sync")

// fromVerb drops the words before the first verb of a name, such as a product's name in BinanceWithdrawMoney.
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

// WritingEffect returns the effect of an agent's built-in tool that writes a file.
func WritingEffect(doc *text.Document) mcpproxy.Effect {
	return moreSerious(mcpproxy.EffectChange, byArguments(doc))
}

// moreSerious returns the more serious of two effects.
func moreSerious(a, b mcpproxy.Effect) mcpproxy.Effect {
	if effectRank(b) > effectRank(a) {
		return b
	}
	return a
}

// effectRank orders effects: a higher rank is more serious.
func effectRank(e mcpproxy.Effect) int { return slices.Index(mcpproxy.Effects(), e) }

// loosening matches settings that remove a protection, as code and configuration spell them.
var loosening = lazyregexp.NewFiltered(`(?i)\b\w*(verif|strict|ssl|tls|signature|csrf|auth|secure|protect|check|2fa|mfa|validat|encrypt|sandbox|firewall|readonly)\w*["']?\s*(:\s*bool\s*)?[:=]\s*["']?(false|off|no|0|none|disabled)\b` +
	`|(?i)\b(insecure|skip|disable|no)[_-]?\w*(verif|ssl|tls|check|auth|validat|signature)\w*["']?\s*[:=]\s*["']?(true|1|yes|on)\b`)

// loosens reports whether a text contains a word or a setting that removes a protection, as the permissions of a
// workflow may.
func loosens(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if w = strings.Trim(w, "[](){},;:\\\"'`"); len(w) > 4 && weakens.has(strings.Join(Tokens(w), "_")) {
			return true
		}
	}
	return setsSwitch(s) && loosening.MatchString(s)
}

// setsSwitch reports whether a text assigns a value that begins like one of the values in loosening. It is a cheap
// test before loosening: every match of loosening contains such an assignment, and most texts contain none.
func setsSwitch(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != ':' && s[i] != '=' {
			continue
		}
		value := strings.TrimLeft(s[i+1:], "\t\n\f\r ")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			value = value[1:]
		}
		if value != "" && (value[0] == '0' || value[0] == '1') {
			return true
		}
		if len(value) > 1 {
			switch string([]byte{value[0] | 0x20, value[1] | 0x20}) {
			case "fa", "of", "no", "di", "tr", "ye", "on":
				return true
			}
		}
	}
	return false
}
