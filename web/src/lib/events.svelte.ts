// The stream of events. It is read with fetch, since EventSource sends no headers.
// It comes back by itself and asks for what it has missed.
import { ask, Failure, session } from './api.svelte'

export const live = $state({ state: 'connecting' as 'connecting' | 'open' | 'lost', count: 0 })

type Listener = (name: string, data: unknown) => void
const listeners = new Set<{ begins: string[]; tell: Listener }>()

/** Calls tell for events whose names begin so, and for "resync". Returns how to stop. */
export function listen(begins: string[], tell: Listener): () => void {
  const one = { begins, tell }
  listeners.add(one)
  return () => listeners.delete(one)
}

function spread(name: string, data: unknown) {
  live.count++
  for (const l of [...listeners])
    if (name === 'resync' || l.begins.some((b) => name.startsWith(b))) l.tell(name, data)
}

let running: AbortController | undefined

/** Keeps the stream open for as long as the page is logged in. */
export function follow(): () => void {
  running?.abort()
  const me = (running = new AbortController())
  void keep(me)
  return () => me.abort()
}

async function keep(me: AbortController) {
  let last = '',
    wait = 500,
    before = false
  while (!me.signal.aborted && session.open) {
    try {
      const answer = await ask('/events', {
        signal: me.signal,
        headers: last ? { 'Last-Event-ID': last } : {},
      })
      live.state = 'open'
      wait = 500
      if (before) spread('resync', {}) // what failed meanwhile is read again
      before = true
      await read(answer.body!.getReader(), (id, name, data) => {
        if (id) last = id
        if (name !== 'status' && name !== 'dropped') spread(name, data)
      })
    } catch (e) {
      if (me.signal.aborted || (e instanceof Failure && e.status === 401)) return
    }
    if (me.signal.aborted) return
    live.state = 'lost'
    await new Promise((done) => setTimeout(done, wait))
    wait = Math.min(wait * 2, 8000)
  }
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  tell: (id: string, name: string, data: unknown) => void,
) {
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += decoder.decode(value, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      let id = '',
        name = '',
        data = ''
      for (const line of block.split('\n')) {
        if (line.startsWith('id: ')) id = line.slice(4)
        else if (line.startsWith('event: ')) name = line.slice(7)
        else if (line.startsWith('data: ')) data += line.slice(6)
      }
      if (!name) continue
      let value: unknown = {}
      try {
        value = JSON.parse(data)
      } catch {
        /* an event without data */
      }
      tell(id, name, value)
    }
  }
}
