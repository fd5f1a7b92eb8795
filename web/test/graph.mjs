// A session of many calls with many movements of data, made up.
const lanes = [
  ['vault', 'internal'],
  ['database', 'internal'],
  ['files', 'internal'],
  ['mail', 'hybrid'],
  ['web', 'external'],
  ['chat', 'external'],
  ['tickets', 'external'],
]
const sources = ['user', 'internal', 'unknown', 'untrusted', 'injected']

/** The records of a session of so many calls, oldest first, with so many movements between them. */
export function session(calls, movements) {
  let seed = 7
  const any = (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * n)
  }
  const records = Array.from({ length: calls }, (_, i) => {
    const [server, side] = lanes[any(lanes.length)]
    return {
      id: `01J${String(i).padStart(23, '0')}`,
      type: 'tool_call',
      timestamp: new Date(1.7e12 + i * 4000).toISOString(),
      server_name: server,
      tool_name: `tool_${any(5)}`,
      status: 'success',
      decision: 'allow',
      risk_score: 0,
      session_id: 'many',
      flow_session_id: 'many',
      metadata: {
        classification: { classification: side },
        operation: side === 'external' ? 'write' : 'read',
        flow_edges: [],
      },
    }
  })
  for (let n = 0; n < movements; n++) {
    const at = 1 + any(calls - 1),
      to = records[at],
      from = records[Math.max(0, at - 1 - any(any(8) ? 12 : at))]
    const secret = any(25) === 0
    to.metadata.flow_edges.push({
      from: {
        call_id: from.id,
        server: from.server_name,
        tool: from.tool_name,
        classification: from.metadata.classification.classification,
        time: from.timestamp,
      },
      to: to.server_name,
      to_classification: to.metadata.classification.classification,
      match: 'text',
      flow_type: [from, to]
        .map((r) => (r.metadata.classification.classification === 'external' ? 'external' : 'internal'))
        .join('→'),
      bytes: 20 + any(3000),
      bits: 200,
      confidence: 0.9,
      risk_level: secret ? 'critical' : 'low',
      location: 'arguments.text',
      sensitive: secret ? ['api_token'] : undefined,
      destination_source: sources[any(5)],
    })
    if (secret && any(2)) {
      to.status = 'blocked'
      to.decision = 'deny'
    }
    if (to.metadata.classification.classification === 'external')
      to.metadata.destinations = [{ kind: 'channel', value: '#x', source: sources[any(5)] }]
  }
  return records
}

/** Has the page read made-up records as the session "many". */
export async function pretend(page, records) {
  await page.route('**/api/v1/sessions', (route) =>
    route.fulfill({
      json: { success: true, data: [{ id: 'many', last_activity: records.at(-1).timestamp, legs: {} }] },
    }),
  )
  await page.route(/\/api\/v1\/activity\?.*session_id=many/, (route) => {
    const q = new URL(route.request().url()).searchParams
    const from = records.findIndex((r) => r.id === q.get('cursor')) + 1,
      part = records.slice(from, from + 100)
    return route.fulfill({
      json: {
        success: true,
        data: {
          activities: part,
          total: records.length,
          next_cursor: part.length === 100 ? part.at(-1).id : undefined,
        },
      },
    })
  })
}
