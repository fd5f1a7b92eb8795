// Drives the page of a real mcpproxy through a browser.
import { readFile } from 'node:fs/promises'
import { Rig } from './rig.mjs'
import * as scenes from './scenes.mjs'
import { looks } from './looks.mjs'

// orderly are the scenes as they are written: a module's names come sorted.
const order = [
  ...(await readFile(new URL('./scenes.mjs', import.meta.url), 'utf8')).matchAll(
    /export async function (\w+)/g,
  ),
].map((m) => m[1])
const orderly = (all) => Object.fromEntries(order.map((name) => [name, all[name]]))

const { the_page_says_when_the_daemon_is_gone_and_what_to_do_then: last, ...others } = scenes
const rig = new Rig()
await rig.play(async (scene) => {
  await rig.start()
  const play = async (all) => {
    for (const [name, one] of Object.entries(all))
      await scene(name.replaceAll('_', ' '), async (rig, assert) => {
        await rig.alone()
        await one(rig, assert)
      })
  }
  await play(orderly(others))
  if (!process.env.ONLY || process.env.ONLY === 'looks') await looks(rig, scene)
  await play({ the_page_says_when_the_daemon_is_gone_and_what_to_do_then: last })
})
