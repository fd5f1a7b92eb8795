// A session as a picture: time runs to the right, each server has a lane, those that
// hold private data above the boundary and those outside below it.

import type { Schemas } from './api.svelte'

type Record = Schemas['Record']

export interface Node {
  id: string
  index: number
  lane: number
  label: string
  side: string
  decision: string
  stopped: boolean
  time: string
  operation: string
  x: number
  y: number
  chosen?: string
}
export interface Link {
  index: number
  from: Node | undefined
  to: Node
  edge: Schemas['Edge']
  stopped: boolean
  matters: boolean
  thick: number
  path: string
  cut: [number, number]
}
export interface Lane {
  name: string
  side: string
  y: number
  rank: number
}
export interface Tick {
  x: number
  time: string
}
export interface Graph {
  nodes: Node[]
  links: Link[]
  drawn: Link[]
  lanes: Lane[]
  ticks: Tick[]
  boundary: number
  left: number
  width: number
  height: number
  step: number
  dense: boolean
}

const metrics = { lane: 58, top: 20, clock: 22 }
const ranks: { [side: string]: number } = { internal: 0, unknown: 1, hybrid: 2, external: 3 }
const sources = ['user', 'internal', 'unknown', 'untrusted', 'injected']
const crowd = 250 // movements of data from which on a picture is too full for thick lines

/** Lays out the records of a session, oldest first. It takes time linear in their number. Few are
 * spread over the space that there is. */
export function layout(records: Record[], space: number): Graph {
  const left = space < 560 ? 92 : 132 // for the names
  const step = Math.max(34, Math.min(150, (space - left - 52) / Math.max(1, records.length)))
  const { lanes, at, boundary } = layLanes(records)
  const nodes: Node[] = records.map((r, index) => {
    const i = at.get(laneOf(r))!
    const worst = (r.metadata?.destinations ?? [])
      .map((d) => sources.indexOf(d.source))
      .reduce((a, b) => Math.max(a, b), -1)
    return {
      id: r.id,
      index,
      lane: i,
      label: r.tool_name || r.type,
      side: sideOf(r),
      decision: r.decision ?? '',
      stopped: r.status === 'blocked' || r.status === 'rejected',
      time: r.timestamp,
      operation: r.metadata?.operation ?? '',
      x: left + 30 + index * step,
      y: lanes[i].y,
      chosen: worst >= 0 ? sources[worst] : undefined,
    }
  })
  const links = layLinks(records, nodes, left)
  const every = Math.max(1, Math.ceil(110 / step))
  return {
    nodes,
    links,
    lanes,
    boundary,
    left,
    step,
    dense: links.length > crowd,
    drawn: [...links].sort((a, b) => +a.matters - +b.matters),
    ticks: nodes.filter((n) => n.index % every === 0).map((n) => ({ x: n.x, time: n.time })),
    width: Math.max(space, left + 52 + nodes.length * step),
    height: (lanes.at(-1)?.y ?? metrics.top) + metrics.lane / 2 + metrics.clock,
  }
}

const laneOf = (r: Record): string => r.server_name || r.tool_name || r.type
const sideOf = (r: Record): string => r.metadata?.classification?.classification ?? 'unknown'

// layLanes gives each server a lane, of the least trusted side that it was on.
function layLanes(records: Record[]) {
  const { lane, top } = metrics,
    sides = new Map<string, string>()
  for (const r of records) {
    if ((ranks[sideOf(r)] ?? 1) >= (ranks[sides.get(laneOf(r)) ?? ''] ?? -1)) sides.set(laneOf(r), sideOf(r))
  }
  const lanes: Lane[] = [...sides]
    .map(([name, side]) => ({ name, side, y: 0, rank: ranks[side] ?? 1 }))
    .sort((a, b) => a.rank - b.rank)
  const split = lanes.findIndex((l) => l.rank >= 2)
  lanes.forEach((l, i) => {
    l.y = top + i * lane + lane / 2 + (split > 0 && i >= split ? 18 : 0)
  })
  return {
    lanes,
    at: new Map(lanes.map((l, i) => [l.name, i])),
    boundary: split > 0 ? lanes[split].y - lane / 2 - 9 : -1,
  }
}

function layLinks(records: Record[], nodes: Node[], left: number): Link[] {
  const byID = new Map(nodes.map((n) => [n.id, n])),
    links: Link[] = []
  records.forEach((r, i) => {
    for (const edge of r.metadata?.flow_edges ?? []) {
      const to = nodes[i],
        from = byID.get(edge.from.call_id)
      const a = from ?? { x: left, y: to.y - 14 }
      const bend = Math.max(24, (to.x - a.x) / 2.2),
        flat = a.y === to.y ? -Math.min(26, 10 + (to.x - a.x) / 14) : 0
      const c1 = [a.x + bend, a.y + flat],
        c2 = [to.x - bend, to.y + flat]
      const p = 0.72,
        q = 1 - p // where a stopped movement is cut
      const mix = (k: 0 | 1) =>
        q ** 3 * [a.x, a.y][k] + 3 * q * q * p * c1[k] + 3 * q * p * p * c2[k] + p ** 3 * [to.x, to.y][k]
      links.push({
        index: links.length,
        from,
        to,
        edge,
        stopped: to.stopped,
        matters: to.stopped || !!edge.sensitive?.length || edge.flow_type === 'internal→external',
        thick: 1.2 + Math.min(4.5, Math.log2(1 + (edge.bytes ?? 0) / 12)),
        path: `M${a.x},${a.y} C${c1.join()} ${c2.join()} ${to.x},${to.y}`,
        cut: [mix(0), mix(1)],
      })
    }
  })
  return links
}
