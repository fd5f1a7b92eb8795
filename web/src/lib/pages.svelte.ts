import { get, type Params } from './api.svelte'

/** What a listing shows of a record; the body comes with the record itself. */
export interface Row { id: string; type: string; timestamp: string; server_name?: string; tool_name?: string; status: string; decision?: string; rule?: string; risk_score: number; risk_level?: string; flow_type?: string; principal?: string; duration_ms: number; metadata: any }

interface Page { activities: Row[]; total: number; total_is_at_least?: boolean; next_cursor?: string }

const size = 100
const keep = 40 // pages in memory

/**
 * A log of any length, read page by page as it is scrolled through. Each page is
 * found by its cursor, so that the last one costs as much as the first; pages that
 * were left behind are forgotten and read again.
 */
export class Pages {
  rows = $state(0) // that can be scrolled to
  total = $state(0)
  atLeast = $state(false)
  error = $state('')
  loading = $state(false)
  version = $state(0) // grows when a page arrives
  private cursors: string[] = ['']
  private pages = new Map<number, Row[]>()
  private under = new Set<number>()
  private run = 0
  ended = false

  constructor(private filter: Params) {}

  /** The row at an index, where it is known. */
  at(index: number): Row | undefined {
    void this.version
    return this.pages.get(Math.floor(index / size))?.[index % size]
  }

  /** Sees to it that the rows from first to last are there. */
  want(first: number, last: number) {
    for (let p = Math.floor(first / size); p <= Math.floor(last / size); p++) if (!this.pages.has(p)) void this.load(p)
  }

  async load(p: number) {
    if (p >= this.cursors.length || this.under.has(p)) return
    this.under.add(p)
    this.loading = true
    const run = this.run
    try {
      const page = await get<Page>('/activity', { ...this.filter, limit: size, cursor: this.cursors[p] })
      if (run !== this.run) return
      this.pages.delete(p)
      this.pages.set(p, page.activities)
      if (p === 0) { this.total = page.total; this.atLeast = !!page.total_is_at_least }
      if (p === this.cursors.length - 1) {
        this.rows = p * size + page.activities.length
        if (page.next_cursor && page.activities.length === size) this.cursors.push(page.next_cursor)
        else this.ended = true
      }
      for (const old of [...this.pages.keys()].slice(0, Math.max(0, this.pages.size - keep))) this.pages.delete(old)
      this.error = ''
      this.version++
    } catch (e) {
      if (run === this.run) this.error = (e as Error).message
    } finally {
      this.under.delete(p)
      if (run === this.run) this.loading = this.under.size > 0
    }
  }

  /** Reads the first page anew; the rows on show stay until it is there. */
  async again() {
    const fresh = new Pages(this.filter)
    await fresh.load(0)
    if (fresh.error) { this.error = fresh.error; return }
    this.run++
    this.under.clear()
    this.cursors = fresh.cursors
    this.pages = fresh.pages
    this.rows = fresh.rows
    this.total = fresh.total
    this.atLeast = fresh.atLeast
    this.ended = fresh.ended
    this.error = ''
    this.loading = false
    this.version++
  }
}
