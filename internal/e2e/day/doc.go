// Package day plays a day of honest work: sessions of an agent, one after the other, with one daemon in its default
// configuration. It counts how often the agent is asked, denied or warned, and how often a result is withheld.
//
// A session is a file in testdata/sessions. It contains the user's messages, the agent's calls and the results of the
// agent's own tools (session_test.go describes the format). The head of the file lists each expected interruption with
// its reason. The test fails if an interruption is missing or not listed.
//
//	# asked: step 7: a new payee, as designed
//	# defect: denied: step 4: the repository is the user's own (session_taint)
//
// A defect is a known false alarm. Whoever fixes it removes the line.
//
// The agent is this test's own binary under another name. It starts the real hook as Claude Code does, and the real
// `mcpproxy stdio`. The servers are real ones from npm, with a real PostgreSQL and a real browser. Services for mail,
// chat, issues and payments do not work offline, so they are replaced by fakes that keep state and offer the tools of
// the real servers (testdata/services). Three sessions run in the real Claude Code with a scripted model.
package day
