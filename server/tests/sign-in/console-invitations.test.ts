import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { createRecorder } from '../../src/identity/audit-log/index.ts'
import { failpoints } from '../../src/identity/sign-in/index.ts'
import { initializeInstallation } from '../../src/operator/installation/index.ts'
import { moveOut } from '../../src/operator/move/index.ts'
import { removeExpired } from '../../src/start/remove-expired.ts'
import { waitingStatements } from '../support/administrators.ts'
import { type Browser, baseUrl, openBrowser } from '../support/browser.ts'
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
import { refused } from '../support/refused.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, type Person, providers, type Told } from '../support/sign-ins.ts'
import type { Answer, Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const collection = '/organizations/console-invitations'
const group = 'administrators'
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const bob = { sub: 'bob-1', email: 'bob@elsewhere.example', email_verified: true }
const notOpen = refused(
  404,
  'token: is that of no open invitation; an invitation is open until it is used or deleted, or expires',
)

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(async () => {
  await newTenant()
  await nameGroup()
})

/** The setting itself has tests of its own. */
async function nameGroup(name = group, role = 'owner', of: Organization = tenant.organization) {
  await service.as(of, 'POST', '/groups', { name })
  await signIns.inside.query('insert into console_access (org_id, group_name, role) values ($1, $2, $3)', [
    of.id,
    name,
    role,
  ])
}
const unnameGroup = (name = group) =>
  signIns.inside.query('delete from console_access where org_id = $1 and group_name = $2', [
    tenant.organization.id,
    name,
  ])

const create = (fields: object = {}) => as('POST', collection, { group, ...fields })
const list = async (): Promise<Answer['body'][]> => (await as('GET', collection)).body.result
const tokenOf = ({ body }: Answer): string => body.result.url.split('#')[1]
const invite = async (fields: object = {}) => tokenOf(await create(fields))
const page = `${baseUrl}/console/invitation`
const open = (token: string, browser: Browser = tenant.browser) => browser.send(page, { token })
const enter = (token: string, { browser = tenant.browser, idp }: { browser?: Browser; idp?: string } = {}) =>
  browser.send(`${page}/sign-in`, { token, ...(idp !== undefined && { oauth_client_id: idp }) })
const anotherBrowser = () => openBrowser(() => service.baseUrl)

const consoleCallback = /\/console\/callback\?/
/** As far as the console's own callback, to which a code or an error leads. */
const goOn = async (url: string, person: object = ada, browser: Browser = tenant.browser) =>
  outcomeIn((await browser.go(url, { person, stopAt: consoleCallback })).url)
const outcomeIn = (url: string) => {
  const { searchParams } = new URL(url)
  return searchParams.get('error_description') ?? (searchParams.has('code') ? 'signed in' : `stopped at ${url}`)
}
/** Up to where the browser returns from the provider. */
async function untilCallback(token: string, person: object = ada, browser: Browser = tenant.browser) {
  const { body } = await enter(token, { browser })
  return (await browser.go(body.result.url, { person, stopAt: callback })).url
}
async function accept(token: string, person: object = ada, browser: Browser = tenant.browser) {
  const answer = await enter(token, { browser })
  return answer.status === 200 ? goOn(answer.body.result.url, person, browser) : answer.body.errors[0].message
}
const members = async (name = group): Promise<string[]> => (await as('GET', `/groups/${name}/persons`)).body.result
const entries = async (query: string): Promise<Answer['body'][]> =>
  (await as('GET', `/organizations/audit-log?${query}`)).body.result
const accepted = () => entries('action=acceptConsoleInvitation')
const personIds = async () => (await tenant.persons()).map(({ person_id }: Person) => person_id)
const typesOf = (events: Told[]) => events.map(({ event_metadata }) => event_metadata.event_type)
/** Nothing was written but how the sign-in ended. */
async function expectNothing(token: string) {
  expect(await members()).toEqual([])
  expect(await accepted()).toEqual([])
  expect((await open(token)).status).toBe(200)
}
const openDuring = async <Result>(work: (database: Database) => Promise<Result>) => {
  const database = openDatabase(signIns.connection)
  return work(database).finally(database.close)
}

describe('An invitation', () => {
  // Proves console/41.
  test('An invitation is shown once with its address, lives for 72 hours, and is in the audit log without what opens it', async () => {
    const { status, body } = await create()
    const { url, ...shown } = body.result
    expect(status).toBe(201)
    expect(url).toMatch(
      new RegExp(`^${baseUrl}/console/invitation#${tenant.organization.id.replaceAll('-', '')}[0-9a-f]{64}$`),
    )
    expect(Object.keys(shown).sort()).toEqual(['created_at', 'expires_at', 'group', 'id'])
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(72 * hourMs)
    expect(await list()).toEqual([shown])
    const { rows } = await signIns.inside.query('select to_jsonb(i)::text as row from console_invitations i')
    expect(rows.map(({ row }) => row).join()).not.toContain(url.split('#')[1].slice(-64))
    const [entry] = await entries('action=createConsoleInvitation')
    expect(entry).toMatchObject({
      target: { type: 'console_invitation', id: shown.id },
      after: { ...shown, url: '***' },
    })
  })

  test('A group that console_access does not name, no group at all, and too short or too long a time are refused', async () => {
    await as('POST', '/groups', { name: 'others' })
    const notNamed = refused(400, 'group: must be a group that the setting console_access names')
    for (const each of ['others', 'nowhere', 'Administrators'])
      expect(await create({ group: each })).toMatchObject(notNamed)
    expect(await as('POST', collection, {})).toMatchObject(refused(400, 'group: is required'))
    for (const expires_in of ['59s', '168h1ns', 'a week'])
      expect(await create({ expires_in })).toMatchObject(
        refused(400, 'expires_in: must be a duration from 1m to 168h, such as 72h'),
      )
    expect(await list()).toEqual([])
    expect((await create({ expires_in: null })).status).toBe(201)
  })

  test('Only admin keys invite, list and delete, and none sees or deletes those of another organization', async () => {
    const { body } = await create()
    const path = `${collection}/${body.result.id}`
    const { body: made } = await as('POST', '/organizations/api-keys', { scopes: ['settings:write', 'groups:write'] })
    const key = { id: tenant.organization.id, apiKey: made.result.api_key }
    for (const [method, at, fields] of [
      ['POST', collection, { group }],
      ['GET', collection],
      ['DELETE', path],
    ] as const)
      expect((await service.as(key, method, at, fields)).status).toBe(403)
    const stranger = await service.organization()
    expect((await service.as(stranger, 'GET', collection)).body.result).toEqual([])
    const gone = refused(404, 'console invitation: not found')
    expect(await service.as(stranger, 'DELETE', path)).toMatchObject(gone)
    expect((await as('DELETE', path)).status).toBe(204)
    for (const each of [path, `${collection}/x`]) expect(await as('DELETE', each)).toMatchObject(gone)
    expect(await open(tokenOf({ body } as Answer))).toMatchObject(notOpen)
    expect(await entries('action=deleteConsoleInvitation')).toMatchObject([{ before: { group }, after: null }])
  })

  test('An organization has a hundred open ones at most, however many are made at once', async () => {
    await signIns.inside.query(
      `insert into console_invitations (org_id, id, token_hash, group_name, created_at, expires_at)
       select $1, gen_random_uuid(), n::text::bytea, $2, now(), now() + interval '1 hour' from generate_series(1, 98) n`,
      [tenant.organization.id, group],
    )
    const answers = await Promise.all(Array.from({ length: 5 }, () => create()))
    const refusals = answers.filter(({ status }) => status !== 201)
    expect(refusals).toHaveLength(3)
    expect(refusals[0]).toMatchObject(refused(409, 'console invitations: there are 100 open ones already; delete one'))
  })

  test('One that is over is forgotten eight days later by the sweep, and one that is open stays', async () => {
    await create({ expires_in: '1m' })
    await create({ expires_in: '168h' })
    const count = async () =>
      (await signIns.inside.query('select from console_invitations where org_id = $1', [tenant.organization.id]))
        .rowCount
    const sweepAt = (now: number) =>
      openDuring(({ write }) => removeExpired(write, { now: () => now }, new AbortController().signal))
    const now = signIns.clock.now()
    await sweepAt(now + 6 * dayMs)
    expect(await count()).toBe(2)
    await sweepAt(now + 8 * dayMs + 120_000)
    expect(await count()).toBe(1)
  })

  // Proves console/46.
  test('It goes with the access of its group, also where the group is named again', async () => {
    const token = await invite()
    await unnameGroup()
    expect(await list()).toEqual([])
    expect(await open(token)).toMatchObject(notOpen)
    await nameGroup()
    expect(await open(token)).toMatchObject(notOpen)
    expect(await enter(token)).toMatchObject(notOpen)
    expect((await create()).status).toBe(201)
  })
})

describe('Whoever opens an invitation', () => {
  test('It opens as often as one likes, says whose it is, which role it gives and by what one signs in, and spends nothing', async () => {
    await tenant.addCredential(providers.okta, { ...other, label: 'Staff' })
    const token = await invite()
    for (const browser of [tenant.browser, anotherBrowser(), anotherBrowser()])
      expect(await open(token, browser)).toEqual({
        status: 200,
        body: {
          result: {
            organization_id: tenant.organization.id,
            organization_name: expect.any(String),
            group,
            roles: ['owner'],
            credentials: [
              { oauth_client_id: 'signet', label: '', provider: providers.google },
              { oauth_client_id: other.client_id, label: 'Staff', provider: providers.okta },
            ],
            expires_at: (await list())[0].expires_at,
          },
        },
      })
    expect(await tenant.events()).toEqual([])
  })

  test('One that was used, deleted or made up, has expired, or is of a deleted organization, is refused with one text', async () => {
    const [token, expiring, used] = [await invite(), await invite({ expires_in: '1m' }), await invite()]
    await accept(used)
    const elsewhere = (await service.organization()).id.replaceAll('-', '') + token.slice(32)
    const madeUp = ['', 'x', `${token} `, elsewhere, token.slice(0, -64) + '0'.repeat(64)]
    for (const text of [...madeUp, used])
      for (const answer of [await open(text), await enter(text)]) expect(answer).toMatchObject(notOpen)
    const before = signIns.clock.now()
    signIns.clock.set(before + 61_000)
    expect(await open(expiring)).toMatchObject(notOpen)
    signIns.clock.set(before)
    expect((await open(token)).status).toBe(200)
    await service.operate('DELETE', `/organizations/${tenant.organization.id}`)
    for (const answer of [await open(token), await enter(token)]) expect(answer).toMatchObject(notOpen)
  })

  // Proves console/41.
  test('After twenty made-up tokens an address waits; a right one is no guess, whatever becomes of it', async () => {
    const from = (address: string) => openBrowser(() => proxied.baseUrl, undefined, { 'x-forwarded-for': address })
    const env = { SIGNET_TRUSTED_PROXIES: '127.0.0.1', SIGNET_RATE_PUBLIC: '100000/100000' }
    const proxied = await signIns.startNode({ env })
    const [token, deleted] = [await invite(), await create()]
    await as('DELETE', `${collection}/${deleted.body.result.id}`)
    const browser = from('198.51.100.7')
    for (let n = 0; n < 25; n++) expect((await open(tokenOf(deleted), browser)).status).toBe(404)
    const guesses = await Promise.all(Array.from({ length: 25 }, () => open('wrong', browser)))
    expect(guesses.filter(({ status }) => status === 404)).toHaveLength(20)
    for (const answer of [await open(token, browser), await enter(token, { browser })]) expect(answer.status).toBe(429)
    expect((await open(token, from('198.51.100.8'))).status).toBe(200)
    await proxied.stop()
  })

  test('Where there is no credential it says so; one of another organization or an inactive one is refused', async () => {
    const stranger = await service.organization()
    const [token, own] = [await invite(), { client_id: 'own', client_secret: 'own', provider: providers.okta }]
    const options = { [providers.okta]: { organization_url: 'https://okta.test' } }
    await service.as(stranger, 'POST', '/organizations/sso/oidc/provider-credentials', { ...own, options })
    const notOurs = refused(400, 'oauth_client_id: must be that of a credential of the organization')
    for (const idp of ['own', 'nowhere', '']) expect(await enter(token, { idp })).toMatchObject(notOurs)
    await as('PATCH', '/organizations/sso/oidc/provider-credentials/signet', { active: false })
    expect((await open(token)).body.result.credentials).toEqual([])
    expect(await enter(token)).toMatchObject(
      refused(409, 'credentials: there are none by which anybody can sign in to this organization'),
    )
  })

  // Proves console/49.
  test('Only the page of the console may ask; a page of another origin begins no sign-in in that browser', async () => {
    const token = await invite()
    const headings: Record<string, string>[] = [
      {},
      { 'service-console': '1' },
      { 'service-console': '1', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
    ]
    for (const path of ['/console/invitation', '/console/invitation/sign-in'])
      for (const headers of headings) {
        const answer = await service.call('POST', path, headers, { token })
        expect(answer.status).toBe(401)
        expect(answer.headers.getSetCookie()).toEqual([])
      }
    expect((await tenant.browser.send(page, { token, oauth_client_id: 'x' })).status).toBe(400)
    expect((await tenant.browser.send(page, { token: 'x'.repeat(5_000) })).status).toBe(413)
  })
})

describe('Who signs in by an invitation', () => {
  test('An unknown person is made, whatever the settings say, and joins; the invitation is spent, and the audit log names the person', async () => {
    await as('PATCH', '/organizations/settings', { self_registration: false, allowed_email_domains: ['corp.example'] })
    const answer = await create()
    expect(await accept(tokenOf(answer))).toBe('signed in')
    const [personId] = await personIds()
    expect(await members()).toEqual([personId])
    expect(typesOf(await tenant.events())).toEqual(['PersonCreated', 'AuthenticationSucceeded'])
    expect(await list()).toEqual([])
    expect(await accepted()).toMatchObject([
      {
        actor: { type: 'person', id: personId },
        action: 'acceptConsoleInvitation',
        target: { type: 'console_invitation', id: answer.body.result.id },
        before: null,
        after: { group, person_id: personId },
      },
    ])
    expect(await accept(tokenOf(answer), bob, anotherBrowser())).toBe(notOpen.body.errors[0]?.message)
    expect(await personIds()).toHaveLength(1)
  })

  test('A known person is that one, also who is a member already, and keeps the other groups', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const [personId = ''] = await personIds()
    await as('POST', '/groups', { name: 'others' })
    await as('POST', `/persons/${personId}/groups`, { groups: ['others'] })
    for (let times = 0; times < 2; times++) {
      expect(await accept(await invite(), ada, anotherBrowser())).toBe('signed in')
      expect((await as('GET', `/persons/${personId}/groups`)).body.result).toEqual([group, 'others'])
    }
    expect(await personIds()).toEqual([personId])
    expect(await accepted()).toHaveLength(2)
  })

  // Proves console/47.
  test('Nobody is linked by an address, though the settings link and an admin key vouches for it', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const { body } = await as('POST', '/persons', { handles })
    expect(await accept(await invite())).toBe('signed in')
    const [joined] = await members()
    expect(joined).not.toBe(body.result.person_id)
    expect(await personIds()).toHaveLength(2)
  })

  test('Without an invitation an unknown person stays out of the console, and joins nothing', async () => {
    await invite()
    const parameters = new URLSearchParams({ state: 'x'.repeat(96) })
    const { body } = await enter(await invite())
    const request = new URL(body.result.url)
    request.searchParams.set('state', parameters.get('state') ?? '')
    expect(await goOn(request.href)).toContain('registration_not_allowed')
    expect(await personIds()).toEqual([])
  })

  test('A person who is not active is refused, and spends nothing', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const [personId] = await personIds()
    await as('PATCH', `/persons/${personId}`, { active: false })
    const token = await invite()
    expect(await accept(token, ada, anotherBrowser())).toContain('person_not_active')
    await expectNothing(token)
  })

  test('The limit of persons holds for whoever is unknown, and spends nothing', async () => {
    const token = await invite()
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    expect(await accept(token)).toContain('person_limit_reached')
    await expectNothing(token)
    expect(await personIds()).toEqual([])
  })

  // Proves console/48.
  test('A hook that refuses spends nothing', async () => {
    const token = await invite()
    const path = `/${tenant.organization.id}/hook`
    signIns.receiver.behave(path, { body: JSON.stringify({ deny: true }) })
    const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await as('POST', `/organizations/webhooks/${id}/triggers`, trigger)
    expect(await accept(token)).toContain('sync_hook')
    await expectNothing(token)
    expect(await personIds()).toEqual([])
  })

  test('Whoever is in a thousand groups joins no other one, and spends nothing', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const [personId] = await personIds()
    const of = [tenant.organization.id]
    await signIns.inside.query(
      `insert into groups (org_id, name, description, created_at) select $1, 'g' || n, '', now() from generate_series(1, 1000) n`,
      of,
    )
    await signIns.inside.query(
      `insert into memberships (org_id, person_id, group_name) select $1, $2, 'g' || n from generate_series(1, 1000) n`,
      [...of, personId],
    )
    const token = await invite()
    expect(await accept(token, ada, anotherBrowser())).toContain('unspecified')
    await expectNothing(token)
  })
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
