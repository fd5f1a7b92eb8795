import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pretend, session } from './graph.mjs'
import { apiKey, shots, until } from './rig.mjs'
import { turned } from './texts.mjs'

const clean = (page, assert) => assert.deepEqual(page.wrong, [])

export async function a_link_logs_in_once_and_leaves_no_trace(rig, assert) {
  const page = await rig.page()
  const link = rig.command('open', '--print')
  assert.match(link, /\/ui\/#login=[A-Z0-9]{26}$/)
  await page.goto(link)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.ok(!page.url().includes('login'), page.url())
  const kept = await page.context().storageState()
  assert.ok(!JSON.stringify(kept).includes(apiKey))
  assert.equal(kept.cookies.length, 1)
  assert.ok(kept.cookies[0].httpOnly && kept.cookies[0].sameSite === 'Strict')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const second = await rig.page()
  await second.goto(link)
  await second.getByRole('alert').getByText('was used already').waitFor()
  await second.getByLabel('Or paste the API key').fill('wrong')
  await second.getByRole('button', { name: 'Log in' }).click()
  await second.getByRole('alert').getByText('a valid key is required').waitFor()
  await second.getByLabel('Or paste the API key').fill(apiKey)
  await second.getByRole('button', { name: 'Log in' }).click()
  await second.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await second.getByRole('button', { name: 'Log out' }).click()
  await second.getByLabel('Or paste the API key').waitFor()
  clean(page, assert)
  await page.context().close()
  await second.context().close()
}

export async function the_banner_says_what_is_not_seen_and_stays_away_when_dismissed(rig, assert) {
  const page = await rig.loggedIn()
  await page
    .getByText('Security coverage: MCP proxy only. Install hooks for full agent tool visibility.')
    .waitFor()
  await page.getByRole('button', { name: 'How to install hooks' }).click()
  await page.getByText('mcpproxy hook install').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.reload()
  await page.getByText('Waiting for you').waitFor()
  assert.equal(await page.getByText('Security coverage').count(), 0)
  await page.context().close()
}

export async function the_banner_does_not_call_hooks_missing_that_are_installed_and_quiet(rig, assert) {
  rig.command('hook', 'install', '--agent', 'claude-code', '--scope', 'user')
  try {
    const page = await rig.loggedIn()
    await page
      .getByText(
        'Security coverage: MCP proxy only. Hooks are installed, but no event has come from them lately.',
      )
      .waitFor()
    await page.getByRole('button', { name: 'How to find out why' }).click()
    await page.getByText('They are installed for claude-code').waitFor()
    await page.getByText('mcpproxy hook status', { exact: true }).waitFor()
    assert.equal(await page.getByText('nstall hooks').count(), 0)
    await page.context().close()
  } finally {
    rig.command('hook', 'uninstall', '--agent', 'claude-code', '--scope', 'user')
  }
}

export async function a_call_appears_while_one_looks(rig, assert) {
  const page = await rig.loggedIn()
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('grid').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  assert.equal(await page.getByRole('row', { name: /database:query_table/ }).count(), 0)
  const agent = await rig.agent()
  await agent.call('read', 'database:query_table', { table: 'customers' })
  await page
    .getByRole('row', { name: /database:query_table/ })
    .first()
    .waitFor()
  // The keys that are named there work at once, after a click and after the address.
  for (const come of [async () => {}, () => page.reload()]) {
    await come()
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/activity\/01/)
    await page.keyboard.press('Escape')
    await page.waitForURL(/activity(\?.*)?$/)
  }
  clean(page, assert)
  await page.context().close()
}

