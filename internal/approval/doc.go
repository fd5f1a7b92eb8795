// Package approval asks a person about a call and lets exactly that call through once if the person
// agrees.
//
// A [Desk] holds the open questions. One of three parties answers: the user of the agent's client,
// to whom the client shows the question (elicitation); whoever reads the list of waiting calls on
// the command line or the page (the queue); or the agent's own user, whom the agent asked before it
// made the call (hooks). If none of them can be asked, the outcome is [Nobody].
//
// Guarantees: an approval is valid for one call, and only for the call that was shown. It does not
// cover another principal, session, tool or ruling, arguments that differ in one value, or a call
// under another configuration. Only an explicit yes approves; a no, an error, a cancelled call and
// silence refuse. Agents do not report what their own prompt was answered. If the call arrives, or
// its hook reports that it was made, the desk takes this as a yes to the last prompt about such a
// call. The number of open questions is limited for each principal, and new questions never
// displace older ones. Nothing survives a restart: questions that are open when the desk closes
// expire.
//
// The text that a person is shown ([Request.Text]) is safe to print: it is made from a masked
// record, the call cannot forge lines of it, and it has no invisible characters.
package approval
