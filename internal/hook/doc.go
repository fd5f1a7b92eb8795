// Package hook speaks the languages of agents' hooks. An agent runs a command
// around each of its tool calls, hands it a JSON payload and reads a decision
// from its standard output; every agent spells both in its own way. This package
// turns a payload into an [Event] and a decision into a [Reply], and does nothing
// else: it opens no file, knows no network and makes no decision.
//
// One file is one agent's dialect: its event names, its field names, how it spells the
// tools of MCP servers, how it is told to stop. What else is known about an agent is in
// package agent; its doc says how an agent is added.
//
// What holds for all of them:
//
//   - No objection is silence. To several agents "allow" means "do not ask the
//     user either", which is more than the gate has said. ReplyOptions.ExplicitAllow
//     prints it nevertheless.
//   - Only the event before a tool can stop anything. After the fact, on prompts
//     and at the ends of sessions the reply is empty, whatever was decided.
//   - Where an agent cannot ask its user, an ask becomes ReplyOptions.AskFallback.
//     Redacting, which no hook can do, counts as ask.
//   - A payload that is no JSON object is an error. Inside, arguments and results
//     keep the agent's own bytes, duplicate keys included, so that the gate refuses
//     what it would refuse elsewhere.
package hook
