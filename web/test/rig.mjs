// A real mcpproxy with three servers, an agent that speaks MCP, and a browser.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { honest } from './texts.mjs'

export const apiKey = 'page-test-key-of-no-value'
const program = process.env.MCPPROXY

/** Waits until check returns something, and returns it. */
export async function until(what, check, seconds = 20) {
  let last
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(50)) {
    try {
      const value = await check()
      last = undefined
      if (value) return value
    } catch (e) {
      last = e
    }
  }
  throw new Error(`${what}: it never was so${last ? ` (${last.message})` : ''}`)
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address()
  await new Promise((done) => server.close(done))
  return port
}

export class Rig {
  /** Starts all three; more is configuration beside what every rig has. */
  async start(more = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'mpp'))
    this.declared = join(this.dir, 'tools.json')
    this.declare(honest)
    this.config = join(this.dir, 'mcp_config.json')
    this.port ??= await freePort()
    const server = new URL('./server.mjs', import.meta.url).pathname
    writeFileSync(
      this.config,
      JSON.stringify({
        listen: `127.0.0.1:${this.port}`,
        data_dir: join(this.dir, 'data'),
        api_key: apiKey,
        mcpServers: [
          ...['vault', 'database', 'chat'].map((name) => ({
            name,
            command: program,
            args: ['demo-server', name],
          })),
          { name: 'shop', command: process.execPath, args: [server], env: { DECLARED: this.declared } },
        ],
        security: {
          tool_quarantine: { auto_quarantine_new_tools: false },
          approvals: { expiry: '5m' }, // calls wait because a page is open
        },
        ...more,
      }),
      { mode: 0o600 },
    )
    this.url = `http://127.0.0.1:${this.port}`
    await this.serve()
    this.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
    })
  }

  /** Plays scenes. Each prints a line of JSON: its name, how long it took, and what was wrong. */
  async play(all) {
    let failed = 0
    const scene = async (name, one) => {
      if (
        process.env.ONLY &&
        process.env.ONLY !== 'looks' &&
        !name.includes(process.env.ONLY.replaceAll('_', ' '))
      )
        return
      const begin = Date.now()
      let error = ''
      try {
        await one(this, assert)
      } catch (e) {
        error = String(e.stack ?? e).slice(0, 4000)
        failed++
      }
      console.log(JSON.stringify({ scene: name, ms: Date.now() - begin, error }))
    }
    try {
      await all(scene)
    } finally {
      await this.end()
    }
    process.exitCode = failed ? 1 : 0
  }

  env() {
    return { ...process.env, HOME: this.dir }
  }

  async serve(least = 6) {
    this.daemon = spawn(program, ['serve', '--config', this.config, '--log-level', 'error'], {
      stdio: 'ignore',
      env: this.env(), // a home of its own, in which no agent has hooks
    })
    let tools = 0
    await until(
      'the daemon is ready',
      async () => (tools = (await this.api('/status')).tools) >= least,
    ).catch(async (e) => {
      throw new Error(`${e.message}: ${tools} tools of ${JSON.stringify(await this.api('/servers'))}`)
    })
  }

  async end() {
    await this.browser?.close()
    await this.stop()
  }

  async stop() {
    if (!this.daemon || this.daemon.exitCode !== null) return
    const gone = new Promise((done) => this.daemon.once('exit', done))
    this.daemon.kill('SIGTERM')
    await gone
  }

  declare(tools) {
    writeFileSync(this.declared, JSON.stringify(tools))
  }

  /** Closes every page, and waits until the daemon knows: while it counts one as open, its asks wait for an answer. */
  async alone() {
    for (const context of this.browser?.contexts() ?? []) await context.close()
    await until('no page is open', async () => (await this.api('/status')).event_readers === 0)
  }

  /** Runs a command of mcpproxy. */
  command(...args) {
    const all = [...args, '--config', this.config]
    return execFileSync(program, all, { env: this.env(), encoding: 'utf8' }).trim()
  }

  async api(path, init = {}) {
    const answer = await fetch(this.url + '/api/v1' + path, {
      ...init,
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
    })
    return (await answer.json()).data
  }

  /** An agent of its own, in a session of its own. */
  async agent() {
    const agent = { session: '', next: 1 }
    const send = async (message) => {
      const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-06-18',
        'X-API-Key': apiKey,
      }
      if (agent.session) headers['Mcp-Session-Id'] = agent.session
      const answer = await fetch(this.url + '/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      })
      agent.session ||= answer.headers.get('Mcp-Session-Id') ?? ''
      const text = await answer.text()
      const data = text.startsWith('{')
        ? text
        : text
            .split('\n')
            .filter((l) => l.startsWith('data: '))
            .map((l) => l.slice(6))
            .filter(Boolean)
            .pop()
      return data ? JSON.parse(data).result : undefined
    }
    await send({
      id: agent.next++,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'page test', version: '1' },
      },
    })
    await send({ method: 'notifications/initialized' })
    agent.call = (operation, name, args) =>
      send({
        id: agent.next++,
        method: 'tools/call',
        params: { name: 'call_tool_' + operation, arguments: { name, args } },
      })
    return agent
  }

  /** A fresh page, with what it does wrong in page.wrong. */
  async page(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(+(process.env.PATIENCE ?? 20_000))
    page.wrong = []
    page.on('console', (m) => {
      if (m.type() === 'error' && !/status of 401|net::ERR_|Failed to load resource/.test(m.text()))
        page.wrong.push(m.text())
    })
    page.on('pageerror', (e) => page.wrong.push(String(e)))
    page.on('dialog', (d) => {
      page.wrong.push('a dialog: ' + d.message())
      void d.dismiss()
    })
    page.on('request', (r) => {
      if (!r.url().startsWith(this.url) && !/^(data|blob):/.test(r.url()))
        page.wrong.push('a request to ' + r.url())
    })
    return page
  }

  /** A page that is logged in by a link. */
  async loggedIn(options) {
    const page = await this.page(options)
    await page.goto(this.command('open', '--print'))
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    return page
  }
}

export const shots = process.env.ARTIFACTS
if (shots) mkdirSync(shots, { recursive: true })
