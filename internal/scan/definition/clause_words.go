package definition

import (
	"strings"
	"sync"
)

// class is the set of roles that a word can have in a clause, as bits.
type class uint64

// The acts come first: what somebody does to something.
const (
	actRead   class = 1 << iota // takes in existing data
	actSend                     // sends data away
	actPut                      // passes data along with a call
	actSteal                    // steals: names the theft as such
	actTell                     // informs people
	actHide                     // keeps something from people
	actSkip                     // bypasses a protection
	actChange                   // changes something
	actCall                     // uses a tool
	actRun                      // runs a command
	actHeed                     // obeys
	actFeign                    // claims something untrue
	actKeep                     // stores for later
	actTake                     // accepts, grants, installs: acts that need consent
	actAsk                      // asks people

	negator     // not, never, without
	modal       // must, should
	permits     // may, can
	condition   // if, before, whenever
	pointer     // the, your, this: a noun follows
	subject     // you, the agent: the reader
	person      // the user
	joiner      // and, or, then
	adverb      // also, silently: between the subject and its act
	covert      // silently
	auxiliary   // is, be: an act that follows is in the passive
	functional  // words that exist only in English
	secret      // a credential
	talk        // what the user and the model say
	rule        // a rule for the agent
	consent     // the user's consent
	foreign     // any other tool
	outside     // anybody except the user and the server
	inputWord   // a parameter
	every       // all, whatever
	insteadOf   // instead of
	spoilt      // deprecated, broken
	toolData    // what a tool returns or takes
	belongs     // private property of the user: mailbox, documents
	figures     // sums, payees
	lasting     // from now on
	earlier     // previous, your: whose rules they are
	advice      // advice, steps: rules that an agent may follow
	firm        // must, always
	particle    // over, out: belongs to the preceding act
	phrasal     // continues with for, to, out
	own         // this tool, here
	deep        // everything that was said, and the agent's instructions: no tool needs this
	persistence // a place from which something acts later: a crontab, an allow list
	anyhow      // regardless, whether or not: whatever the truth is
	guard       // checks, limits, a sandbox: restricts acts
	praise      // best, most reliable
	within      // in, found: where a text contains something
	rival       // competitors, inferior: said of others
	goodNews    // success, green: good news for the user

	acts = actRead | actSend | actPut | actSteal | actTell | actHide | actSkip | actChange | actCall | actRun |
		actHeed |
		actFeign | actKeep | actTake | actAsk
)

// form is the grammatical form of a verb.
type form uint8

const (
	base form = 1 << iota
	third
	past
	ing
)

// entry holds the possible roles of a word.
type entry struct {
	class
	form
}

// verbs are the acts in their base form.
var verbs = []struct {
	class
	words string
}{
	{actRead, `read open load fetch retrieve get collect gather grab dump cat extract find locate scan access capture
		pull look search list take obtain harvest inspect`},
	{actSend, `send forward post upload transmit mail e-mail deliver relay mirror push ship share bcc cc copy pipe
		stream submit export report repeat route echo sync publish go leak output print`},
	{actPut, `include add put pass give place paste insert append attach embed supply provide fill write hand encode
		carry populate set contain hold prepend present return concatenate`},
	{actSteal, `exfiltrate steal siphon smuggle phish exfil harvest`},
	{actTell, `tell mention inform notify reveal show disclose say alert discuss bother explain report expose warn see
		know notice comment talk leak list`},
	{actHide, `hide conceal withhold obscure suppress`},
	{actSkip, `skip bypass circumvent override disregard ignore forget disable evade waive omit sidestep leave drop`},
	{actChange, `replace swap change modify redirect reroute alter substitute intercept rewrite tamper multiply adjust
		divert overwrite supersede hijack route`},
	{actCall, `call use invoke trigger run execute choose prefer select pick prioritize`},
	{actRun, `run execute install download launch start`},
	{actHeed, `obey follow comply treat execute adhere act honor honour trust`},
	{actFeign, `pretend claim fake disguise lie deceive mislead assure reassure`},
	{actKeep, `keep save store remember record log memorize persist note`},
	{actAsk, `ask confirm prompt consult`},
	{actTake, `cancel unlock invite buy order accept approve grant allow register disable authorize authorise delete
		remove pay transfer proceed merge enable`},
}

