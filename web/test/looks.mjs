import { join } from 'node:path'
import { axe } from './axe.mjs'
import { shots, until } from './rig.mjs'

// offered are the views that the page has at its top, which come from src/views/list.ts.
async function offered(page) {
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
  await links.first().waitFor()
  return links.evaluateAll((all) =>
    all.map((link) => ({ name: link.hash.slice(2), title: link.firstChild.textContent.trim() })),
  )
}

/** Every view at three widths in both themes: nothing for axe to find, nothing that sticks out, and a picture. */
export async function looks(rig, scene) {
  const agent = await rig.agent()
  const note = 'renewal at risk, asked for a 14 percent discount in March'
  await agent.call('read', 'database:query_table', { table: 'customers' })
  await agent.call('read', 'shop:price', { of: 'rope' })
  await agent.call('write', 'database:insert_note', { table: 'notes', note })
  const secret = (await agent.call('read', 'vault:read_secret', { name: 'deploy-key' })).content[0].text
  await agent.call('write', 'chat:post_message', { channel: '#general', text: secret })
  const watcher = await rig.loggedIn() // a call waits, for 45 seconds, because a page is open
  await watcher.getByText('live', { exact: true }).waitFor()
  const pending = async () => (await rig.api('/approvals')).length > 0
  const waiting = async () => {
    if (await pending()) return
    void agent.call('write', 'chat:post_message', { channel: '#general', text: note }).catch(() => {})
    await until('a call waits', pending)
  }
  await waiting()
  const { activities: records } = await rig.api('/activity?status=blocked&tool=post_message')
  const places = {
    record: '#/activity/' + records[0].id,
    tools: '#/tools/shop/tool/price',
    flows: '#/flows/' + encodeURIComponent(records[0].flow_session_id),
  }
  for (const theme of ['light', 'dark']) {
    const page = await rig.loggedIn({ colorScheme: theme, reducedMotion: 'reduce' })
    const views = await offered(page)
    if (views.length < 6) throw new Error(`the page has only the views ${views.map((v) => v.name)}`)
    for (const { name: view, title } of [...views, { name: 'record', title: 'Activity' }]) {
      await scene(`${view} in ${theme} has no violations and fits at every width`, async (_, assert) => {
        if (view === 'approvals') await waiting()
        await page.goto(rig.url + '/ui/' + (places[view] ?? '#/' + view))
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await until('it is loaded', async () => (await page.getByText('Loading…').count()) === 0)
        for (const width of [1440, 768, 360]) {
          await page.setViewportSize({ width, height: width === 360 ? 740 : 900 })
          await page.waitForTimeout(150)
          if (shots) await page.screenshot({ path: join(shots, `${view}-${theme}-${width}.png`) })
          assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            `at ${width} it is wider than the window`,
          )
          assert.deepEqual(await axe(page), [], `at ${width}`)
        }
        assert.deepEqual(page.wrong, [])
      })
    }
    await page.context().close()
  }
}
