// Package day plays a day of honest work: sessions of an agent, one after the other, with one
// daemon that has its default configuration. It counts how often the agent is asked, denied or
// warned, and how often a result is withheld.
//
// A session is a file of testdata/sessions: what the user writes, what the agent calls, and what
// its own tools answer (session_test.go describes the form). The head of the file states each
// interruption and its reason. The test fails if the session has another one, or lacks one.
//
//	# asked: step 7: a new payee, as designed
//	# defect: denied: step 4: the repository is the user's own (session_taint)
//
// A defect is a false alarm that is known. Whoever mends it takes the line out.
//
// The agent is this test's own binary under another name. It starts the real hook, as Claude Code
// does, and the real `mcpproxy stdio`. The servers are real ones from npm, with a real PostgreSQL and
// a real browser. Mail, chat, issues and money cannot be had offline: stand-ins keep state and answer
// with the tools of the real servers (testdata/services). Three sessions run in the real Claude Code,
// with a scripted model.
package day
