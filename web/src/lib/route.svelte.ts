// Where the page is: #/view/rest?name=value. Links are plain links, so that every
// state can be kept, sent and gone back to.

export interface Place {
  view: string
  rest: string[]
  params: Record<string, string>
}

function parse(): Place {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/').map((s) => {
    try {
      return decodeURIComponent(s)
    } catch {
      return s
    }
  })
  return { view: view || 'overview', rest, params: Object.fromEntries(new URLSearchParams(query)) }
}

export const route = $state({ now: parse() })
addEventListener('hashchange', () => {
  route.now = parse()
})

/** The address of a place. */
export function to(
  view: string,
  rest: string[] = [],
  params: Record<string, string | undefined> = {},
): string {
  const set = Object.entries(params).filter((e): e is [string, string] => !!e[1])
  return (
    '#/' +
    [view, ...rest].map(encodeURIComponent).join('/') +
    (set.length ? '?' + new URLSearchParams(set) : '')
  )
}

export function go(address: string, replace = false) {
  if (replace) {
    history.replaceState(null, '', address)
    route.now = parse()
  } else location.hash = address
}
