// Package audit answers an auditor's questions about the activity log, as MCP
// tools: what happened in a session, what was found in a span of time, which
// rules the log suggests, and which records match a filter.
//
// Guarantees: every tool only reads. Answers carry no bodies, whoever asks: what
// a call said and what was answered stays with the owner, in the REST API. They
// are made of records, which were masked before they were written. What servers
// and agents wrote is cut and made visible, since a model will read it. An answer
// has at most [MaxAnswer] bytes; what does not fit is reached with its cursor.
// Every question that is answered is recorded itself, and belongs to no agent's
// session; how many anybody can ask is bounded, so that questions do not push out of
// the log what they are about.
package audit
