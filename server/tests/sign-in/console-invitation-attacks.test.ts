import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRecorder } from '../../src/identity/audit-log/index.ts'
import { failpoints } from '../../src/identity/sign-in/index.ts'
import { initializeInstallation } from '../../src/operator/installation/index.ts'
import { moveOut } from '../../src/operator/move/index.ts'
import { waitingStatements } from '../support/administrators.ts'
import { type Browser, baseUrl, openBrowser } from '../support/browser.ts'
import {
  accept,
  accepted,
  anotherBrowser,
  bob,
  collection,
  consoleCallback,
  create,
  enter,
  expectNothing,
  goOn,
  group,
  invite,
  members,
  nameGroup,
  open,
  openDuring,
  outcomeIn,
  personIds,
  tokenOf,
  unnameGroup,
  untilCallback,
} from '../support/console-invitations.ts'
import {
  as,
  callback,
  closeSignIns,
  newTenant,
  openSignIns,
  other,
  service,
  signIns,
  tenant,
} from '../support/own-sign-ins.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, providers } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(async () => {
  await newTenant()
  await nameGroup()
})

describe('Attacks', () => {
  // Proves console/42.
  test('Of two browsers that return from the provider at the same instant, one joins', async () => {
    const token = await invite()
    const browsers = Array.from({ length: 6 }, anotherBrowser)
    const callbacks = await Promise.all(
      browsers.map((browser, n) => untilCallback(token, { ...ada, sub: `p-${n}`, email: `p-${n}@gmail.com` }, browser)),
    )
    const outcomes = await Promise.all(
      browsers.map(async (browser, n) =>
        outcomeIn((await browser.go(callbacks[n] as string, { stopAt: consoleCallback })).url),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'signed in')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome.includes('invitation_not_open'))).toHaveLength(5)
    expect(await members()).toHaveLength(1)
    expect(await personIds()).toHaveLength(1)
    expect(await accepted()).toHaveLength(1)
  })

  // Proves console/43.
  test('A session that somebody else has in that browser does not join: the sign-in is always a new one, and ends that session', async () => {
    await tenant.application.signIn(tenant.browser, { person: bob })
    const [bobId] = await personIds()
    const { body } = await enter(await invite())
    const request = new URL(body.result.url)
    expect(request.searchParams.get('prompt')).toBe('login select_account')
    const { url } = await tenant.browser.go(body.result.url, { person: ada, stopAt: callback })
    expect(url).toMatch(callback)
    expect(outcomeIn((await tenant.browser.go(url, { stopAt: consoleCallback })).url)).toBe('signed in')
    expect(await members()).not.toContain(bobId)
    expect((await as('GET', `/persons/${bobId}/sessions`)).body.result).toEqual([])
  })

  // Proves console/11.
  test('The session of the console that the browser had ends, whose Strict cookie it does not send after a provider', async () => {
    const sessions = async () => {
      const stored = 'select id from console_sessions where org_id = $1'
      return (await signIns.inside.query(stored, [tenant.organization.id])).rows.map(({ id }) => id)
    }
    const acceptIn = async (browser: Browser) => {
      const { body } = await enter(await invite())
      const { url } = await browser.go(body.result.url, { person: ada, stopAt: consoleCallback })
      browser.forget(/signet-console-/)
      await browser.go(url, { stopAt: /\/console\/o\// })
    }
    await acceptIn(tenant.browser)
    const [former] = await sessions()
    await acceptIn(tenant.browser)
    expect(await sessions()).toEqual([expect.not.stringMatching(String(former))])
  })

  test('It waits for a change of who may enter before it locks anything else, so that neither waits for the other', async () => {
    const token = await invite()
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    const { id: org } = tenant.organization
    const { inside } = signIns
    await inside.query('begin')
    await inside.query(`select pg_advisory_xact_lock(1936291043, hashtext('${org}'))`)
    const accepting = accept(token)
    const count = async () => (await inside.query(waitingStatements)).rows[0].count
    await expect.poll(count, { timeout: 30_000 }).toBe(1)
    const locking = inside.query(`select from organizations where id = '${org}' for no key update nowait`)
    const outcome = await locking.then(({ rowCount }) => rowCount, String)
    await inside.query('rollback')
    expect(outcome).toBe(1)
    expect(await accepting).toContain('person_limit_reached')
  })

  // Proves console/43.
  test('Who takes prompt out of the request goes on with that session, and joins nothing', async () => {
    await tenant.application.signIn(tenant.browser, { person: bob })
    const token = await invite()
    const request = new URL((await enter(token)).body.result.url)
    request.searchParams.delete('prompt')
    await goOn(request.href)
    await expectNothing(token)
  })

  test.each([
    [providers.okta, { prompt: 'login' }],
    [providers.google, { prompt: 'select_account' }],
  ])('The provider is asked for a new sign-in as far as it can be: %s', async (provider, asked) => {
    if (provider !== providers.google) await tenant.addCredential(provider, other)
    const idp = provider === providers.google ? 'signet' : other.client_id
    const { body } = await enter(await invite(), { idp })
    const { url } = await tenant.browser.go(body.result.url, { stopAt: /^http:\/\/127\.0\.0\.1/ })
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject(asked)
  })

  // Proves console/44.
  test('In another browser the address of the request, its callback, and the page between lead to no membership', async () => {
    const token = await invite()
    const { body } = await enter(token)
    expect(await goOn(body.result.url, bob, anotherBrowser())).toContain('registration_not_allowed')
    await expectNothing(token)
    const returning = await untilCallback(token)
    await anotherBrowser().go(returning, { stopAt: consoleCallback })
    await expectNothing(token)
    expect(await personIds()).toEqual([])
  })

  // Proves console/45.
  test('No parameter of an application’s request carries an invitation', async () => {
    const answer = await create()
    const [token, { id }] = [tokenOf(answer), answer.body.result]
    const names = ['invitation', 'invitation_id', 'invitationId', 'console_invitation', 'token', 'login_hint']
    for (const value of [id, token]) {
      const params = Object.fromEntries(names.map((name) => [name, value]))
      const { url } = await tenant.application.begin({ ...params, state: value })
      await tenant.browser.go(url, { person: ada })
    }
    await expectNothing(token)
    const { body } = await enter(token)
    const request = new URL(body.result.url)
    request.searchParams.set('client_id', tenant.application.clientId)
    request.searchParams.set('redirect_uri', 'https://app.test/callback')
    await tenant.browser.go(request.href, { person: ada, stopAt: consoleCallback })
    await expectNothing(token)
  })

  const meanwhile: [what: string, act: (id: string) => unknown][] = [
    ['the invitation is deleted', (id) => as('DELETE', `${collection}/${id}`)],
    ['the invitation expires', () => signIns.clock.set(signIns.clock.now() + 61_000)],
    ['its group loses its access', () => unnameGroup()],
    ['its group loses its access, is deleted and made and named again', remakeGroup],
    ['the organization is deleted', () => service.operate('DELETE', `/organizations/${tenant.organization.id}`)],
    ['the organization moves to another cell', () => moveAway()],
    ['the credential is deleted', () => as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')],
  ]

  async function moveAway() {
    const [keyring, { clock }] = [makeKeyring(signIns.masterKey), signIns]
    const folder = mkdtempSync(join(tmpdir(), 'signet-invitations-'))
    const installation = { baseUrl, baseUrlIsDefault: false, acceptBaseUrl: undefined }
    const operator = { type: 'operator', id: null, name: null } as const
    const record = createRecorder({ clock, keyring })
    const recordAs = (action: string) => record({ actor: operator, action, requestId: null, clientAddress: null })
    const options = { file: join(folder, 'organization'), passphrase: 'of this test', onProgress: () => {} }
    await openDuring(async (database) => {
      await initializeInstallation(database.write, installation, keyring)
      await moveOut({ database, clock, keyring, operatorGroup: undefined, recordAs }, tenant.organization.id, options)
    })
    rmSync(folder, { recursive: true })
  }

  async function remakeGroup() {
    await unnameGroup()
    await as('DELETE', `/groups/${group}`)
    await nameGroup()
  }

  // Proves console/46.
  test.each(meanwhile)('Nobody joins where, while the browser is at the provider, %s', async (_, act) => {
    const answer = await create({ expires_in: '1m' })
    const returning = await untilCallback(tokenOf(answer))
    const before = signIns.clock.now()
    await act(answer.body.result.id)
    await tenant.browser.go(returning, { stopAt: consoleCallback })
    signIns.clock.set(before)
    await expectNobody()
  })

  // Proves console/46.
  test.each(meanwhile)('Nobody joins where, between the hooks and the commit, %s', async (_, act) => {
    const answer = await create({ expires_in: '1m' })
    const path = `/${tenant.organization.id}/hook`
    const before = signIns.clock.now()
    signIns.receiver.behave(path, { together: 2 })
    const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
    await as('POST', `/organizations/webhooks/${id}/triggers`, {
      trigger_type: 'sync_hook',
      trigger_name: 'token_minted',
    })
    const returning = await untilCallback(tokenOf(answer))
    const ending = tenant.browser.go(returning, { stopAt: consoleCallback })
    await signIns.receiver.waitFor(path, 1)
    await act(answer.body.result.id)
    await release(path)
    await ending
    signIns.clock.set(before)
    await expectNobody()
  })

  /** The second call that the receiver waits for: it answers both. */
  async function release(path: string) {
    const { host: servername, port, caFile } = signIns.receiver
    const options = { host: '127.0.0.1', port, servername, ca: readFileSync(caFile), path, method: 'POST' }
    const call = request(options).end()
    const [response] = await once(call, 'response')
    response.resume()
  }

  /** What a deleted organization had can still be read for some time. */
  async function expectNobody() {
    for (const table of ['memberships', 'persons', 'identities']) {
      const { rows } = await signIns.inside.query(`select from ${table} where org_id = $1`, [tenant.organization.id])
      expect(rows).toEqual([])
    }
    const { rows } = await signIns.inside.query(
      `select from audit_entries where org_id = $1 and action = 'acceptConsoleInvitation'`,
      [tenant.organization.id],
    )
    expect(rows).toEqual([])
  }

  test('An invitation of one organization is of no use at the issuer of another', async () => {
    const token = await invite()
    const stranger = await signIns.tenant()
    const request = new URL((await enter(token)).body.result.url)
    const elsewhere = request.href.replace(tenant.organization.id, stranger.organization.id)
    await goOn(elsewhere)
    expect(await stranger.persons()).toEqual([])
    await expectNothing(token)
  })

  // Proves console/47.
  test('Whose address a provider does not vouch for joins by the subject all the same, as somebody new', async () => {
    await tenant.application.signIn(anotherBrowser(), { person: bob })
    const [bobId] = await personIds()
    const pretender = { sub: 'mallory-1', email: bob.email, email_verified: false }
    expect(await accept(await invite(), pretender)).toBe('signed in')
    const [joined] = await members()
    expect(joined).not.toBe(bobId)
  })

  test('A provider that lies in its ID token lets nobody join', async () => {
    await tenant.addCredential(providers.lying, other)
    const token = await invite()
    const { body } = await enter(token, { idp: other.client_id })
    expect(await goOn(body.result.url)).toContain('oidc_token_invalid')
    await expectNothing(token)
  })
})

// Proves console/48.
test.each(failpoints)('A fault at "%s" spends all or nothing', async (failpoint) => {
  const keyring = makeKeyring(signIns.masterKey)
  const faulty = await signIns.startNode({
    keyring,
    onSignInFailpoint: (passed) => {
      if (passed === failpoint) throw new Error('a fault of the test')
    },
  })
  const token = await invite()
  const browser = openBrowser(() => faulty.baseUrl)
  const answer = await enter(token, { browser })
  await browser.go(answer.body.result.url, { person: ada, stopAt: consoleCallback }).catch(() => {})
  const [joined, made, spent] = [await members(), await personIds(), (await open(token)).status === 404]
  expect([joined.length, made.length, (await accepted()).length]).toEqual(spent ? [1, 1, 1] : [0, 0, 0])
  expect(spent).toBe(failpoint === 'ended')
  await faulty.stop()
})
