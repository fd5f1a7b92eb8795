import { get, type Answered, type Asked, type Schemas } from './api.svelte'

/** What a listing shows of a record; the body comes with the record itself. */
export type Row = Schemas['Record'] & { ran?: string }

type Page = Answered<'/activity'>
type Filter = Asked<'/activity'>

const size = 100
const keep = 40 // pages in memory, and the first
const together = 2 // requests under way

/**
 * A log of any length, of which only the pages are read that somebody looks at. The
 * rows are counted from the record that was the newest when the first page was read:
 * what comes later moves none of them. A page is asked for by its distance from one
 * that is known; of those that somebody has scrolled past meanwhile, none is read.
 */
export class Pages {
  rows = $state(0) // that can be scrolled to
  total = $state(0)
  atLeast = $state(false)
  error = $state('')
  loading = $state(false)
  version = $state(0) // grows when a page arrives
  private pages = new Map<number, Row[]>()
  private under = new Set<number>()
  private wanted = [0, 0]
  private run = 0

  constructor(private filter: Filter) {}

  /** The row at an index, where it is known. */
  at(index: number): Row | undefined {
    void this.version
    return this.pages.get(Math.floor(index / size))?.[index % size]
  }

  /** Sees to it that the rows from first to last are there, and forgets what was wanted before. */
  want(first: number, last: number) {
    this.wanted = [Math.floor(first / size), Math.floor(last / size)]
    this.next()
  }

  private next() {
    if (this.under.size >= together) return
    const [from, to] = this.version ? this.wanted : [0, 0]
    for (let p = from; p <= to && this.under.size < together; p++) {
      if (!this.pages.has(p) && !this.under.has(p) && p * size <= Math.max(0, this.rows - 1))
        void this.load(p)
    }
  }

  // place is how a page is asked for: from the nearest page before it that is known.
  private place(p: number): Filter {
    if (p === 0) return {}
    let near = -1
    for (const [q, rows] of this.pages) if (q < p && q > near && rows.length === size) near = q
    if (near < 0) return { offset: p * size }
    return { cursor: this.pages.get(near)![size - 1].id, offset: (p - near - 1) * size }
  }

  async load(p: number) {
    this.under.add(p)
    this.loading = true
    const run = this.run
    try {
      const page = await get('/activity', { ...this.filter, limit: size, ...this.place(p) })
      if (run !== this.run) return
      this.under.delete(p)
      this.take(p, page)
      this.next()
    } catch (e) {
      if (run === this.run) this.error = (e as Error).message
    } finally {
      if (run === this.run) {
        this.under.delete(p)
        this.loading = this.under.size > 0
      }
    }
  }

  private take(p: number, page: Page) {
    const rows: Row[] = (page.activities ?? []).map((r) => ({ ...r, ran: page.ran?.[r.id] }))
    const n = rows.length
    this.pages.delete(p)
    this.pages.set(p, rows)
    if (p === 0) {
      this.total = this.rows = page.total
      this.atLeast = !!page.total_is_at_least
    }
    if (n < size) {
      // the log ends here, whatever was counted
      this.total = this.rows = n || p === 0 ? p * size + n : Math.min(p * size, page.total)
      this.atLeast = false
    } else if (this.atLeast) this.rows = Math.max(this.rows, (p + 2) * size)
    for (const old of [...this.pages.keys()]
      .filter((q) => q > 0)
      .slice(0, Math.max(0, this.pages.size - 1 - keep)))
      this.pages.delete(old)
    this.error = ''
    this.version++
  }

  /** Reads the first page anew; the rows on show stay until it is there. */
  async again() {
    const fresh = new Pages(this.filter)
    await fresh.load(0)
    if (fresh.error) {
      this.error = fresh.error
      return
    }
    this.run++
    this.under.clear()
    this.pages = fresh.pages
    this.rows = fresh.rows
    this.total = fresh.total
    this.atLeast = fresh.atLeast
    this.error = ''
    this.loading = false
    this.version++
    this.next()
  }
}
