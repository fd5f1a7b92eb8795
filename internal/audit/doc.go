// Package audit answers an auditor's questions about the activity log, as MCP tools: what happened
// in a session, what was found in a period, which rules the log suggests, and which records match a
// filter.
//
// Guarantees: every tool only reads. Answers contain no bodies, whoever asks: only the owner can
// read the arguments and results of calls, through the REST API. Answers are made from records,
// which were masked before they were written. Text that servers and agents wrote is shortened, and
// its invisible characters are made visible, because a model will read it. An answer has at most
// [MaxAnswer] bytes; a cursor leads to the rest. Every answered question is recorded in the log and
// belongs to no agent's session. The number of questions is limited for each principal, so that
// questions cannot push older records out of the log.
package audit
