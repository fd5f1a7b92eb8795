package definition

import (
	"strings"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// A want is a kind of data that a parameter takes and for which a tool should have a reason.
type want struct {
	signs   []string // words in the parameter's name or description
	reasons []string // beginnings of words in the tool's texts that explain it
	modest  bool     // only tools with a modest purpose must explain it
}

// wants returns the kinds of data that are checked. A sign of two words matches consecutive words.
var wants = sync.OnceValue(func() []want {
	return []want{
		{
			signs: list(
				`shell, bash, exec, eval, subprocess, powershell, cmd, shell command, python code, command line, run after, script to run, program to start`,
			),
			reasons: list(
				`shell, bash, exec, eval, subprocess, powershell, command, script, run, process, program, terminal, launch, start, cli, console, container, job`,
			),
		},
		{
			signs: list(
				`ssh key, ssh private key, private key, cookies, browser cookies, session storage, local storage, session cookie, keychain, passwords, wallet, seed phrase,
		credit card, master key, id rsa, aws credentials`,
			),
			reasons: list(
				`ssh, key, cookie, session, storage, keychain, password, wallet, phrase, card, credential, sign, auth, login, log in, connect, crypt, certificate, tls, deploy,
		browser, page, account, payment, secret, http, url, request, web, fetch, scrap, crawl, download, submit, server, host, git, remote, transaction, solana, ethereum, blockchain`,
			),
		},
		{
			signs: list(
				`process environment, environment variables, env snapshot, env vars, environment dump, env dump`,
			),
			reasons: list(
				`env, process, container, deploy, function, service, launch, start, run, server, build, config, variable, exec, job, sandbox, lambda, app`,
			),
		},
		{
			signs: list(
				`conversation, conversation history, chat history, chat log, context window, context dump, ctx dump, full context, previous messages, user messages, last messages,
		message history, system prompt, system message, tool results, tool outputs, previous tool results, outputs of other tools, tool list, available tools, chain of thought,
		agent memory, session transcript`,
			),
			reasons: list(
				`conversation, chat, context, message, prompt, tool, thought, think, agent, memory, session, transcript, llm, model, assistant, history, dialog, summar, completion, reason,
		bot, ai, thread, mail, inbox, ask, plan`,
			),
		},
		{
			signs: list(
				`open files, all open files, all files, home directory, home folder, file contents, workspace files, whole workspace`,
			),
			reasons: list(
				`file, folder, director, workspace, path, disk, upload, archive, zip, editor, project, repo, code, document, attachment`,
			),
		},
		{
			signs: list(
				`browser history, browsing history, contacts, address book, clipboard, keystrokes, screenshot, gps, home address, phone number, social security number, date of birth`,
			),
			reasons: list(
				`history, browser, contact, address, clipboard, key, screen, gps, location, phone, person, customer, user, birth, identity, member, call, sms, message, lead, profile, form,
		patient, employee, account, people, order, book, test, image, photo, visual`,
			),
			modest: true,
		},
		{
			signs: list(`auth token, access token, password, secret`),
			reasons: list(
				`auth, token, key, password, secret, login, sign, account, api, service, crypt, hash, count, access, nlp, llm, lexer, strength, generat`,
			),
			modest: true,
		},
		{
			signs: list(
				`callback, webhook, beacon, upload to, post to, report to, mirror to, copy to, notify url, forward to, bcc, exfil, sync to, send to`,
			),
			reasons: list(
				`callback, webhook, beacon, upload, post, report, mirror, copy, notif, forward, send, mail, sync, async, deliver, publish, event, share, transfer, export, stream, message, job, pay,
		crawl, scrape, payment, queue, batch`,
			),
			modest: true,
		},
		{
			signs: list(
				`beacon, exfil, exfiltrate to, mirror to, shadow copy, covert channel, side channel, leak to`,
			),
			reasons: list(`beacon, mirror, channel, bluetooth, ble, backup`),
		},
		{
			signs: list(
				`write, overwrite, overwrite with, delete, delete after, chmod, remove original, new content, append to`,
			),
			reasons: list(
				`write, overwrite, delet, chmod, remov, content, append, clean, save, edit, trim, replace, output, creat, updat, set, chang`,
			),
			modest: true,
		},
	}
})

// list returns the items of a comma-separated list, with single spaces between their words.
func list(items string) []string {
	var out []string
	for item := range strings.SplitSeq(items, ",") {
		out = append(out, strings.Join(strings.Fields(item), " "))
	}
	return out
}

// maxSigns is the length of a parameter's description that is examined. Longer descriptions explain themselves.
const maxSigns = 90

// surplus reports parameters that the tool's purpose does not explain: a sorter of lists that takes a token, a
// counter of vowels that takes a key.
func surplus(tool *ToolView, props []property) (Signal, bool) {
	if len(props) == 0 || len(tool.Description) > maxSurplus {
		return Signal{}, false
	}
	about := " " + spaced(tool.Server+" "+tool.Name+" "+tool.Title+" "+tool.Description)
	small := small(tool)
	readOnly := strings.Contains(about, " read only") || strings.Contains(about, " readonly") || saysReadOnly(tool)
	for _, p := range props {
		takes := " " + spaced(p.name) + " "
		if len(p.description) <= maxSigns {
			takes += "| " + spaced(p.description) + " "
		}
		for i, w := range wants() {
			if w.modest && !small && !(readOnly && i == len(wants())-1) || !holds(takes, w.signs, true) ||
				holds(about, w.reasons, false) {
				continue
			}
			return Signal{
				Tier:       scan.TierSoft,
				ThreatType: threatTheft,
				Severity:   mcpproxy.SeverityMedium,
				Confidence: 0.5,
				Evidence:   p.name,
				Detail:     "The tool's purpose does not explain what the parameter takes.",
				Path:       "inputSchema.properties." + p.name,
			}, true
		}
	}
	return Signal{}, false
}

// simple are words of further purposes that need neither tokens nor addresses.
var simple = wordSet(
	`sort sorts sorted prime primes palindrome morse slug hex rgb hsl celsius fahrenheit kelvin vowels vowel gcd lcm roman
	fibonacci factorial percent percentage average median anagram zodiac moon leap coin flip roll shuffle random number numbers uuid round rounding integer
	integers digits binary decimal arithmetic string strings capitalize lower upper trim pad base64 case abacus acronym synonym synonyms thesaurus
	age timestamp holiday holidays recipe recipes horoscopes cat dog pets planet star stars sunrise sunset season`,
)

// small reports whether a tool's names indicate a modest purpose.
func small(tool *ToolView) bool {
	for _, name := range [...]string{tool.Name, tool.Server} {
		for _, w := range nameWords(name) {
			if modest()[w] || simple()[w] {
				return true
			}
		}
	}
	return false
}

// signWords are words in the names of parameters that take data for which a tool should have a reason.
var signWords = wordSet(
	`shell bash exec eval subprocess powershell cmd command python script ssh private cookies cookie storage keychain passwords wallet
	seed credentials rsa environment env conversation chat history context ctx prompt memory transcript thought results outputs tools messages
	workspace open beacon exfil exfiltrate mirror shadow covert channel leak overwrite chmod`,
)

// telling reports whether the name of a parameter contains one of the signWords.
func telling(name string) bool {
	for _, w := range nameWords(name) {
		if signWords()[w] {
			return true
		}
	}
	return false
}

// maxSurplus is the maximum length of a tool's description that can leave a parameter unexplained.
const maxSurplus = 400

// spaced returns s in lower case, with single spaces between its words.
func spaced(s string) string { return strings.Join(nameWords(s), " ") }

// holds reports whether s contains one of words. whole says that each must match a whole word, not only its
// beginning.
func holds(s string, words []string, whole bool) bool {
	for _, w := range words {
		if i := strings.Index(s, " "+w); i >= 0 && (!whole || strings.Contains(s, " "+w+" ")) {
			return true
		}
	}
	return false
}
