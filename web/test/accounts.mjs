// People log in to the page with the accounts of a real OpenID provider.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { freePort, Rig, until } from './rig.mjs'

const rig = new Rig()
rig.port = await freePort()
const port = await freePort()
const issuer = `http://127.0.0.1:${port}`
const page = `http://127.0.0.1:${rig.port}`
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })

const provider = spawn(process.execPath, [process.env.PROVIDER], { stdio: ['pipe', 'pipe', 'ignore'] })
provider.stdin.end(
  JSON.stringify({
    port,
    jwks: { keys: [{ ...key, kid: 'first', alg: 'ES256', use: 'sig' }] },
    groups: {},
    page: {
      client_id: 'mcpproxy-page',
      client_secret: 'a secret: of the page/1',
      redirect_uris: [page + '/ui/login'],
      post_logout_redirect_uris: [page + '/ui/'],
      backchannel_logout_uri: page + '/ui/logout',
      backchannel_logout_session_required: true,
      response_types: ['code'],
      grant_types: ['authorization_code'],
      id_token_signed_response_alg: 'ES256',
    },
    people: { ann: ['staff', 'admins'], eve: ['audit'], bob: ['guests'] },
  }),
)
await new Promise((done) => provider.stdout.once('data', done))

/** Logs a person in at the provider, from the page of mcpproxy. */
async function signIn(tab, name) {
  await tab.goto(page + '/ui/')
  await tab.getByRole('button', { name: 'Log in with Acme' }).click()
  await tab.waitForURL(issuer + '/**')
  await tab.locator('input[name=login]').fill(name)
  await tab.locator('input[name=password]').fill('anything')
  await tab.locator('button[type=submit]').click()
  await tab.getByRole('button', { name: 'Continue' }).click()
  await tab.waitForURL(page + '/**')
}

const overview = (tab) => tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

