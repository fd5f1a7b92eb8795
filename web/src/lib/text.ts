// What servers and agents wrote is shown through these, always as text. Characters
// that show nothing, move the cursor or turn the direction of writing stand as
// their numbers.

const classes = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}`
const fillers = String.raw`\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0`
const spaces = String.raw`\u00a0\u2000-\u200a\u202f\u205f\u3000`
const selectors = String.raw`\ufe00-\ufe0f\u{e0100}-\u{e01ef}` // of variations
const blank = new RegExp(`[${classes}${fillers}${spaces}${selectors}]`, 'gu')

function number(c: string): string {
  if (c === '\n' || c === '\t') return c
  if (c === '\x1b') return '⟦ESC⟧'
  return `⟦U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`
}

/** s as it can be read, cut to at most max characters. */
export function plain(s: unknown, max = 2000): string {
  let text = s === undefined || s === null ? '' : typeof s === 'string' ? s : JSON.stringify(s)
  let more = ''
  if (text.length > max) {
    more = `… (${(text.length - max).toLocaleString()} more)`
    text = text.slice(0, max)
  }
  return text.replace(blank, number) + more
}

/** What a record says in its details, in a line. */
export function told(detail: unknown): string {
  if (detail === null || typeof detail !== 'object') return String(detail ?? '')
  return Object.entries(detail)
    .map(
      ([name, value]) =>
        `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ')
}

/** s in pieces, of which those with hidden set stand for a hidden character. */
export function pieces(s: string): { text: string; hidden: boolean }[] {
  return s
    .split(/(⟦(?:U\+[0-9A-F]+|ESC)⟧)/)
    .filter(Boolean)
    .map((text) => ({ text, hidden: /^⟦.*⟧$/.test(text) }))
}

/** How a person would name the tool of a record. */
export function tool(r: {
  server_name?: string
  server?: string
  tool_name?: string
  tool?: string
  type?: string
}): string {
  const server = r.server_name ?? r.server ?? '',
    name = r.tool_name ?? r.tool ?? ''
  return plain(server && name ? `${server}:${name}` : server || name, 120)
}

/** Whose session it is, and where its agent works. What an MCP client calls itself stands in quotes. */
export function whose(a?: { name?: string; claimed?: boolean; folder?: string }): string {
  const name = a?.name && a.claimed ? `"${a.name.replaceAll('"', "'")}"` : a?.name
  return plain([name, a?.folder].filter(Boolean).join(' in '), 200)
}

export const count = (n: number | undefined) => (n ?? 0).toLocaleString('en')

export const plural = (n: number, one: string, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`

export function bytes(n: number): string {
  return n < 1024
    ? `${n} B`
    : n < 1 << 20
      ? `${(n / 1024).toFixed(1)} KB`
      : `${(n / (1 << 20)).toFixed(1)} MB`
}

export const flows: Record<string, string> = {
  'internal→internal': 'stays inside',
  'external→external': 'stays outside',
  'external→internal': 'comes in',
  'internal→external': 'leaves',
}

export const choosers: Record<string, string> = {
  user: 'the user',
  internal: 'a trusted result',
  unknown: 'a source that was not seen',
  untrusted: "strangers' text",
  injected: 'an injected instruction',
}