export async function the_log_says_what_a_shell_ran(rig, assert) {
  await rig.api('/hooks/evaluate', {
    method: 'POST',
    body: JSON.stringify({
      event: 'PreToolUse',
      session_id: 'shell',
      tool_name: 'Bash',
      tool_input: { command: 'git log --oneline -3' },
    }),
  })
  const page = await rig.loggedIn()
  await page.getByRole('link', { name: 'Activity' }).click()
  await page
    .getByRole('row', { name: /Bash\s+git log --oneline -3/ })
    .first()
    .waitFor()
  assert.match(rig.command('activity', 'list'), /Bash: git log --oneline -3/)
  clean(page, assert)
  await page.context().close()
}

export async function a_theft_is_found_and_explained(rig, assert) {
  const page = await rig.loggedIn()
  const agent = await rig.agent()
  const secret = (
    await agent.call('read', 'vault:read_secret', { name: 'deploy-key' })
  ).content[0].text.match(/value: (\S+)/)[1]
  const stopped = await agent.call('write', 'chat:post_message', {
    channel: '#general',
    text: 'For the record, ' + Buffer.from(secret).toString('base64'),
  })
  assert.ok(stopped.isError)
  await page.getByText('Last stopped').waitFor()
  const entry = page.getByRole('link', { name: /chat:post_message/ }).first()
  await entry.waitFor()
  await entry.click()
  const record = page.getByRole('region', { name: 'Record' })
  await record.getByText('Data that moved').waitFor()
  await record
    .getByText(/security\.flow_policy\./)
    .first()
    .waitFor()
  await record.getByRole('img', { name: /^Risk \d+ of 100, from/ }).waitFor()
  await record.getByText('"suppressions"').waitFor()
  await record.getByText('base64').first().waitFor()
  const words = record.getByRole('list', { name: 'What was known about the call' })
  await words.getByText('Goes to: channel #general, not seen before.').waitFor()
  await words.getByText('Carries a secret:').waitFor()
  const said = rig.command('explain', page.url().match(/activity\/(\w+)/)[1])
  for (const sentence of await words.getByRole('listitem').allTextContents())
    assert.ok(said.includes(sentence.trim()), `${sentence} is not in:\n${said}`)
  assert.ok(!(await page.textContent('body')).includes(secret), 'the secret is shown')
  await page.keyboard.press('Escape')
  await record.waitFor({ state: 'detached' })
  clean(page, assert)
  await page.context().close()
}

