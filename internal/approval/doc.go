// Package approval has a person asked about a call, and lets exactly that call
// through, once, when the person agrees.
//
// A [Desk] holds the questions. Who answers depends on what there is: the client
// of the agent puts the question to its user (elicitation), or the call waits for
// the command line or the page (the queue), or the agent has shown a prompt of its
// own before it made the call (hooks). Without any of these there is [Nobody].
//
// Guarantees: an approval is bound to what was shown, and serves once: another
// principal, session, tool or ruling, one changed byte in a value of the arguments,
// or another configuration makes it another call. Only an explicit yes approves;
// a no, an error, a cancelled call and silence refuse. What an agent's own prompt
// was answered nobody tells: that the call comes, or its hook reports that it was
// made, is the yes, and it is taken for the answer to the last prompt about such a
// call. Questions are bounded for
// each principal, and what was asked first is not pushed out by what comes later.
// Nothing survives a restart: what is open when the desk closes has expired.
//
// What a person is shown ([Request.Text]) is safe to print: it is made of a masked
// record, in lines that the call cannot forge, without invisible characters.
package approval
