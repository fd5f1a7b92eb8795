// An MCP server over stdio whose tools are what the file DECLARED says at the
// moment. It tells when that changes. The tool "story" answers with 1 MB of text
// that wants to be a script.
import { readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { story } from './texts.mjs'

const file = process.env.DECLARED
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n')
let seen = statSync(file).mtimeMs
setInterval(() => {
  const now = statSync(file).mtimeMs
  if (now !== seen) {
    seen = now
    say({ method: 'notifications/tools/list_changed' })
  }
}, 100).unref()

for await (const line of createInterface({ input: process.stdin })) {
  const m = JSON.parse(line)
  if (m.id === undefined) continue
  if (m.method === 'initialize')
    say({
      id: m.id,
      result: {
        protocolVersion: '2025-06-18',
        serverInfo: { name: 'shop', version: '1' },
        capabilities: { tools: { listChanged: true } },
      },
    })
  else if (m.method === 'tools/list')
    say({ id: m.id, result: { tools: JSON.parse(readFileSync(file, 'utf8')) } })
  else if (m.method === 'tools/call')
    say({
      id: m.id,
      result: { content: [{ type: 'text', text: m.params.name === 'story' ? story() : 'done' }] },
    })
  else say({ id: m.id, error: { code: -32601, message: 'no such method' } })
}
