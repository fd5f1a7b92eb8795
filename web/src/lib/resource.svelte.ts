import { untrack } from 'svelte'
import { listen } from './events.svelte'

/**
 * Data of the daemon that stays fresh: it is loaded anew when what load reads
 * changes, and soon after events whose names begin so. Call it while a component is
 * made.
 */
export function resource<T>(load: () => Promise<T>, events: string[] = [], pause = 400) {
  let data = $state.raw<T>(),
    error = $state(''),
    loading = $state(true) // raw: nobody changes a part of it
  let turn = 0
  async function settle(work: Promise<T>, mine: number) {
    try {
      const done = await work
      if (mine === turn) {
        data = done
        error = ''
      }
    } catch (e) {
      if (mine === turn) error = (e as Error).message
    }
    if (mine === turn) loading = false
  }
  const refresh = () => settle(load(), ++turn)
  $effect(() => {
    const work = load()
    void settle(work, ++turn)
    untrack(() => {
      loading = true
    })
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = listen(events, () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void refresh()
      }, pause)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  })
  return {
    get data() {
      return data
    },
    get error() {
      return error
    },
    get loading() {
      return loading
    },
    refresh,
  }
}
