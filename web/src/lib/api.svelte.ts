// Asking the daemon. The session has two halves: a cookie that scripts cannot read,
// and a secret that is sent as a header and kept for this origin, port included.
// Neither is the API key, which is never kept.

import type { components, paths } from './api.types'

const kept = 'mcpproxy.page'

// What the page shows and offers depends on it. What the daemon answers does not: it knows who asks.
const keptPerson = 'mcpproxy.person'

interface Person {
  /** The name in records; empty for the owner. */
  name: string
  role: 'owner' | 'auditor'
}

const owner: Person = { name: '', role: 'owner' }

function person(): Person {
  try {
    return { ...owner, ...JSON.parse(localStorage.getItem(keptPerson) ?? '{}') }
  } catch {
    return owner
  }
}

export const session = $state({
  open: localStorage.getItem(kept) !== null,
  ended: '',
  person: person(),
  /** Where the person who has logged out here can log out at the identity provider, too. */
  provider: '',
})

/** A failed answer: status 0 means that nothing answered. */
export class Failure extends Error {
  constructor(
    public status: number,
    message: string,
  ) {
    super(message)
  }
}

export function headers(): Record<string, string> {
  return { 'X-Mcpproxy-Page': localStorage.getItem(kept) ?? '' }
}

/** Sends a request and returns the answer as it is; failures are thrown. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, {
      ...init,
      headers: { ...headers(), ...(init.headers as Record<string, string>) },
    })
  } catch (e) {
    if ((e as Error).name === 'AbortError') throw e
    throw new Failure(0, 'mcpproxy does not answer. Is it running? Start it with: mcpproxy serve')
  }
  if (answer.ok) return answer
  const text = await answer.text()
  let message = `HTTP status ${answer.status}`
  try {
    message = JSON.parse(text).error ?? message
  } catch {
    /* the status says it */
  }
  if (answer.status === 401) leave(message)
  throw new Failure(answer.status, message)
}

/** The types of what the API takes and answers, by the names that they have in its document. */
export type Schemas = components['schemas']

type Method = 'get' | 'post'
type Served<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never
}[keyof paths]

/** The paths below /api/v1 that a method is served at. */
export type Path<M extends Method> =
  Served<M> extends infer P ? (P extends `/api/v1${infer R}` ? R : never) : never

type At<P extends string, M extends Method> = `/api/v1${P}` extends infer F extends keyof paths
  ? Required<Pick<paths[F], M>>[M]
  : never
type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
type Part<O, K extends 'path' | 'query'> = O extends { parameters: { [k in K]?: infer T } }
  ? Given<T>
  : unknown

/** What may be asked for at a path: the names in it, and the parameters after the question mark. */
export type Asked<P extends string, M extends Method = 'get'> = Part<At<P, M>, 'path'> &
  Part<At<P, M>, 'query'>

/** What a path answers. */
export type Answered<P extends string, M extends Method = 'get'> =
  At<P, M> extends { responses: { 200: { content: { 'application/json': { data: infer D } } } } } ? D : never

type Body<P extends string> =
  At<P, 'post'> extends { requestBody: { content: { 'application/json': infer B } } }
    ? B
    : At<P, 'post'> extends { requestBody?: infer R }
      ? Optional<NonNullable<R>>
      : undefined

// Optional is a body that may be left out.
type Optional<R> = [R] extends [never]
  ? undefined
  : R extends { content: { 'application/json': infer B } }
    ? B | undefined
    : undefined

type Values = Record<string, string | number | boolean | undefined>

// address fills the names into a path; the other values follow as a query.
function address(path: string, values: Values): string {
  const rest = { ...values }
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    delete rest[name]
    return step(String(values[name]))
  })
  return '/api/v1' + filled + query(rest)
}

/** The values that are set, as the query of an address. */
export function query(values: Values): string {
  const set = Object.entries(values).filter(([, v]) => v !== undefined && v !== '')
  return set.length ? '?' + new URLSearchParams(set.map(([k, v]) => [k, String(v)])) : ''
}

/** Reads what a path answers. */
export async function get<P extends Path<'get'>>(
  path: P,
  ...[asked]: object extends Asked<P> ? [asked?: Asked<P>] : [asked: Asked<P>]
): Promise<Answered<P>> {
  return (await (await ask(address(path, (asked ?? {}) as Values))).json()).data
}

/** Changes something at a path. */
export async function post<P extends Path<'post'>>(
  path: P,
  asked: Asked<P, 'post'>,
  body?: Body<P>,
): Promise<Answered<P, 'post'>> {
  const init: RequestInit = { method: 'POST' }
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { 'Content-Type': 'application/json' }
  }
  return (await (await ask(address(path, asked as Values), init)).json()).data
}

// step is a name as one step of a path.
const step = encodeURIComponent

function leave(why: string) {
  localStorage.removeItem(kept)
  localStorage.removeItem(keptPerson)
  if (session.open) session.ended = why
  session.open = false
}

/** Logs in with a header that proves who asks: a login code or the API key. */
export async function login(name: 'X-Mcpproxy-Login' | 'X-API-Key', value: string) {
  const answer = await ask('/api/v1/login/exchange', { method: 'POST', headers: { [name]: value } })
  const made: Schemas['EnvelopePageSession'] = await answer.json()
  localStorage.setItem(kept, made.data.page_secret)
  session.person = { name: made.data.name ?? '', role: made.data.role }
  localStorage.setItem(keptPerson, JSON.stringify(session.person))
  session.provider = ''
  session.ended = ''
  session.open = true
}

/** Begins a login with an account, and goes to the identity provider. */
export async function signIn() {
  const answer = await ask('/ui/login', { method: 'POST' })
  const { data }: { data: { url: string } } = await answer.json()
  location.assign(data.url)
}

export async function logout() {
  let provider = ''
  try {
    provider = (await post('/logout', {})).provider_logout ?? ''
  } catch {
    /* it has ended in any case */
  }
  leave('')
  session.provider = provider
  session.ended = ''
}
