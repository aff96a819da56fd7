import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { removeOldAttempts } from '../../src/ground/limits/index.ts'
import { removeExpired } from '../../src/start/remove-expired.ts'
import { errorIn } from '../support/application.ts'
import { refused } from '../support/refused.ts'
import type { Service } from '../support/service.ts'
import { ada, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import type { Answer, Organization } from '../support/signet.ts'
import { otherClient } from '../support/upstreams.ts'

const collection = '/organizations/sso/oidc/credential-links'
const credentials = '/organizations/sso/oidc/provider-credentials'
const hourMs = 3_600_000
const notOpen = refused(404, 'token: is that of no open link; a link is open until it is used or deleted, or expires')
const linked = { client_id: 'linked', client_secret: 'linked-secret' }

let signIns: SignIns
/** Two processes on one database, behind a proxy. */
let service: Service
let second: Service
let ours: Organization
/** A client address for each test. */
let address: string
let addresses = 0

beforeAll(async () => {
  signIns = await startSignIns()
  const env = { SIGNET_TRUSTED_PROXIES: '127.0.0.1', SIGNET_RATE_PUBLIC: '100000/100000' }
  ;[service, second] = await Promise.all([signIns.startNode({ env }), signIns.startNode({ env })])
})

afterAll(async () => {
  await Promise.all([service?.stop(), second?.stop()])
  await signIns?.stop()
})

beforeEach(async () => {
  address = `198.51.100.${++addresses}`
  ours = await service.organization({ name: 'Acme' })
})

const create = (fields: object = {}, organization = ours) =>
  service.as(organization, 'POST', collection, { provider: 'provider_a', ...fields })
const list = async (organization = ours): Promise<Answer['body'][]> =>
  (await service.as(organization, 'GET', collection)).body.result
const entries = async (query: string) =>
  (await service.as(ours, 'GET', `/organizations/audit-log?${query}`)).body.result as Answer['body'][]
const tokenOf = ({ body }: Answer): string => body.result.url.split('#')[1]
const linkTo = async (provider = 'provider_a', fields: object = {}) => tokenOf(await create({ provider, ...fields }))
/** As the page of a link does it, without a key. */
const ask = (path: string, body: object, { at = service, from = address } = {}) =>
  at.call('POST', `/console/link${path}`, { 'x-forwarded-for': from }, body)
const open = (token: string, where?: { at?: Service; from?: string }) => ask('', { token }, where)
const use = (token: string, fields: object = {}, where?: { at?: Service; from?: string }) =>
  ask('/credential', { token, ...linked, ...fields }, where)
const find = (clientId = 'linked') => service.as(ours, 'GET', `${credentials}/${clientId}`)
const keyWith = async (...scopes: string[]): Promise<Organization> => {
  const { body } = await service.as(ours, 'POST', '/organizations/api-keys', { scopes })
  return { id: ours.id, apiKey: body.result.api_key }
}
const openDuring = async <Result>(work: (database: Database) => Promise<Result>) => {
  const database = openDatabase(signIns.connection)
  return work(database).finally(database.close)
}

describe('A credential link', () => {
  // Proves sign-in/49.
  test('A link is shown once with its address, lives for 72 hours, and knows the callback of its credential', async () => {
    const { status, body } = await create({ label: 'Staff' })
    const { url, ...shown } = body.result
    expect(status).toBe(201)
    expect(url).toMatch(new RegExp(`^https://id.signet.test/console/link#${ours.id.replaceAll('-', '')}[0-9a-f]{64}$`))
    expect(shown).toMatchObject({ provider: 'provider_a', label: 'Staff' })
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(72 * hourMs)
    expect(shown.callback_url).toMatch(new RegExp(`/sso/callback/${shown.id}$`))
    expect(await list()).toEqual([shown])
    const { rows } = await signIns.inside.query('select to_jsonb(l)::text as row from credential_links l')
    expect(rows.map(({ row }) => row).join()).not.toContain(url.split('#')[1].slice(-64))
    const [entry] = await entries('action=createCredentialLink')
    expect(entry).toMatchObject({ target: { type: 'credential_link', id: shown.id }, after: shown })
    expect(JSON.stringify(entry)).not.toContain('/console/link#')
  })

  test('A link of another provider, with a label that is too long, or for too short or too long a time, is refused', async () => {
    const lifetime = 'expires_in: must be a duration from 1m to 168h, such as 72h'
    expect((await create({ provider: 'provider_i' })).body.errors[0].message).toContain('provider: must be one of')
    expect(await create({ label: 'x'.repeat(201) })).toMatchObject(
      refused(400, 'label: must be at most 200 characters'),
    )
    for (const expires_in of ['59s', '168h1ns', 'a week'])
      expect(await create({ expires_in })).toMatchObject(refused(400, lifetime))
  })

  test('A link is made by admin keys alone, deleted also by others, and is no other organization’s to see or delete', async () => {
    const key = await keyWith('credentials:write')
    expect((await create({}, key)).status).toBe(403)
    const answer = await create({ expires_in: '168h' })
    const path = `${collection}/${answer.body.result.id}`
    const other = await service.organization()
    expect(await list(other)).toEqual([])
    const gone = refused(404, 'credential link: not found')
    expect(await service.as(other, 'DELETE', path)).toMatchObject(gone)
    expect((await service.as(key, 'DELETE', path)).status).toBe(204)
    expect(await service.as(key, 'DELETE', path)).toMatchObject(gone)
    expect(await use(tokenOf(answer))).toMatchObject(notOpen)
    expect(await entries('action=deleteCredentialLink')).toMatchObject([{ before: { provider: 'provider_a' } }])
  })

  test('An organization has a hundred open links at most, however many are made at once', async () => {
    await signIns.inside.query(
      `insert into credential_links (org_id, id, token_hash, provider, label, created_at, expires_at)
       select $1, gen_random_uuid(), n::text::bytea, 'provider_a', '', now(), now() + interval '1 hour'
         from generate_series(1, 98) n`,
      [ours.id],
    )
    const answers = await Promise.all(Array.from({ length: 5 }, () => create()))
    const refusals = answers.filter(({ status }) => status !== 201)
    expect(refusals).toHaveLength(3)
    expect(refusals[0]).toMatchObject(refused(409, 'credential links: there are 100 open ones already; delete one'))
    await use(tokenOf(answers.find(({ status }) => status === 201) as Answer))
    expect((await create()).status).toBe(201)
  })
})

describe('Whoever has a link', () => {
  // Proves sign-in/54, sign-in/56.
  test('A link opens as often as one likes, and shows what it is for and nothing else', async () => {
    const token = await linkTo('provider_g', { label: 'Staff' })
    await service.as(ours, 'POST', credentials, { client_id: 'own', client_secret: 'own', provider: 'provider_a' })
    const [link] = await list()
    const always = ['openid', 'email', 'profile', 'User.Read']
    for (const at of [service, second])
      expect(await open(token, { at })).toMatchObject({
        status: 200,
        body: {
          result: {
            organization_name: 'Acme',
            provider: 'provider_g',
            label: 'Staff',
            callback_url: link.callback_url,
            scopes: always,
            options: { provider_g: { authorize_scopes: always, tenant: 'common' } },
            required_options: [],
          },
        },
      })
    expect(Object.keys((await open(token)).body.result)).toHaveLength(7)
    const { body } = await open(await linkTo('provider_h'))
    expect(body.result.required_options).toEqual(['organization_url'])
  })

  // Proves sign-in/50.
  test('The link makes the one credential, which is inactive, and is used up; the audit log names the link', async () => {
    const token = await linkTo('provider_g', { label: 'Staff' })
    const [link] = await list()
    const options = { provider_g: { tenant: 'contoso.example' } }
    expect(await use(token, { options })).toMatchObject({ status: 201, body: {} })
    expect((await find()).body.result).toMatchObject({
      client_id: 'linked',
      provider: 'provider_g',
      label: 'Staff',
      options,
      active: false,
      callback_url: link.callback_url,
    })
    expect(await list()).toEqual([])
    for (const again of [await use(token, { client_id: 'again' }), await open(token)])
      expect(again).toMatchObject(notOpen)
    const [entry, ...others] = await entries('actor=link')
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      actor: { type: 'link', id: link.id, name: 'Staff' },
      action: 'useCredentialLink',
      target: { type: 'oidc_credential', id: 'linked' },
      before: null,
      after: { active: false, client_secret: '***', callback_url: link.callback_url },
      client_ip_address: address,
    })
    expect(await entries(`actor=${link.id}`)).toEqual([entry])
  })

  // Proves sign-in/53.
  test('Of two submissions at once, at two processes, one makes a credential', async () => {
    const token = await linkTo()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => use(token, { client_id: `c${n}` }, { at: n % 2 ? service : second })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(404)])
    expect((await service.as(ours, 'GET', credentials)).body.result).toHaveLength(1)
  })

  // Proves sign-in/54.
  test('A submission that is refused leaves the link open, and changes no credential that is there', async () => {
    const own = { client_id: 'linked', client_secret: 'own', provider: 'provider_b' }
    const { body: before } = await service.as(ours, 'POST', credentials, own)
    const token = await linkTo('provider_h')
    const url = { provider_h: { organization_url: 'https://acme.okta.example' } }
    expect(await use(token)).toMatchObject(
      refused(400, 'options.provider_h.organization_url: is required for provider_h'),
    )
    expect(await use(token, { options: url })).toMatchObject(refused(409, 'client_id: cannot be used with this link'))
    expect(await use(token, { client_id: '', provider: 'provider_a', active: true })).toMatchObject({ status: 400 })
    expect((await find()).body).toEqual(before)
    expect(await use(token, { client_id: 'free', options: url })).toMatchObject({ status: 201 })
  })

  // Proves sign-in/55.
  test('A link that was used, deleted or made up, has expired, or is of a deleted organization, is refused with one text', async () => {
    const [expiring, token] = [await linkTo('provider_a', { expires_in: '1m' }), await linkTo()]
    const other = await service.organization()
    const elsewhere = other.id.replaceAll('-', '') + token.slice(32)
    const inUpperCase = token.toUpperCase() === token ? `${token.slice(0, -1)}A` : token.toUpperCase()
    const madeUp = ['', 'x', `${token} `, inUpperCase, elsewhere, token.slice(0, -64) + '0'.repeat(64)]
    for (const text of madeUp) expect(await open(text)).toMatchObject(notOpen)
    const before = signIns.clock.now()
    signIns.clock.set(before + 61_000)
    for (const answer of [await open(expiring), await use(expiring)]) expect(answer).toMatchObject(notOpen)
    signIns.clock.set(before)
    expect((await open(token)).status).toBe(200)
    await service.operate('DELETE', `/organizations/${ours.id}`)
    for (const answer of [await open(token), await use(token)]) expect(answer).toMatchObject(notOpen)
  })

  // Proves sign-in/49.
  test('A link is no key, opens to no other page, and a body of more than 4 KiB is not read', async () => {
    const token = await linkTo()
    const asKey = { 'Service-OrgID': ours.id, 'Service-API-Key': token }
    expect((await service.call('GET', credentials, asKey)).status).toBe(401)
    const { headers } = await service.call('POST', '/console/link', { origin: 'https://evil.example' }, { token })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect((await service.call('OPTIONS', '/console/link', { origin: 'https://evil.example' })).status).toBe(405)
    const form = { 'content-type': 'text/plain' }
    expect((await service.call('POST', '/console/link', form, JSON.stringify({ token }))).status).toBe(415)
    expect((await use(token, { client_id: 'x'.repeat(5_000) })).status).toBe(413)
    expect((await service.call('POST', `/console/link?token=${token}`, {}, { token })).status).toBe(400)
  })
})