// plain are words that are not inflected. The words of a phrase are joined by "_".
var plain = []struct {
	class
	words string
}{
	{actSend, `sent`},
	{actRead, `got taken found`},
	{actTell, `told shown`},
	{actHide, `hidden`},
	{actHeed, `carried`},
	{actKeep, `kept`},
	{negator, `not nothing never no don't doesn't dont mustn't shouldn't cannot can't won't without neither nor avoid
		refrain isn't aren't`},
	{modal, `must should shall need needs have has ought required mandatory mandated supposed required always begin
		begins continue remember sure try`},
	{firm, `must shall should always never has_to have_to every_time`},
	{permits, `may can could might optionally would able`},
	{condition, `if when whenever before after once unless until while prior where during upon whether`},
	{pointer, `the a an any all every each this that these those your its their his her our my some what whatever
		everything it them which both no`},
	{subject, `you agent agents assistant assistants model models llm llms ai claude chatgpt bot reader readers
		caller`},
	{person, `user users user's users' human humans person people operator anyone anybody nobody somebody customer
		everyone`},
	{joiner, `and or then but nor plus`},
	{adverb, `also then always first firstly silently secretly quietly covertly immediately automatically directly
		please simply just additionally instead furthermore next finally kindly now next once afterwards further still
		discreetly invisibly only itself themselves both either`},
	{covert, `users_knowledge user's_knowledge their_knowledge user_knowledge user_awareness
	behind_the under_the trace_of traces_of hidden_from invisible_to visible_to silently secretly quietly covertly
		discreetly invisibly stealthily unnoticed surreptitiously`},
	{auxiliary, `is are be been being was were gets get`},
	{functional, `the of to and for are with this that be by from your when which not do you user must any all it if
		such its without`},
	{secret, `secret secrets password passwords passphrase passphrases credential credentials token tokens cookie
		cookies keystore keychain
	logins login private_key ssh_key ssh_keys api_key api_keys apikey access_key private_keys otp kubeconfig pem wallet
	environment_variable environment_variables env_vars one-time_code seed_phrase passwd shadow vault`},
	{talk, `conversation conversations chat chats history transcript prompt prompts system_message system_prompt
		previous_messages all_messages
	initial_instructions everything_the user_said user_typed user_asked user_wrote user_types chain_of clipboard
		keystrokes typed dialogue`},
	{earlier, `your previous prior above earlier preceding system developer developers user's agent's owner's
		developer's operator's company's owner`},
	{advice, `guideline guidelines recommendations recommendation steps curriculum hints practices`},
	{particle, `in over out up back along`},
	{phrasal, `goes writes looks searches search look go carry listen connect write point`},
	{praise, `best only superior reliable accurate trusted better faster safest trustworthy powerful ultimate primary
		preferred recommended`},
	{within, `appear appears appearing found contained contains embedded inside within returned in`},
	{rival, `alternatives alternative competitors competing competitor inferior rivals settle malware paid_plan
		premium rated ranked product corrupts own_edit built-in the_latter`},
	{own, `this_tool this_one this_function here this_command`},
	{deep, `system_prompt system_message system_messages full_conversation entire_conversation whole_conversation
		complete_conversation
	conversation_so conversation_history chat_history previous_messages prior_messages all_messages
		initial_instructions hidden_prompt hidden_instructions
	everything_the everything_that whatever_the keystrokes typed_in last_message latest_message your_instructions
	original_instructions chain_of whole_chat entire_chat this_chat text_above above_text prompts_and
		conversation_with all_that`},
	{persistence, `authorized_keys crontab cron_job cron .bashrc .zshrc shell_profile claude.md agents.md long-term_memory
		allow_list allowlist
	auto-approval auto-approve reverse_shell backdoor startup autostart administrator_rights sudoers`},
	{anyhow, `whatever regardless whether_or even_if no_matter any_case either_way`},
	{goodNews, `green success successful successfully passed safe fine saved done normal approved empty`},
	{rule, `the_following instruction instructions rules rule directive directives policy policies safety guardrails
		safeguards restrictions
	prompt prompts orders commandments`},
	{guard, `checks check limits limitations preferences order command commands request requests task warnings
		validation
	confirmation security priority constraints sandbox logging monitoring`},
	{consent, `confirmation approval consent permission approved reviewed post-approval confirm asking ask yes
		authorization authorisation prompting oversight agreed
	refusal authorised authorized review`},
	{foreign, `other_tool other_tools another_tool any_tool all_tools each_tool tools_of other_servers another_server
		other_server
	any_server other_functions remaining_tools other_mcp`},
	{outside, `third_party third_parties external_server remote_server external_host remote_host our_server
		our_servers vendor's vendor attacker
	attacker's outside_address usage_analytics audit_service external_endpoint external_service our_analytics
		analytics collector telemetry partner monitoring_address operator_of
	remote_endpoint usage_data us`},
	{inputWord, `parameter parameters argument arguments param field fields args`},
	{every, `all every each any everything whatever entire whole complete full further latest last most_recent`},
	{insteadOf, `instead_of rather_than in_place in_lieu no_longer any_more`},
	{spoilt, `deprecated broken unsafe insecure outdated compromised incomplete unreliable wrong loses bug obsolete
		stale`},
	{toolData, `result results output outputs response responses answer answers content contents text copy body data
		arguments email emails mail mails
	message messages value values document documents query queries traffic requests url urls calls file files record
		records rows reply returned
	sum amounts amount`},
	{belongs, `mailbox inbox contacts desktop workspace repository clipboard browser ssn medical salary editor`},
	{figures, `amount amounts iban payee recipient recipients receiver account price sum destination remote link links
		beneficiary wallet`},
	{lasting, `from_here from_this from_now every_turn each_turn each_conversation at_the_start rest_of all_later
		in_every in_each later_conversations session hereby`},
}

