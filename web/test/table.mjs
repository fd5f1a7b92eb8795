import { until } from './rig.mjs'

/** The table of the page's activity view, as one looks at it and scrolls it. */
export function table(page) {
  const grid = page.getByRole('grid')
  const look = () =>
    page.evaluate(() => {
      const box = document.querySelector('[role=grid]').getBoundingClientRect()
      const rows = [...document.querySelectorAll('[role=row][id]')].map((row) => ({
        row,
        at: row.getBoundingClientRect(),
      }))
      return {
        nodes: document.querySelectorAll('*').length,
        height: box.height,
        rows: rows
          .filter(({ at }) => at.bottom > box.top + 31 && at.top < box.bottom)
          .map(({ row, at }) => ({
            index: +row.id.slice(4),
            text: row.textContent.trim(),
            active: row.classList.contains('active'),
            top: Math.round(at.top - box.top),
          })),
      }
    })
  return {
    grid,
    total: async () => +(await grid.getAttribute('aria-rowcount')) - 1,
    active: async () => +((await grid.getAttribute('aria-activedescendant')) ?? '-1').slice(4),
    /** What is on show once every row of it is there. There is no gap between them, and none is missing at the end. */
    async settled() {
      let seen
      await until('every row on show is there', async () => {
        seen = await look()
        const ends = seen.rows.at(-1)?.index === (await this.total()) - 1
        return (
          seen.rows.length &&
          seen.rows.every(
            (r, i) =>
              r.text !== '…' &&
              (i === 0 || (r.index === seen.rows[i - 1].index + 1 && r.top === seen.rows[i - 1].top + 30)),
          ) &&
          seen.rows[0].top <= 31 &&
          (ends || seen.rows.at(-1).top + 30 >= seen.height - 1)
        )
      })
      return seen
    },
    /** Drags the scroll bar to a part of its way, 0 to 1, and the mouse over the table. */
    async drag(part) {
      await grid.evaluate((box, part) => {
        box.scrollTop = part * (box.scrollHeight - box.clientHeight)
      }, part)
      const box = await grid.boundingBox()
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    },
    /** Does something, and says how even the frames were and which tasks were long, in ms. */
    async watched(what) {
      await page.evaluate(() => {
        const seen = (window.seen = { frames: [], long: [], on: true })
        seen.observer = new PerformanceObserver((l) =>
          seen.long.push(...l.getEntries().map((e) => e.duration)),
        )
        seen.observer.observe({ entryTypes: ['longtask'] })
        let last = performance.now()
        requestAnimationFrame(function frame(now) {
          seen.frames.push(now - last)
          last = now
          if (seen.on) requestAnimationFrame(frame)
        })
      })
      await what()
      return page.evaluate(() => {
        const { frames, long, observer } = Object.assign(window.seen, { on: false })
        observer.disconnect()
        frames.sort((a, b) => a - b)
        const at = (p) => Math.round(frames[Math.min(frames.length - 1, Math.floor(p * frames.length))])
        return {
          frames: frames.length,
          p50: at(0.5),
          p95: at(0.95),
          max: at(1),
          tasks_over_50: long.length,
          longest: Math.round(Math.max(0, ...long)),
        }
      })
    },
    /** Bytes in use once all garbage is gone. */
    async heap() {
      const inspector = await page.context().newCDPSession(page)
      for (let i = 0; i < 2; i++) await inspector.send('HeapProfiler.collectGarbage')
      const { usedSize } = await inspector.send('Runtime.getHeapUsage')
      await inspector.detach()
      return usedSize
    },
  }
}