try {
  await rig.play(async (scene) => {
    await rig.start({
      auth: {
        oidc: {
          issuer,
          claims: { principal: 'email' },
          page: {
            name: 'Acme',
            url: page,
            client_id: 'mcpproxy-page',
            client_secret: 'a secret: of the page/1',
            owners: ['admins'],
            auditors: ['audit'],
          },
        },
      },
    })
    await scene('an owner by group decides, and the records name the person', async (rig, assert) => {
      const tab = await rig.page()
      await signIn(tab, 'ann')
      await overview(tab)
      assert.equal(new URL(tab.url()).hash, '#/overview')
      await tab.getByText('ann@acme.example', { exact: true }).waitFor()
      const cookies = await tab.context().cookies(page)
      const session = cookies.find((c) => c.name === `mcpproxy_${rig.port}`)
      assert.deepEqual([session.sameSite, session.httpOnly], ['Strict', true])
      await tab.reload()
      await overview(tab)

      await tab.getByRole('link', { name: /^Approvals/ }).click()
      await tab.getByText('Nothing waits').waitFor()
      const agent = await rig.agent()
      await agent.call('read', 'database:query_table', { table: 'customers' })
      const asked = agent.call('write', 'chat:post_message', {
        channel: '#c',
        text: 'renewal at risk, asked for a 14 percent discount in March 1',
      })
      await tab.getByRole('article').waitFor()
      await tab.getByRole('button', { name: /^Deny/ }).click()
      assert.ok((await asked).isError)
      const named = await until('the record of the answer names ann', async () =>
        JSON.stringify(await rig.api('/activity?type=approval')).includes('oidc/ann@acme.example'),
      )
      assert.ok(named)
      const logins = JSON.stringify(await rig.api('/activity?type=config_change'))
      assert.match(logins, /"page_login":"owner"/)
    })

    await scene('an auditor by group reads and finds nothing to decide with', async (rig, assert) => {
      const tab = await rig.page()
      await signIn(tab, 'eve')
      await overview(tab)
      await tab.getByText('eve@acme.example (auditor)').waitFor()
      assert.equal(await tab.getByRole('link', { name: 'Approvals' }).count(), 0)
      assert.equal(await tab.getByRole('alert').count(), 0)
      await tab.goto(page + '/ui/#/activity')
      await tab.getByRole('row').nth(2).click()
      await tab.getByRole('region', { name: 'Record' }).getByText('Who', { exact: true }).waitFor()
      assert.equal(await tab.getByRole('button', { name: /Approve/ }).count(), 0)
      await tab.goto(page + '/ui/#/approvals')
      await tab.getByText('There is no such view').waitFor()
      const answer = await tab.evaluate(async () => {
        const headers = { 'X-Mcpproxy-Page': localStorage.getItem('mcpproxy.page') }
        return (await fetch('/api/v1/kill', { method: 'POST', headers, body: '{"on":true}' })).status
      })
      assert.equal(answer, 403)
    })

    await scene('somebody of another group is told what to ask for', async (rig, assert) => {
      const tab = await rig.page()
      await signIn(tab, 'bob')
      await tab.getByRole('heading', { name: 'You are not logged in' }).waitFor()
      await tab.getByText('auth.oidc.page.owners').first().waitFor()
      await tab.getByText('guests').waitFor()
      assert.equal(
        (await tab.context().cookies(page)).some((c) => c.name === `mcpproxy_${rig.port}`),
        false,
      )
    })

    await scene(
      'the address that a login ends with opens nothing, in this browser or another one',
      async (rig, assert) => {
        const tab = await rig.page()
        let ended = ''
        let began = ''
        tab.on('request', (r) => {
          if (r.url().startsWith(page + '/ui/login?')) ended = r.url()
          if (r.url().startsWith(issuer + '/auth?')) began = r.url()
        })
        await signIn(tab, 'ann')
        await overview(tab)
        assert.ok(ended.includes('code='))
        const asked = new URL(began).searchParams
        assert.deepEqual([asked.get('response_type'), asked.get('code_challenge_method')], ['code', 'S256'])
        assert.equal(asked.get('code_challenge').length, 43)
        const other = await rig.page()
        for (const one of [other, tab]) {
          await one.goto(ended)
          await one.getByText('not started in this browser').waitFor()
        }
        await tab.goto(page + '/ui/') // whose session goes on
        await overview(tab)
      },
    )

    await scene('a logout at the provider ends the session here', async (rig, assert) => {
      const tab = await rig.page()
      await signIn(tab, 'ann')
      await overview(tab)
      const other = await rig.page()
      await signIn(other, 'ann') // in another browser, which stays
      await overview(other)
      await tab.goto(issuer + '/session/end')
      // The provider answers once it has told mcpproxy.
      const told = tab.waitForResponse((r) => r.url().startsWith(issuer + '/session/end/'))
      await tab.locator('button[name=logout], button[value=yes]').first().click()
      assert.ok((await told).status() < 400)
      await tab.goto(page + '/ui/')
      await tab.getByRole('button', { name: 'Log in with Acme' }).waitFor()
      await other.reload()
      await overview(other)
    })

    await scene(
      'logging out ends the session here, and at the provider for those who want that',
      async (rig, assert) => {
        const tab = await rig.page()
        await signIn(tab, 'ann')
        await overview(tab)
        await tab.getByRole('button', { name: 'Log out' }).click()
        await tab.getByRole('link', { name: 'log out there, too' }).click()
        await tab.waitForURL(issuer + '/**')
        await tab.locator('button[name=logout], button[value=yes]').first().click()
        await tab.waitForURL(page + '/ui/**')
        await tab.getByRole('button', { name: 'Log in with Acme' }).click()
        await tab.locator('input[name=login]').waitFor() // the provider asks again
        assert.ok(tab.url().startsWith(issuer))
      },
    )
  })
} finally {
  provider.kill()
}