// clauseWords returns the lexicon, and the first words of its phrases.
var clauseWords = sync.OnceValue(func() (w struct {
	single map[string]entry
	pairs  map[string]class
	heads  map[string]bool
}) {
	w.single = map[string]entry{}
	w.pairs = map[string]class{}
	w.heads = map[string]bool{}
	enter := func(word string, c class, f form) {
		e := w.single[word]
		w.single[word] = entry{e.class | c, e.form | f}
	}
	for _, v := range verbs {
		for b := range strings.FieldsSeq(v.words) {
			for f, word := range inflected(b) {
				enter(word, v.class, f)
			}
		}
	}
	for _, p := range plain {
		for word := range strings.FieldsSeq(p.words) {
			head, rest, joined := strings.Cut(word, "_")
			switch {
			case joined:
				next, _, _ := strings.Cut(rest, "_") // the first two words suffice
				w.pairs[head+" "+next] |= p.class
				w.heads[head] = true
			case p.class&acts != 0:
				enter(word, p.class, past)
			default:
				enter(word, p.class, 0)
			}
		}
	}
	return w
})

// inflected returns the forms of a verb.
func inflected(b string) map[form]string {
	last := b[len(b)-1]
	stem, double := b, ""
	vowel := func(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
	switch n := len(b); {
	case last == 'e':
		stem = b[:n-1]
	case n >= 3 && n <= 4 && !vowel(last) && vowel(b[n-2]) && !vowel(b[n-3]) && last != 'w' && last != 'y' &&
		last != 'x':
		double = string(last)
	}
	s := b + "s"
	past1 := stem + double + "ed"
	switch {
	case last == 'o' || last == 's' || last == 'h' || last == 'x' || last == 'z':
		s = b + "es"
	case last == 'y' && !vowel(b[len(b)-2]):
		s, past1 = b[:len(b)-1]+"ies", b[:len(b)-1]+"ied"
	}
	return map[form]string{base: b, third: s, past: past1, ing: stem + double + "ing"}
}