describe('Failed attempts', () => {
  // Proves sign-in/48.
  test('After twenty of them an address waits for the rest of the hour, at every process; others do not', async () => {
    const token = await linkTo()
    const attempts = Array.from({ length: 30 }, (_, n) => open('wrong', { at: n % 2 ? service : second }))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(20)
    for (const answer of [await open(token), await use(token, {}, { at: second })]) {
      expect(answer.status).toBe(429)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_500)
    }
    expect((await open(token, { from: '203.0.113.9' })).status).toBe(200)
    const before = signIns.clock.now()
    signIns.clock.set(before + hourMs)
    expect((await open(token)).status).toBe(200)
    signIns.clock.set(before)
  })

  // Proves sign-in/48.
  test('All of an IPv6 network are one address, and an IPv4 address is one in every spelling', async () => {
    const token = await linkTo('provider_h')
    const from = (n: number) => ({ from: `2001:db8:7:7::${n}` })
    for (let n = 1; n <= 20; n++) expect((await open('wrong', from(n))).status).toBe(404)
    expect((await open(token, from(99))).status).toBe(429)
    const spellings = ['203.0.113.77', '::ffff:203.0.113.77', '::FFFF:cb00:714d', '[0:0:0:0:0:ffff:cb00:714d]:443']
    for (let n = 0; n < 20; n++) expect((await open('wrong', { from: spellings[n % 4] ?? '' })).status).toBe(404)
    for (const spelling of spellings) expect((await open(token, { from: spelling })).status).toBe(429)
    const { rows } = await signIns.inside.query(
      `select client_address, count from failed_attempts where client_address like '203.0.113.77%'`,
    )
    expect(rows).toEqual([{ client_address: '203.0.113.77', count: 20 }])
  })

  // Proves sign-in/48.
  test('A token that is right is no guess, whatever becomes of it: opened, refused, used by nineteen at once, spent, deleted or expired', async () => {
    const [token, other] = [await linkTo('provider_h'), await linkTo()]
    const [deleted, expiring] = [await create(), await linkTo('provider_a', { expires_in: '1m' })]
    await service.as(ours, 'DELETE', `${collection}/${deleted.body.result.id}`)
    for (let n = 1; n <= 21; n++) expect((await open(token)).status).toBe(200)
    for (let n = 1; n <= 21; n++) expect((await use(token)).status).toBe(400)
    const uses = Array.from({ length: 19 }, (_, n) =>
      use(other, { client_id: `c${n}` }, { at: n % 2 ? service : second }),
    )
    expect((await Promise.all(uses)).map(({ status }) => status).sort()).toEqual([201, ...Array(18).fill(404)])
    for (let n = 1; n <= 21; n++)
      for (const spent of [other, tokenOf(deleted)]) expect(await open(spent)).toMatchObject(notOpen)
    const before = signIns.clock.now()
    signIns.clock.set(before + 61_000)
    for (let n = 1; n <= 21; n++) expect(await use(expiring)).toMatchObject(notOpen)
    signIns.clock.set(before)
    expect((await open(token)).status).toBe(200)
    const { rows } = await signIns.inside.query('select count from failed_attempts where client_address = $1', [
      address,
    ])
    expect(rows).toEqual([])
  })

  // Proves sign-in/48.
  test('After twenty guesses a token that is right waits as well', async () => {
    const token = await linkTo()
    for (let n = 1; n <= 20; n++) await open(token.slice(0, 32) + `${n}`.padStart(64, '0'))
    for (const answer of [await open(token), await use(token)]) expect(answer.status).toBe(429)
    expect(await list()).toHaveLength(1)
  })

  test('An organization keeps the tokens of a thousand links that are not open any more', async () => {
    await signIns.inside.query(
      `insert into credential_links (org_id, id, token_hash, provider, label, created_at, expires_at)
       select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n::text::bytea, 'provider_a', '', now(), now() - interval '1 hour'
         from generate_series(1, 1100) n`,
      [ours.id],
    )
    await create()
    const { rows } = await signIns.inside.query(
      `select count(*)::int, min(right(id::text, 12)) as first from credential_links where org_id = $1 and expires_at <= now()`,
      [ours.id],
    )
    expect(rows).toEqual([{ count: 1_000, first: '000000000101' }])
  })

  test('The sweep removes links that ended eight days ago and counts whose hour is over, and keeps the others', async () => {
    const dayMs = 24 * hourMs
    const ended = (await create({ expires_in: '1m' })).body.result.id
    const kept = (await create({ expires_in: '168h' })).body.result.id
    const used = await create()
    await use(tokenOf(used))
    await open('wrong')
    const counts = async () => {
      const text = `select (select array_agg(id::text order by id) from credential_links where org_id = $1) as links,
                           (select count(*)::int from failed_attempts where client_address = $2) as addresses`
      return (await signIns.inside.query(text, [ours.id, address])).rows[0]
    }
    const sweepAt = (ms: number) =>
      openDuring(({ write }) =>
        removeExpired(write, { now: () => signIns.clock.now() + ms }, new AbortController().signal),
      )
    const all = [ended, kept, used.body.result.id]
    await sweepAt(61_000)
    expect(await counts()).toEqual({ links: all, addresses: 1 })
    await sweepAt(hourMs)
    expect(await counts()).toEqual({ links: all, addresses: 0 })
    await sweepAt(7 * dayMs)
    expect(await counts()).toEqual({ links: all, addresses: 0 })
    await sweepAt(8 * dayMs + 61_000)
    expect(await counts()).toEqual({ links: [kept], addresses: 0 })
    await sweepAt(15 * dayMs + 61_000)
    expect(await counts()).toEqual({ links: null, addresses: 0 })
  })

  // Proves console/15.
  test('Of more client addresses than are kept those are forgotten that count for the shortest time', async () => {
    await signIns.inside.query('delete from failed_attempts')
    await open('wrong')
    await open('wrong', { from: '203.0.113.10' })
    const now = new Date(signIns.clock.now()).toISOString()
    await openDuring(({ write }) => removeOldAttempts(write, now, 1_000, 1))
    const { rows } = await signIns.inside.query('select client_address from failed_attempts')
    expect(rows).toEqual([{ client_address: '203.0.113.10' }])
  })
})

