// Drives the page over a log of RECORDS records, which are in the folder DATA already: "record 0"
// is the oldest. What it measures on the way it prints as {"measured": …}.
import { table } from './table.mjs'
import { Rig, until } from './rig.mjs'

const rig = new Rig(),
  records = +process.env.RECORDS,
  servers = 20
const say = (what, figures) => console.log(JSON.stringify({ measured: what, ...figures }))

await rig.play(async (scene) => {
  await rig.start({
    data_dir: process.env.DATA,
    activity: { retention_days: 0, max_records: 0, max_size_mb: 0 },
  })
  const page = await rig.loggedIn()
  const t = table(page)
  let before = 0 // records that the daemon has added itself

  await scene('a long log opens with its newest rows', async (_, assert) => {
    const begin = performance.now()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page
      .getByRole('row', { name: /record \d+/ })
      .first()
      .waitFor()
    say('first rows', { ms: Math.round(performance.now() - begin) })
    before = (await t.total()) - records
    assert.ok(before >= 0 && before < 50, `${await t.total()} rows of ${records}`)
  })
  const right = async (assert, what) => {
    const { rows, nodes } = await t.settled()
    for (const { index, text } of rows)
      if (index >= before)
        assert.match(text, new RegExp(`record ${records - 1 - (index - before)}$`), `${what}: row ${index}`)
    return { rows, nodes }
  }

  await scene(
    'the scroll bar goes to any depth, and the rows there are the right ones',
    async (_, assert) => {
      const waits = []
      for (let i = 0; i <= 20; i++) {
        const at = ((i * 8) % 21) / 20 // to and fro
        const begin = performance.now()
        await t.drag(at)
        const { rows } = await right(assert, `at ${at}`)
        waits.push(performance.now() - begin)
        const middle = rows[Math.floor(rows.length / 2)].index
        assert.ok(
          Math.abs(middle - at * (records + before)) < records * 0.02 + 40,
          `at ${at} there is row ${middle}`,
        )
      }
      say('a jump with the scroll bar, until its rows are there', {
        p50: median(waits),
        max: Math.round(Math.max(...waits)),
      })
    },
  )

  await scene('wheel, page and end keys scroll without gaps', async (_, assert) => {
    await t.grid.focus()
    await page.keyboard.press('Home')
    const { nodes: few } = await right(assert, 'at the top')
    const wheel = await t.watched(async () => {
      for (let i = 0; i < 120; i++) {
        await page.mouse.wheel(0, 240)
        await page.waitForTimeout(16)
      }
    })
    const there = 960 // 120 × 240 / 30
    await until(
      'the wheel has moved by what it moves',
      async () => (await t.settled()).rows[0].index === there,
    )
    const { nodes } = await right(assert, 'after the wheel')
    assert.ok(nodes < few * 1.3, `${nodes} elements after scrolling, ${few} before`)
    say('120 turns of the wheel', wheel)
    await page.keyboard.press('Home')
    const keys = await t.watched(async () => {
      for (let i = 0; i < 60; i++) await page.keyboard.press('PageDown')
    })
    say('60 times Page Down', keys)
    const down = (await right(assert, 'after Page Down')).rows
    assert.ok((await t.active()) > 60 * 15 && down.some((r) => r.active), 'the marked row is not on show')
    await page.keyboard.press('End')
    await right(assert, 'at the end')
    assert.equal(await t.active(), records + before - 1)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Record' }).getByText('record 1', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Record' }).waitFor({ state: 'detached' })
  })

  await scene('what is scrolled past does not stay in memory', async (_, assert) => {
    const walk = async (from) => {
      for (let i = 0; i < 28; i++) {
        await t.drag((((i * 13) % 28) + from) / 29)
        await t.settled()
      }
    }
    await walk(0.2)
    const warm = await t.heap()
    await walk(0.7)
    const then = await t.heap()
    say('JavaScript heap after 28 and 56 jumps', { MB: [mb(warm), mb(then)] })
    assert.ok(then < warm + 3e6, `${mb(warm)} MB, then ${mb(then)} MB`)
  })

  await scene('records that come in move nothing that one looks at', async (_, assert) => {
    await t.drag(0.5)
    const { rows } = await right(assert, 'in the middle')
    const agent = await rig.agent()
    await agent.call('read', 'database:query_table', { table: 'customers' })
    await page.getByRole('button', { name: /new: go to the top/ }).waitFor()
    assert.deepEqual((await right(assert, 'later')).rows, rows)
    await page.getByRole('button', { name: /new: go to the top/ }).click()
    await page
      .getByRole('row', { name: /database:query_table/ })
      .first()
      .waitFor()
  })

  await scene('a filter over a long log has its own end', async (_, assert) => {
    const begin = performance.now()
    await page.goto(rig.url + '/ui/#/activity?server=server-7')
    await until('only that server is listed', async () => {
      const { rows } = await t.settled()
      return rows.every((r) => r.text.includes('server-7:'))
    })
    say('a filter, until its rows are there', { ms: Math.round(performance.now() - begin) })
    assert.equal(await t.total(), records / servers)
    await t.grid.focus()
    await page.keyboard.press('End')
    const { rows } = await t.settled()
    assert.equal(rows.at(-1).text.match(/record (\d+)$/)[1], '7')
    assert.ok(rows.every((r) => r.text.includes('server-7:')))
  })

  const waits = []
  for (const offset of [0, 0.25, 0.5, 0.75, 0.999].map((at) => Math.floor(at * records))) {
    for (let i = 0; i < 3; i++) {
      const begin = performance.now()
      await rig.api(`/activity?limit=100&order=desc&offset=${offset}`)
      waits.push(performance.now() - begin)
    }
  }
  say('the API, for a page of 100 at five depths', {
    p50: median(waits),
    max: Math.round(Math.max(...waits)),
  })

  // A table that no browser could lay out: the daemon's answers are made up.
  await scene('ten million rows scroll like ten', async (_, assert) => {
    const many = 10_000_000
    await page.route('**/api/v1/activity?*', (route) => {
      const q = new URL(route.request().url()).searchParams
      const from = +(q.get('offset') ?? 0) + (q.get('cursor') ? +q.get('cursor') + 1 : 0)
      const activities = Array.from({ length: Math.max(0, Math.min(100, many - from)) }, (_, i) => ({
        id: `${from + i}`,
        type: 'tool_call',
        timestamp: new Date(1.7e12 - (from + i) * 1000).toISOString(),
        status: 'success',
        decision: 'allow',
        risk_score: 0,
        metadata: { reason: `record ${many - 1 - from - i}` },
      }))
      return route.fulfill({ json: { success: true, data: { activities, total: many } } })
    })
    await page.goto(rig.url + '/ui/#/activity?tool=any')
    await until('they are counted', async () => (await t.total()) === many)
    const at = async (what) => {
      const { rows } = await t.settled()
      for (const { index, text } of rows) assert.match(text, new RegExp(`record ${many - 1 - index}$`), what)
      return rows[0].index
    }
    const near = (got, want, by, what) =>
      assert.ok(Math.abs(got - want) <= by, `${what}: row ${got}, not ${want}`)
    for (const part of [0.9, 0.1, 0.5]) {
      await t.drag(part)
      near(await at(`at ${part}`), part * many, many * 0.03, `at ${part}`)
    }
    const middle = await at('in the middle')
    for (let i = 0; i < 20; i++) await page.mouse.wheel(0, 300)
    await until(
      'the wheel moves by what it moves',
      async () => (await at('after the wheel')) === middle + 200,
    )
    await page.waitForTimeout(300) // the box is set to where the scroll bar belongs
    near(await at('when all is quiet'), middle + 200, 0, 'when all is quiet')
    await t.grid.focus()
    await page.keyboard.press('End')
    await at('at the end')
    assert.equal(await t.active(), many - 1)
    await page.mouse.wheel(0, 3000)
    await at('below the end')
    await page.keyboard.press('Home')
    await until('Home leads to the top', async () => (await at('at the top')) === 0)
    await page.waitForTimeout(300) // the box is set to where the scroll bar belongs
    for (let i = 0; i < 10; i++) await page.mouse.wheel(0, 300)
    await until('the wheel leaves the top', async () => (await at('below the top')) === 100)
    await page.waitForTimeout(300)
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -300)
    await until('and comes back to it', async () => (await at('at the top')) === 0)
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
    assert.equal(await t.active(), 3)
    assert.deepEqual(page.wrong, [])
  })
})

function median(all) {
  return Math.round([...all].sort((a, b) => a - b)[Math.floor(all.length / 2)])
}
function mb(bytes) {
  return +(bytes / 1e6).toFixed(1)
}
