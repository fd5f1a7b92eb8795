package scan

import (
	"fmt"
	"slices"
	"strings"
)

// set is a set of concepts: the meanings of words that rows use. It has room for 192.
type set [3]uint64

// concepts are the names of concepts in lexicons and rows.
var concepts = []string{
	// Cancelling earlier instructions.
	"ignore",   // ignore, disregard, forget
	"override", // bypass, override, disable, skip
	"prior",    // previous, above, earlier, original
	"other",    // other, current, existing: weaker than "previous"
	"instr",    // instructions, directives, prompt
	"rules",    // rules, commands, context: weaker than instr
	"safety",   // safety, ethical, content (filter)
	"limit",    // restrictions, filters, guardrails, checks
	"free",     // unrestricted, uncensored, jailbroken
	"instead",  // instead, only
	"fresh",    // new, updated, real
	// Who is addressed, and in which role.
	"you", "your",
	"model", // AI, assistant, Claude
	"agent", // agent, bot: often no model at all
	"user",  // the user, the human
	"authority", "system", "prompt",
	"order", // I order you
	"be",    // are, become
	"act",   // act, pretend, behave
	"as",    // as, like
	"mode",  // mode
	// Commands.
	"must", "please", "now", "obey", "start", "todo",
	"before", "after", "solve", "task",
	"following", // the following, this, first
	"call", "tool",
	"send", "read", "decode",
	"expose", // reveal, leak, tell me
	"reveal", // the same, and print, show, list
	"visit",  // visit, open, download, install
	"manage", // delete, create, invite, transfer
	"edit",   // add, include, insert, replace
	"response",
	"dual",   // two responses, two personas
	"memory", // memory, future sessions
	// What is sent, and where.
	"secret", // password, API key, credentials
	"vault",  // files that hold secrets
	"steal",  // exfiltrate, harvest
	"money",
	"data",  // conversation, messages, files
	"url",   // an address on the web or an e-mail address
	"place", // server, endpoint, account, attacker
	// Secrecy and consent.
	"not",  // not, no, without
	"dont", // do not, never: prohibits an act
	"tell", "hide", "refuse",
	"permission", // confirmation, consent, asking
	// Small words, and words about the text itself.
	"every", "what", "said", "to", "from", "urgent", "message",
	"linked",  // connected, chatting, logged in
	"ask",     // should I, how to, why
	"discuss", // attack, example, researchers
	// Concepts for tool definitions. Content has words of its own for a few of them: see appealChecks.
	"thistool",  // this tool, this function
	"alltools",  // other tools, any tool
	"calls",     // calling, called, invoked: the act of a tool's use
	"whenever",  // when, whenever, each time
	"param",     // parameter, argument, field
	"hand",      // pass, supply, append: give along with a call
	"sends",     // sends, uploading: said of a tool, not ordered
	"reads",     // reads, collecting
	"steals",    // steals, exfiltrates
	"convo",     // the conversation, the chat history, the system prompt
	"covert",    // silently, without telling the user
	"telemetry", // usage data, analytics
	"reroute",   // redirect, reroute, swap
	"bcc",       // blind copies
	"behaviour", // behaviour, side effect
	"target",    // recipient, destination, amount
	"also",      // also, in addition
	"result",    // results, output, returned data
	"heed",      // treat as instructions, act on
	"found",     // in the page, in the returned text
	"persona",
	"best",   // best, only reliable
	"over",   // instead of, over, rather than
	"prefer", // prefer, prioritise
	"avoid",  // avoid, never use, deprecated
	"prefix", // begin every command with
	"later",  // once approved, after installation
	"shell",  // shell commands, arbitrary code
	"raised", // elevated privileges
	"need",   // need, require
	"always",
	"aware",    // know, learn, notice
	"bypass",   // bypass, circumvent
	"private",  // private data of the user: open files, contacts, the environment, files in the home folder
	"personal", // the same in weaker words, which honest tools also use: contacts, location, environment
	"game",     // guess, quiz, surprise: something is kept from the user for fun
	"record",   // save, log, remember
	"lift",     // suspended, void, does not apply
	"owner",    // operator, owner, company: who rules over the agent
	"exact",    // verbatim, word for word
	"lasting",  // from now on, for the rest of the session
	"feign",    // pretend, claim, tell the user that
	"reader",   // a note for the agent, dear model: addresses a reader of definitions
	"excuse",   // for compliance, for quality control
	"agreed",   // has agreed already
	"risky",    // install, pay, delete, invite: acts that need consent
	"fence",    // end of the tool list, begin agent note
	"worse",    // malware, wrong results: said of others
	"rival",    // competitors, alternatives
	"until",    // until, unless
	"speech",   // what somebody has said: messages, words, turns
	"last",     // last, recent, so far
	"trust",    // trusted, official, certified
	"buy",      // recommend, paid plan, promote
	"comm",     // mention, point out, comment on, bring up
	"it",       // it, this, the difference: what must not be mentioned
	"nobody",   // nobody, to yourself
	"slot",     // a name between backquotes
	"figure",   // IBAN, price, link: what a payment or an order depends on
	"outrank",  // has priority over, takes precedence
	"host",     // the name of a machine on the web, without the rest of an address
	"sole",     // nothing but, no other
	"grave",    // the whole disk, the saved card: what no stranger may touch
	"rulebook", // rules, a policy
	"theft",    // exfiltration, keylogging: the act as a noun
	"grown",    // afterwards, as of the next release, it now also
	"person",   // RootBot, master, objective: whom or what the model is to serve
	"machine",  // hostname, user name, installed programs
	"scope",    // whatever the user asks, each time, while this is connected
	"untrue",   // untrusted, suspicious: said of texts that must not be obeyed
	// The reader, and what the text asks a machine to do; only content rows use these.
	"ai",    // AI, language model, chatbot: never a person
	"greet", // dear, hello, attention
	"parse", // reads, summarises, processes: describes the reader
	"grade", // rate, rank, shortlist
	"posit", // claim, state, answer that
	"mine",  // the user's e-mail address, the address book, the reader's setup
	"omit",  // leave out, play down, say nothing of
	// The same meanings as the names without "h-", for words and languages that would match too often in definitions.
	"h-be", "h-call", "h-data", "h-dont", "h-edit", "h-it", "h-manage", "h-model",
	"h-money", "h-must", "h-message", "h-asked", "h-skip", "h-limit", "h-lift", "h-ignore", "h-not", "h-obey", "h-permission", "h-please", "h-prior", "h-read",
	"h-reveal", "h-secret", "h-send", "h-task", "h-tell", "h-user", "h-visit", "h-you",
	// Acts without the usual check, and the persons who make the check; only content rows use these.
	"approve", // approve, release, sign off
	"check",   // the verification, the second signature
	"waive",   // skip, leave out
	"blind",   // without looking, without approval
	"mind",    // the model, the assistant: always the reader
	"back",    // reply with, as your answer
	"done",    // the task is finished, that completes the request
	"next",    // your next task, an assignment for you
	"errs",    // error, failed, locked
	"halt",    // stop reading here, end your work
	"runner",  // the operator of this assistant
	"robot",   // an automatic reader, in words that appeals do not use; see mandate.go
}

// has reports whether s and other have a concept in common.
func (s set) has(other set) bool { return s[0]&other[0]|s[1]&other[1]|s[2]&other[2] != 0 }

// and returns the union of s and other.
func (s set) and(other set) set { return set{s[0] | other[0], s[1] | other[1], s[2] | other[2]} }

// empty reports whether s has no concepts.
func (s set) empty() bool { return s == set{} }

// means returns the set of the named concepts, separated by "|". It panics if a name does not exist, which is an
// error in a table.
func means(names string) set {
	var s set
	for name := range strings.SplitSeq(names, "|") {
		i := slices.Index(concepts, name)
		if i < 0 {
			panic(fmt.Sprintf("scan: no concept is called %q", name))
		}
		s[i/64] |= 1 << (i % 64)
	}
	return s
}