describe('An inactive credential', () => {
  const path = `${credentials}/${otherClient.clientId}`
  const change = (organization: Organization, fields: object) => signIns.service.as(organization, 'PATCH', path, fields)
  const errorOf = async ({ application, browser }: Tenant, params = {}) =>
    errorIn(await browser.go((await application.begin(params)).url, { person: ada }))

  // Proves sign-in/50.
  test('Nobody signs in with it, named or not, until an admin key confirms it', async () => {
    const tenant = await signIns.tenant()
    const { organization, application, browser } = tenant
    const other = { client_id: otherClient.clientId, client_secret: otherClient.clientSecret }
    const idp = otherClient.clientId
    ours = organization
    expect((await use(await linkTo(), other)).status).toBe(201)
    // Were there two to choose from, the page would ask.
    await application.signIn(browser, { person: ada })
    expect(await errorOf(tenant, { idp })).toBe('server_error')
    const key = await keyWith('credentials:write')
    const adminsOnly = refused(403, 'active: must stay as it is, unless the key is an admin key')
    expect(await change(key, { active: true })).toMatchObject(adminsOnly)
    expect(await change(key, { label: 'New' })).toMatchObject({ status: 200, body: { result: { active: false } } })
    expect(await change(ours, { active: true })).toMatchObject({ status: 200, body: { result: { active: true } } })
    expect((await change(key, { active: true })).status).toBe(200)
    await application.signIn(browser, { person: ada, params: { idp } })
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })

  // Proves sign-in/47.
  test('Its callback, and sessions that began with it, are of no use once an admin key makes it inactive', async () => {
    const tenant = await signIns.tenant()
    const { organization, application, browser } = tenant
    await tenant.addCredential('provider_a', {
      client_id: otherClient.clientId,
      client_secret: otherClient.clientSecret,
    })
    const params = { idp: otherClient.clientId }
    await application.signIn(browser, { person: ada, params })
    const begun = await application.begin({ ...params, prompt: 'login' })
    const { url } = await browser.go(begun.url, { person: ada, stopAt: /\/sso\/callback\// })
    expect((await change(organization, { active: false })).status).toBe(200)
    expect(errorIn(await browser.go(url))).toBe('server_error')
    expect(await errorOf(tenant, { prompt: 'none' })).toBe('login_required')
    expect(await tenant.endings()).toEqual(['succeeded', 'credential_misconfigured'])
  })
})

test("A link leads to a customer's own provider, whom it cannot make trusted", async () => {
  const token = await linkTo('oidc')
  const opened = await open(token)
  expect(opened.body.result).toMatchObject({ provider: 'oidc', required_options: ['issuer'] })
  const options = { oidc: { issuer: 'https://id.acme.example/realms/staff' } }
  expect(await use(token, {})).toMatchObject(refused(400, 'options.oidc.issuer: is required for oidc'))
  expect(await use(token, { options, trust_email_domains: ['corp.example'] })).toMatchObject(
    refused(400, 'trust_email_domains: is not a known field'),
  )
  expect((await use(token, { options })).status).toBe(201)
  expect((await find()).body.result).toMatchObject({
    provider: 'oidc',
    active: false,
    options: { oidc: { authorize_scopes: ['openid', 'email', 'profile'], ...options.oidc } },
    trust_email_domains: [],
  })
})

test('Null for what may be absent is as good as its absence', async () => {
  const { status, body } = await create({ label: null, expires_in: null })
  expect({ status, label: body.result.label }).toEqual({ status: 201, label: '' })
  expect(Date.parse(body.result.expires_at) - Date.parse(body.result.created_at)).toBe(72 * hourMs)
})
