import { untrack } from 'svelte'
import { listen } from './events.svelte'

/**
 * Data of the daemon that stays fresh: it is loaded anew when what load reads
 * changes, and soon after events whose names begin so. Call it while a component is
 * made.
 */
export function resource<T>(load: () => Promise<T>, events: string[] = [], pause = 400) {
  const state = $state({ data: undefined as T | undefined, error: '', loading: true })
  let turn = 0
  async function settle(work: Promise<T>, mine: number) {
    try {
      const data = await work
      if (mine === turn) { state.data = data; state.error = '' }
    } catch (e) {
      if (mine === turn) state.error = (e as Error).message
    }
    if (mine === turn) state.loading = false
  }
  const refresh = () => settle(load(), ++turn)
  $effect(() => {
    const work = load()
    void settle(work, ++turn)
    untrack(() => { state.loading = true })
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = listen(events, () => { timer ??= setTimeout(() => { timer = undefined; void refresh() }, pause) })
    return () => { stop(); clearTimeout(timer) }
  })
  return {
    get data() { return state.data },
    get error() { return state.error },
    get loading() { return state.loading },
    refresh,
  }
}