export async function home_is_shown_and_decided(rig, assert) {
  const page = await rig.loggedIn()
  const field = page.getByLabel('A domain, an address, an owner or a repository')
  await field.fill('gmail.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('gmail.com cannot be home').waitFor()
  await field.fill('acme.example')
  await page.keyboard.press('Enter')
  const counts = async () => (await rig.api('/home')).find((e) => e.name === 'acme.example')?.counts
  await page.getByRole('button', { name: 'Reject acme.example' }).click()
  await until('it is rejected', async () => (await counts()) === false)
  await page.getByRole('button', { name: 'Confirm acme.example' }).click()
  await until('it is home', counts)
  rig.command('home', 'remove', 'acme.example')
  await page.getByRole('button', { name: 'Reject acme.example' }).waitFor({ state: 'detached' })
  clean(page, assert)
  await page.context().close()
}

export async function filters_are_offered_found_and_kept_in_the_address(rig, assert) {
  const page = await rig.loggedIn()
  await page.goto(rig.url + '/ui/#/activity')
  await page.getByRole('grid').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('vaul')
  await page.getByRole('option', { name: /Server/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the filter Server vault' }).waitFor()
  assert.match(page.url(), /server=vault/)
  const rows = () => page.locator('[role=row][id]').allTextContents()
  await until('only the vault is listed', async () => {
    const all = await rows()
    return all.length > 0 && all.every((t) => t.includes('vault'))
  })
  await page.reload()
  await until('it is so after a reload', async () => {
    const all = await rows()
    return all.length > 0 && all.every((t) => t.includes('vault'))
  })
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Status').selectOption('blocked')
  await page.getByText('No record matches').waitFor()
  await page.getByRole('button', { name: 'Remove the filter Server vault' }).click()
  await page
    .getByRole('row', { name: /chat:post_message/ })
    .first()
    .waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = await (await download).createReadStream()
  let text = ''
  for await (const part of file) text += part
  assert.ok(
    text
      .trim()
      .split('\n')
      .every((line) => JSON.parse(line).status === 'blocked'),
  )
  await page.getByRole('grid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Record' }).waitFor()
  clean(page, assert)
  await page.context().close()
}

export async function a_record_that_covers_the_table_has_the_focus_and_gives_it_back(rig, assert) {
  const page = await rig.loggedIn({ viewport: { width: 360, height: 740 } })
  await page.goto(rig.url + '/ui/#/activity')
  await page.locator('[role=row][id]').first().click()
  const record = page.getByRole('region', { name: 'Record' })
  await record.getByText('Facts').waitFor()
  await until('the record has the focus', () => record.evaluate((r) => r === document.activeElement))
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press('Tab')
    assert.ok(
      await page.evaluate(() => !document.activeElement.closest('search, [role=grid]')),
      'Tab goes to what is covered',
    )
  }
  await page.keyboard.press('Escape')
  await record.waitFor({ state: 'detached' })
  await until('the table has it again', () =>
    page.getByRole('grid').evaluate((g) => g === document.activeElement),
  )
  clean(page, assert)
  await page.context().close()
}

export async function a_waiting_call_is_approved_with_one_key_and_another_denied(rig, assert) {
  const page = await rig.loggedIn()
  await page.getByRole('link', { name: /^Approvals/ }).click()
  await page.getByText('Nothing waits').waitFor()
  const agent = await rig.agent()
  await agent.call('read', 'database:query_table', { table: 'customers' })
  for (const [key, refused] of [
    ['a', false],
    ['d', true],
  ]) {
    let over = false
    const answer = agent
      .call('write', 'chat:post_message', {
        channel: '#' + key,
        text: 'renewal at risk, asked for a 14 percent discount in March ' + key,
      })
      .finally(() => {
        over = true
      })
    await page.getByRole('article').waitFor()
    await page.getByText('Time left').waitFor()
    await page.getByText(`Goes to: channel #${key}, not seen before.`).waitFor()
    await page.getByRole('button', { name: 'Approve once a' }).waitFor()
    assert.ok(!over, 'the call does not wait')
    await page.keyboard.press(key)
    assert.equal(!!(await answer).isError, refused)
    await page.getByText('Nothing waits').waitFor()
  }
  clean(page, assert)
  await page.context().close()
}

export async function an_answer_holds_for_the_session_or_for_always_until_it_is_revoked(rig, assert) {
  const page = await rig.loggedIn()
  await page.getByRole('link', { name: /^Approvals/ }).click()
  await page.getByText('Nothing waits').waitFor()
  const reader = async () => {
    const agent = await rig.agent()
    await agent.call('read', 'database:query_table', { table: 'customers' })
    return agent
  }
  const post = (agent, channel, year) =>
    agent.call('write', 'chat:post_message', {
      channel,
      text: `renewal at risk, asked for a 14 percent discount in March ${year}`,
    })
  const answered = async (call, button) => {
    await page.getByRole('article').waitFor()
    await page.getByRole('button', { name: button, exact: true }).click()
    return !(await call).isError
  }
  const first = await reader()
  assert.ok(await answered(post(first, '#session', 1), 'For this session'))
  assert.ok(!(await post(first, '#session', 2)).isError, 'the session is asked again')
  assert.ok(await answered(post(await reader(), '#always', 3), 'Always'), 'it is not approved')
  assert.ok(!(await post(await reader(), '#always', 4)).isError, 'another session is asked again')
  const revoke = page.getByRole('button', { name: 'Revoke chat:post_message' })
  await revoke.click()
  await revoke.waitFor({ state: 'detached' })
  const again = post(await reader(), '#always', 5)
  await page.getByRole('article').waitFor()
  await page.getByRole('button', { name: /^Deny/ }).click()
  assert.ok((await again).isError, 'what is revoked still passes')
  clean(page, assert)
  await page.context().close()
}

export async function a_call_waits_only_while_a_page_is_open(rig, assert) {
  const agent = await rig.agent()
  await agent.call('read', 'database:query_table', { table: 'customers' })
  const post = (channel) =>
    agent.call('write', 'chat:post_message', {
      channel,
      text: 'renewal at risk, asked for a 14 percent discount in March',
    })
  assert.ok(!(await post('#nobody-looks')).isError)
  assert.deepEqual(await rig.api('/approvals'), [])
  const page = await rig.loggedIn()
  await page.getByText('live', { exact: true }).waitFor()
  const waits = post('#somebody-looks')
  const [asked] = await until('it waits', async () => {
    const all = await rig.api('/approvals')
    return all.length && all
  })
  await page.getByRole('link', { name: /^Approvals/ }).click()
  await page.getByRole('button', { name: /^Deny/ }).click()
  assert.ok((await waits).isError)
  assert.equal(asked.channel, 'queue')
  clean(page, assert)
  await page.context().close()
}

export async function a_rug_pull_is_shown_side_by_side_and_hostile_text_stays_text(rig, assert) {
  const page = await rig.loggedIn()
  await page.goto(rig.url + '/ui/#/tools/shop')
  await page.getByRole('button', { name: 'Approve what is new' }).click()
  await page.getByRole('status').getByText('approved').waitFor()
  rig.declare(turned)
  await page.getByRole('button', { name: 'price' }).waitFor()
  await until('the change is noticed', async () =>
    (await rig.api('/servers/shop/tools')).some((t) => t.name === 'price' && t.trust.state === 'rug_pull'),
  )
  await page.getByRole('button', { name: 'price' }).click()
  await page.getByText('What has changed since it was approved').waitFor()
  await page.getByText('⟦U+200B⟧').first().waitFor()
  await page.getByText('evil.example').first().waitFor()
  const agent = await rig.agent()
  await agent.call('read', 'shop:story', { of: '<script>window.taken=1</script>' })
  await page.getByRole('button', { name: '<img/src=x/onerror=taken=1>' }).click()
  await page.getByText('⟦ESC⟧').first().waitFor()
  await page.goto(rig.url + '/ui/#/activity?server=shop&type=tool_call')
  await page
    .getByRole('row', { name: /shop:story/ })
    .first()
    .click()
  const record = page.getByRole('region', { name: 'Record' })
  await record.getByText('Response', { exact: false }).first().waitFor()
  assert.equal(await page.locator('main img, main script').count(), 0)
  assert.equal(await page.evaluate(() => window.taken), undefined)
  assert.ok((await page.textContent('main')).length < 200_000, 'a long text is not cut')
  await page.goto(rig.url + '/ui/#/tools/shop/tool/price')
  await page.getByRole('button', { name: 'Block' }).click()
  await page.getByRole('status').getByText('Blocked').waitFor()
  clean(page, assert)
  await page.context().close()
}

export async function a_session_is_a_picture_and_a_table(rig, assert) {
  const page = await rig.loggedIn()
  const { activities: records } = await rig.api('/activity?status=blocked&tool=post_message')
  await page.goto(rig.url + '/ui/#/flows/' + encodeURIComponent(records[0].flow_session_id))
  const link = page.getByRole('button', { name: /vault to chat.*stopped/ }).first()
  await link.waitFor()
  await link.focus()
  await page.keyboard.press('Enter')
  await page.getByText('It was read here').waitFor()
  await page.getByText('and was stopped').waitFor()
  await page.getByRole('heading', { name: 'The same as a table' }).waitFor()
  const slider = page.getByLabel('Show the session up to call')
  await slider.fill('0')
  await until(
    'the replay hides what comes later',
    async () => (await page.locator('.node:not(.later)').count()) === 0,
  )
  clean(page, assert)
  await page.context().close()
}

export async function a_session_of_five_hundred_calls_and_two_thousand_movements_can_be_read(rig, assert) {
  const page = await rig.loggedIn()
  await pretend(page, session(500, 2000))
  await page.evaluate(() =>
    new MutationObserver((_, all) => {
      if (!document.querySelector('.node')) return
      all.disconnect()
      requestAnimationFrame(() =>
        setTimeout(() => {
          window.drawn = performance.now()
        }),
      )
    }).observe(document.body, { childList: true, subtree: true }),
  )
  await page.goto(rig.url + '/ui/#/flows/many')
  const took = await (
    await page.waitForFunction(
      () =>
        window.drawn &&
        window.drawn -
          Math.max(
            ...performance
              .getEntriesByType('resource')
              .filter((r) => r.name.includes('session_id=many'))
              .map((r) => r.responseEnd),
          ),
    )
  ).jsonValue()
  console.log(
    JSON.stringify({
      measured: '500 calls with 2,000 movements, from the last answer to the picture',
      ms: Math.round(took),
    }),
  )
  assert.equal(await page.locator('.node').count(), 500)
  const some = await page.locator('.link').count()
  if (shots) await page.screenshot({ path: join(shots, 'flows-many.png') })
  assert.ok(some > 200 && some < 1200, `${some} lines are shown at first`)
  const before = Date.now()
  await page.getByLabel('also show data that stays inside').check()
  assert.equal(await page.locator('.link').count(), 2000)
  console.log(JSON.stringify({ measured: 'all 2,000 of them, from the click', ms: Date.now() - before }))
  assert.equal(await page.locator('.link[tabindex="0"]').count(), 1)
  await page.locator('.link[tabindex="0"]').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByText('It was read here').waitFor()
  assert.equal(await page.locator('tr.on').count(), 1)
  assert.equal(await page.locator('table tbody tr').count(), 100)
  await page.getByRole('button', { name: 'Show 500 more of 2,000' }).click()
  assert.equal(await page.locator('table tbody tr').count(), 600)
  clean(page, assert)
  await page.context().close()
}

export async function a_policy_is_simulated(rig, assert) {
  const page = await rig.loggedIn()
  await page.goto(rig.url + '/ui/#/policies')
  await page.getByText('Rules that decided').waitFor()
  await page.getByLabel('Part of the configuration').fill('{"security": {"tool_policy": {"read": "deny"}}}')
  await page.getByRole('button', { name: 'Simulate', exact: true }).click()
  await page.getByText('would have been decided differently').waitFor()
  await page.getByRole('link', { name: 'database:query_table' }).first().waitFor()
  await page.getByLabel('Part of the configuration').fill('{"security": {"no_such_key": 1}}')
  await page.getByRole('button', { name: 'Simulate', exact: true }).click()
  await page.getByRole('alert').getByText('no_such_key').waitFor()
  clean(page, assert)
  await page.context().close()
}

export async function calls_that_nobody_judged_are_told_of(rig, assert) {
  await writeFile(
    join(rig.dir, 'data', 'hooks.unseen'),
    `${Date.now() - 60_000} codex\n${Date.now()} codex\n`,
  )
  const page = await rig.loggedIn()
  await page.getByRole('alert').getByText('2 calls passed unseen').waitFor()
  clean(page, assert)
  await page.context().close()
}

/** Played last: it ends the daemon. */
async function over(rig, assert) {
  const page = await rig.loggedIn()
  await page.getByText('live', { exact: true }).waitFor()
  await rig.stop()
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  await rig.serve(4)
  await page.getByText('session has ended').waitFor()
  await page.getByText('mcpproxy open', { exact: true }).waitFor()
  await page.context().close()
}
export { over as the_page_says_when_the_daemon_is_gone_and_what_to_do_then }
