/** The height of a row, in pixels. */
export const high = 30

// No browser lays out what is of any height: Firefox ends at 17 million pixels, and
// where rows are drawn is exact to the pixel up to half of that.
const most = 8_000_000
const edge = 200_000 // at either end of the box, a pixel is one of the table: there is always room for a wheel
const leap = 4_000 // a wheel or a finger moves less at once, and a scroll bar of so high a box moves more

/**
 * Where one is in a table of any number of rows. Up to most pixels, that is where its
 * box was scrolled to. A longer table has a box of that height: the scroll bar moves
 * over all of it, wheels and fingers move by what they move, and when all is quiet
 * the box is set to where the scroll bar belongs.
 */
export class Scroller {
  box: HTMLElement | undefined
  rows = $state(0)
  room = $state(600) // for rows, in pixels
  at = $state(0) // how far down the first row on show is, in pixels of the whole table
  shift = $state(0) // what is to be added to that in the box
  whole = $derived(this.rows * high)
  real = $derived(Math.min(this.whole, most))
  first = $derived(Math.max(0, Math.floor(this.at / high) - 8))
  last = $derived(Math.min(this.rows - 1, Math.ceil((this.at + this.room) / high) + 8))
  private was = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  private bound(at: number) {
    return Math.max(0, Math.min(at, this.whole - this.room))
  }

  // map takes a place in something so high to the same place in something else.
  private map(at: number, from: number, to: number) {
    if (from === to || at <= edge) return at
    if (from - at <= edge) return to - (from - at)
    return edge + ((at - edge) * (to - 2 * edge)) / (from - 2 * edge)
  }
  private inBox(at: number) {
    return this.map(at, this.whole - this.room, this.real - this.room)
  }
  private inTable(top: number) {
    return this.map(top, this.real - this.room, this.whole - this.room)
  }

  /** The box was scrolled. */
  scrolled() {
    const top = this.box?.scrollTop ?? 0,
      by = top - this.was
    this.was = top
    if (this.real === this.whole) {
      this.at = top
      this.shift = 0
      return
    }
    this.at = this.bound(Math.abs(by) < leap ? this.at + by : this.inTable(top))
    this.shift = top - this.at
    const stuck =
      (top <= 0 && this.at > 0) || (top >= this.real - this.room - 1 && this.at < this.whole - this.room)
    clearTimeout(this.timer)
    if (stuck) this.settle()
    else this.timer = setTimeout(() => this.settle(), 150)
  }

  private settle() {
    if (this.box?.scrollTop !== this.was) return // it was scrolled just now, and will be told
    if (Math.abs(this.box.scrollTop - this.inBox(this.at)) > 1) this.to(this.at)
  }

  /** Goes to a place of the whole table. */
  to(at: number) {
    if (!this.box) return
    this.at = this.bound(at)
    this.box.scrollTop = this.inBox(this.at)
    this.was = this.box.scrollTop
    this.shift = this.was - this.at
  }

  /** Moves so far that a row is on show. */
  show(row: number) {
    if (row * high < this.at) this.to(row * high)
    else if ((row + 1) * high > this.at + this.room) this.to((row + 1) * high - this.room)
  }

  stop() {
    clearTimeout(this.timer)
  }
}
