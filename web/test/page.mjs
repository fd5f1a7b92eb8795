// Drives the page of a real mcpproxy through a browser. Each scene prints a line of
// JSON: its name, how long it took, and what was wrong.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { Rig } from './rig.mjs'
import * as scenes from './scenes.mjs'
import { looks } from './looks.mjs'

// orderly are the scenes as they are written: a module's names come sorted.
const order = [...(await readFile(new URL('./scenes.mjs', import.meta.url), 'utf8')).matchAll(/export async function (\w+)/g)].map((m) => m[1])
const orderly = (all) => Object.fromEntries(order.map((name) => [name, all[name]]))

const rig = new Rig()
let failed = 0
async function scene(name, play) {
  const begin = Date.now()
  let error = ''
  try { await play(rig, assert) } catch (e) { error = String(e.stack ?? e).slice(0, 4000); failed++ }
  console.log(JSON.stringify({ scene: name, ms: Date.now() - begin, error }))
}
try {
  await rig.start()
  const { the_page_says_when_the_daemon_is_gone_and_what_to_do_then: last, ...others } = scenes
  const play = async (all) => { for (const [name, one] of Object.entries(all)) if (!process.env.ONLY || name.includes(process.env.ONLY)) await scene(name.replaceAll('_', ' '), one) }
  await play(orderly(others))
  if (!process.env.ONLY || process.env.ONLY === 'looks') await looks(rig, scene)
  await play({ the_page_says_when_the_daemon_is_gone_and_what_to_do_then: last })
} finally {
  await rig.end()
}
process.exitCode = failed ? 1 : 0
