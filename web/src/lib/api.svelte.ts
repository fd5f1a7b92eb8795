// Asking the daemon. The session has two halves: a cookie that scripts cannot read,
// and a secret that is sent as a header and kept for this origin, port included.
// Neither is the API key, which is never kept.

const kept = 'mcpproxy.page'

export const session = $state({ open: localStorage.getItem(kept) !== null, ended: '' })

/** A failed answer: status 0 means that nothing answered. */
export class Failure extends Error {
  constructor(public status: number, message: string) { super(message) }
}

export function headers(): Record<string, string> {
  return { 'X-Mcpproxy-Page': localStorage.getItem(kept) ?? '' }
}

/** Sends a request and returns the answer as it is; failures are thrown. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, { ...init, headers: { ...headers(), ...(init.headers as Record<string, string>) } })
  } catch (e) {
    if ((e as Error).name === 'AbortError') throw e
    throw new Failure(0, 'mcpproxy does not answer. Is it running? Start it with: mcpproxy serve')
  }
  if (answer.ok) return answer
  const text = await answer.text()
  let message = `HTTP status ${answer.status}`
  try { message = JSON.parse(text).error ?? message } catch { /* the status says it */ }
  if (answer.status === 401) leave(message)
  throw new Failure(answer.status, message)
}

export type Params = Record<string, string | number | boolean | undefined>

export function query(params: Params): string {
  const set = Object.entries(params).filter(([, v]) => v !== undefined && v !== '')
  return set.length ? '?' + new URLSearchParams(set.map(([k, v]) => [k, String(v)])) : ''
}

/** Reads /api/v1 + path. */
export async function get<T>(path: string, params: Params = {}): Promise<T> {
  return (await (await ask('/api/v1' + path + query(params))).json()).data
}

/** Changes something at /api/v1 + path. */
export async function post<T>(path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method: 'POST' }
  if (body !== undefined) { init.body = JSON.stringify(body); init.headers = { 'Content-Type': 'application/json' } }
  return (await (await ask('/api/v1' + path, init)).json()).data
}

/** A name as one step of a path. */
export const step = encodeURIComponent

function leave(why: string) {
  localStorage.removeItem(kept)
  if (session.open) session.ended = why
  session.open = false
}

/** Logs in with a header that proves who asks: a login code or the API key. */
export async function login(name: 'X-Mcpproxy-Login' | 'X-API-Key', value: string) {
  const answer = await (await ask('/api/v1/login/exchange', { method: 'POST', headers: { [name]: value } })).json()
  localStorage.setItem(kept, answer.data.page_secret)
  session.ended = ''
  session.open = true
}

export async function logout() {
  try { await post('/logout') } catch { /* it has ended in any case */ }
  leave('')
  session.ended = ''
}
