// Package hook reads and writes the hook protocols of agents. An agent runs a command
// before and after each of its tool calls, passes it a JSON payload and reads a decision
// from its standard output. The payload and the decision look different for each agent.
// This package turns a payload into an [Event] and a decision into a [Reply]. It opens no
// files, uses no network and makes no decisions.
//
// Each agent has one file: its event names, its field names, its form of the names of MCP
// tools, and the output that stops a call. Package agent holds the other facts about an
// agent; its documentation says how to add one.
//
// Rules for all agents:
//
//   - Empty output means no objection. To several agents "allow" means "do not ask the
//     user either", which is more than the gate decided. ReplyOptions.ExplicitAllow prints
//     it nevertheless.
//   - Only the event before a tool call can stop it. After the call, on prompts and at the
//     end of a session the reply is empty, whatever the decision is.
//   - If an agent cannot ask its user, an ask becomes ReplyOptions.AskFallback. A redact
//     counts as ask, since hooks cannot redact.
//   - A payload that is not a JSON object is an error. Arguments and results within the
//     payload keep the agent's own bytes, including duplicate keys, so that the gate can
//     refuse them as it does elsewhere.
package hook
