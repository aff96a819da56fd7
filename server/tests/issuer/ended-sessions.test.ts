import { buildEndSessionUrl, fetchUserInfo } from 'openid-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { createEndSessions } from '../../src/identity/issuer/index.ts'
import type { Browser } from '../support/browser.ts'
import { type App, signedIn, type Tokens } from '../support/issuer.ts'
import {
  actionIn,
  closeIssuer,
  dayMs,
  formIn,
  invalidGrant,
  issuerOf,
  issuers,
  offline,
  openIssuerWith,
  refresh,
  send,
  unauthorized,
} from '../support/own-issuer.ts'
import type { Organization } from '../support/signet.ts'

/** Of a tenant: two applications that hear of sign-outs, and one that does not. */
let organization: Organization
let [first, second, deaf]: App[] = []
let person: string
/** What was told before the step under test. */
let before: Told[]

type Told = { app: string | undefined; sid?: string; sub: string }

// What is told stays in the queue.
beforeAll(() => openIssuerWith({ SIGNET_ROLES: 'api' }))
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

beforeEach(async () => {
  organization = await issuers.organization()
  const app = (name: string) =>
    issuers.app(organization, { backchannel_logout_uri: `https://${name}.example.com/logout` })
  first = await app('first')
  second = await app('second')
  deaf = await issuers.app(organization)
  person = await issuers.person(organization)
  before = []
})

const as = (method: string, path: string, body?: unknown, by = organization) => issuers.as(by, method, path, body)

/** Newly told applications, in no order. */
async function told(): Promise<Told[]> {
  const rows = await issuers.database.read.rows(sql<{ id: string; content: { sub: string; sid?: string } }>`
    select webhook_id as id, content from deliveries where org_id = ${organization.id} and trigger_name = 'logout'`)
  const nameOf = (id: string) => (id === first?.clientId ? 'first' : id === second?.clientId ? 'second' : id)
  return rows.map(({ id, content }) => ({ app: nameOf(id), ...content })).filter((one) => !has(before, one))
}

const has = (list: Told[], one: Told) => list.some((other) => JSON.stringify(other) === JSON.stringify(one))

type SignsIn = {
  at?: App | undefined
  browser?: Browser
  scope?: string
  prompt?: string
  identityId?: string
}

async function signIn({ at = first, browser = issuers.browser(), scope = 'openid', prompt, identityId }: SignsIn = {}) {
  const app = at as App
  const request = await issuers.request(app, { scope, ...(prompt && { prompt }) })
  const result = signedIn(person, issuers.clock.now())
  if (identityId) result.signIn.identityId = identityId
  const tokens = await issuers.exchange(app, request, await issuers.signIn(browser, app, request, result))
  return { browser, tokens, sid: String(tokens.claims()?.sid) }
}

/** With the session of the browser, at another application. */
async function goOnTo(app: App | undefined, browser: Browser, scope = 'openid') {
  const request = await issuers.request(app as App, { scope })
  const { url } = await browser.go(request.url.href, { stopAt: /^http:\/\/(127\.0\.0\.1|\[::1\])[:/]|code=/ })
  const tokens = await issuers.exchange(app as App, request, new URL(url))
  return { tokens, sid: String(tokens.claims()?.sid) }
}

const isGood = ({ tokens }: { tokens: Tokens }, app = first) =>
  fetchUserInfo((app as App).config, tokens.access_token, person).then(
    () => true,
    (error) => {
      expect(error).toEqual(unauthorized)
      return false
    },
  )

describe('The session in ID tokens', () => {
  test('Every ID token names its session, the same at each refresh and at each sign-in of that session', async () => {
    const { browser, tokens, sid } = await signIn({ at: deaf, scope: 'openid offline_access' })
    expect(sid).toMatch(/^[\w-]{21,}$/)
    expect((await refresh(tokens, deaf)).claims()?.sid).toBe(sid)
    expect((await goOnTo(deaf, browser)).sid).toBe(sid)
    expect((await goOnTo(first, browser)).sid).not.toBe(sid)
    expect((await signIn({ at: deaf })).sid).not.toBe(sid)
    const list = await as('GET', `/persons/${person}/sessions`)
    expect(JSON.stringify(list.body)).not.toContain(sid)
  })

  test('The discovery document says that logout tokens are sent, and name the session', async () => {
    const document = await (await send('/.well-known/openid-configuration')).json()
    expect(document).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      claims_supported: expect.arrayContaining(['sid']),
    })
  })
})

describe('What ends a session', () => {
  type Signed = Awaited<ReturnType<typeof signInTwice>>

  /** One browser at both applications and at the deaf one; and a refresh token of the second from a session that is over. */
  async function signInTwice() {
    const gone = await signIn({ at: second, scope: offline.parameters.scope })
    await signOutOf(gone.browser)
    const one = await signIn({ at: first })
    const two = await goOnTo(second, one.browser, offline.parameters.scope)
    await goOnTo(deaf, one.browser)
    const other = await signIn({ at: first })
    before = await told()
    return { gone, one, two, other }
  }

  async function signOutOf(browser: Browser) {
    const page = await browser.go(`${issuerOf(organization)}/logout`)
    await browser.go(actionIn(page), { form: { ...formIn(page), logout: 'yes' } })
  }

  const ofOne = ({ one, two }: Signed) => [
    { app: 'first', sid: one.sid, sub: person },
    { app: 'second', sid: two.sid, sub: person },
  ]
  const all = (signed: Signed) => [...ofOne(signed), { app: 'first', sid: signed.other.sid, sub: person }]

  const anyOrder = (list: Told[]) => list.map((one) => JSON.stringify(one)).sort()
  const expectTold = async (list: Told[]) => expect(anyOrder(await told())).toEqual(anyOrder(list))

  test('A sign-out tells each application of that session, and what has offline_access goes on', async () => {
    const signed = await signInTwice()
    await signOutOf(signed.one.browser)
    await expectTold(ofOne(signed))
    expect(await isGood(signed.one)).toBe(false)
    expect(await isGood(signed.other)).toBe(true)
    await refresh(signed.two.tokens, second)
    await signed.one.browser.go(`${issuerOf(organization)}/logout`)
    await expectTold(ofOne(signed))
  })

  test('A person who signs out of one application and stays signed in has nobody told', async () => {
    const { one } = await signInTwice()
    const url = buildEndSessionUrl((first as App).config, { id_token_hint: one.tokens.id_token ?? '' }).href
    const page = await one.browser.go(url)
    await one.browser.go(actionIn(page), { form: { xsrf: formIn(page).xsrf ?? '' } })
    await expectTold([])
    expect(await isGood(await goOnTo(second, one.browser), second)).toBe(true)
  })

  test.each<[string, () => Promise<{ status: number }>]>([
    ['is deactivated', () => as('PATCH', `/persons/${person}`, { active: false })],
    ['is deleted', () => as('DELETE', `/persons/${person}`)],
    ['has all sessions ended', () => as('DELETE', `/persons/${person}/sessions`)],
  ])('A person who %s has every application of every session told, and ends refresh tokens', async (_, end) => {
    const signed = await signInTwice()
    expect((await end()).status).toBeLessThan(300)
    await expectTold(all(signed))
    expect([await isGood(signed.one), await isGood(signed.other)]).toEqual([false, false])
    for (const { tokens } of [signed.two, signed.gone])
      await expect(refresh(tokens, second)).rejects.toEqual(invalidGrant)
  })

  test('An application that has only a refresh token of the person is told of the person, without a session', async () => {
    const { browser, tokens } = await signIn({ at: second, scope: offline.parameters.scope })
    await signOutOf(browser)
    before = await told()
    await as('DELETE', `/persons/${person}/sessions`)
    await expectTold([{ app: 'second', sub: person }])
    await expect(refresh(tokens, second)).rejects.toEqual(invalidGrant)
    expect((await as('DELETE', `/persons/${person}/sessions`)).status).toBe(204)
    await expectTold([{ app: 'second', sub: person }])
  })

  test('A session that an administrator ends has its applications told, and its refresh tokens end too', async () => {
    const signed = await signInTwice()
    const { body } = await as('GET', `/persons/${person}/sessions`)
    const [{ id }] = body.result.filter(({ applications }: { applications: string[] }) => applications.length === 3)
    expect((await as('DELETE', `/persons/${person}/sessions/${id}`)).status).toBe(204)
    await expectTold(ofOne(signed))
    await expect(refresh(signed.two.tokens, second)).rejects.toEqual(invalidGrant)
    await refresh(signed.gone.tokens, second)
    expect([await isGood(signed.one), await isGood(signed.other)]).toEqual([false, true])
    expect((await as('DELETE', `/persons/${person}/sessions/${id}`)).status).toBe(404)
    const another = await issuers.person(organization)
    const [left] = (await as('GET', `/persons/${person}/sessions`)).body.result
    expect((await as('DELETE', `/persons/${another}/sessions/${left.id}`)).status).toBe(404)
    expect(await isGood(signed.other)).toBe(true)
  })

  test('An identity that is taken away ends what came of it, and nothing that came of another', async () => {
    const [own, kept] = await Promise.all([identity('one'), identity('two')])
    const mine = await signIn({ identityId: own, scope: offline.parameters.scope })
    const theirs = await signIn({ identityId: kept })
    expect((await as('DELETE', `/persons/${person}/identities/${own}`)).status).toBe(204)
    await expectTold([{ app: 'first', sid: mine.sid, sub: person }])
    expect([await isGood(mine), await isGood(theirs)]).toEqual([false, true])
    await expect(refresh(mine.tokens, first)).rejects.toEqual(invalidGrant)
  })

  test('An identity that is taken away ends a session of an earlier release, which names none', async () => {
    const own = await identity('one')
    const mine = await signIn()
    await as('DELETE', `/persons/${person}/identities/${own}`)
    await expectTold([{ app: 'first', sid: mine.sid, sub: person }])
  })

  async function identity(issuer: string): Promise<string> {
    const id = makeId(issuers.clock.now())
    await issuers.database.write.rows(sql`
      insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
      values (${organization.id}, ${id}, ${person}, 'provider_a', ${issuer}, 'x', ${id}, now())`)
    return id
  }

  test('Another person who signs in in the same browser ends the session, and its applications are told', async () => {
    const signed = await signInTwice()
    const another = await issuers.person(organization)
    const request = await issuers.request(first as App, { prompt: 'login' })
    await issuers.signIn(signed.one.browser, first as App, request, signedIn(another, issuers.clock.now()))
    await expectTold(ofOne(signed))
    expect(await isGood(signed.one)).toBe(false)
  })

  test('The same person who signs in once more has nobody told, and the same session', async () => {
    const signed = await signInTwice()
    const again = await signIn({ browser: signed.one.browser, prompt: 'login' })
    expect(again.sid).toBe(signed.one.sid)
    await expectTold([])
  })

  test('A session that is over by its time is told to nobody, not even when its person is deactivated later', async () => {
    await signInTwice()
    issuers.clock.advance(100 * dayMs)
    await as('PATCH', `/persons/${person}`, { active: false })
    await expectTold([])
  })

  test('Where the logout tokens cannot be written, the session has not ended', async () => {
    const signed = await signInTwice()
    const failing = createEndSessions(async () => {
      throw new Error('a fault of the test')
    })
    const end = issuers.database.transaction((tx) =>
      failing(tx, organization.id, { personId: person }, new Date(issuers.clock.now()).toISOString()),
    )
    await expect(end).rejects.toThrow('a fault of the test')
    expect(await isGood(signed.one)).toBe(true)
    await refresh(signed.two.tokens, second)
  })

  test('Eight sign-outs at once of one session tell each application once', async () => {
    const signed = await signInTwice()
    const page = await signed.one.browser.go(`${issuerOf(organization)}/logout`)
    const form = { ...formIn(page), logout: 'yes' }
    await Promise.all(Array.from({ length: 8 }, () => signed.one.browser.go(actionIn(page), { form }).catch(() => {})))
    expect(await told()).toHaveLength(2)
  })

  test('A refresh beside the end of all sessions leaves no token that lives on', async () => {
    const { two } = await signInTwice()
    const [refreshed] = await Promise.all([
      refresh(two.tokens, second).catch(() => undefined),
      as('DELETE', `/persons/${person}/sessions`),
    ])
    if (refreshed) await expect(refresh(refreshed, second)).rejects.toEqual(invalidGrant)
  })
})

describe('The sessions of a person', () => {
  test('The list shows browsers, the one that was used last first, and hides those that have ended', async () => {
    const { browser } = await signIn()
    issuers.clock.advance(60_000)
    await signIn({ at: second })
    issuers.clock.advance(60_000)
    await goOnTo(deaf, browser)
    const { body } = await as('GET', `/persons/${person}/sessions`)
    expect(body.meta.pagination.total_count).toBe(2)
    const apps = [first, deaf].map((app) => app?.clientId).sort()
    expect(body.result).toMatchObject([
      { applications: apps, oauth_client_id: 'signet', client_ip_address: '127.0.0.1', user_agent: expect.any(String) },
      { applications: [second?.clientId] },
    ])
    expect(body.result[0].last_used_at > body.result[0].created_at).toBe(true)
    expect(body.result[1].last_used_at).toBe(body.result[1].created_at)
    expect((await as('GET', `/persons/${person}/sessions?limit=1`)).body.result).toHaveLength(1)
    issuers.clock.advance(15 * dayMs)
    expect((await as('GET', `/persons/${person}/sessions`)).body.result).toEqual([])
    expect((await as('GET', `/persons/${makeId(0)}/sessions`)).status).toBe(404)
  })

  test('The audit log says who ended which session of whom', async () => {
    await signIn()
    const [{ id }] = (await as('GET', `/persons/${person}/sessions`)).body.result
    await as('DELETE', `/persons/${person}/sessions/${id}`)
    await as('DELETE', `/persons/${person}/sessions`)
    const { body } = await as('GET', '/organizations/audit-log?limit=2')
    expect(body.result).toMatchObject([
      { action: 'endPersonSessions', target: { type: 'person', id: person } },
      { action: 'endPersonSession', target: { type: 'person_session', id }, before: { person_id: person } },
    ])
  })
})

describe('A credential that is taken away', () => {
  const path = '/organizations/sso/oidc/provider-credentials/signet'

  const narrow = async () => {
    const { body } = await as('POST', '/organizations/api-keys', { scopes: ['credentials:write', 'persons:write'] })
    return { id: organization.id, apiKey: body.result.api_key }
  }

  test.each<[string, () => Promise<{ status: number }>]>([
    ['is deleted', () => as('DELETE', path)],
    ['is switched off', () => as('PATCH', path, { active: false })],
    [
      'is switched off by name, after it was and kept them',
      async () => {
        await as('PATCH', `${path}?keep_sessions=true`, { active: false })
        return as('PATCH', path, { active: false })
      },
    ],
    ['is asked to end its sessions', () => as('POST', `${path}/end-sessions`)],
  ])(
    'A credential that %s ends sessions, refresh tokens and codes at once, and applications hear it',
    async (_, end) => {
      const one = await signIn({ scope: offline.parameters.scope })
      const request = await issuers.request(second as App)
      const code = await issuers.signIn(
        issuers.browser(),
        second as App,
        request,
        signedIn(person, issuers.clock.now()),
      )
      expect((await end()).status).toBeLessThan(300)
      expect(await isGood(one)).toBe(false)
      await expect(refresh(one.tokens, first)).rejects.toEqual(invalidGrant)
      await expect(issuers.exchange(second as App, request, code)).rejects.toEqual(invalidGrant)
      expect((await as('GET', `/persons/${person}/sessions`)).body.result).toEqual([])
      await expect.poll(async () => (await told()).map(({ app }) => app).sort()).toEqual(['first', 'second'])
      expect(await told()).toContainEqual({ app: 'first', sid: one.sid, sub: person })
      const left = await issuers.database.read.rows(sql`
      select uid from issuer_sessions where org_id = ${organization.id}`)
      expect(left).toEqual([])
    },
  )

  test.each<[string, () => Promise<{ status: number }>]>([
    ['is deleted with keep_sessions', () => as('DELETE', `${path}?keep_sessions=true`)],
    ['is switched off with keep_sessions', () => as('PATCH', `${path}?keep_sessions=true`, { active: false })],
    ['is deleted by a key that is no admin key', async () => as('DELETE', path, undefined, await narrow())],
    ['is renamed', () => as('PATCH', path, { label: 'Ours' })],
    ['is not the one of the session', () => as('DELETE', path.replace('signet', 'other'))],
  ])('A credential that %s ends nothing', async (_, end) => {
    const one = await signIn({ scope: offline.parameters.scope })
    expect((await end()).status).toBe(200)
    expect(await isGood(one)).toBe(true)
    await refresh(one.tokens, first)
    await issuers.sweepCredentials()
    expect(await told()).toEqual([])
  })

  test('A key that is no admin key ends no sessions of a credential', async () => {
    expect((await as('POST', `${path}/end-sessions`, undefined, await narrow())).status).toBe(403)
    expect((await as('POST', `${path.replace('signet', 'unknown')}/end-sessions`)).status).toBe(404)
    expect((await as('DELETE', `${path}?keep_sessions=yes`)).status).toBe(400)
  })

  test('A person who authenticated before, and comes back after, is refused; one who authenticates after is not', async () => {
    const request = await issuers.request(first as App)
    const earlier = signedIn(person, issuers.clock.now())
    issuers.clock.advance(1_000)
    await as('POST', `${path}/end-sessions`)
    issuers.clock.advance(1_000)
    const end = await issuers.signIn(issuers.browser(), first as App, request, earlier)
    expect(end.searchParams.get('code')).toBeNull()
    const later = await signIn()
    expect(await isGood(later)).toBe(true)
    await issuers.sweepCredentials()
    expect(await isGood(later)).toBe(true)
  })

  test('Many sessions end in batches, each told once, by two processes at once', async () => {
    const count = 1_300
    await signIn()
    await issuers.database.write.rows(sql`
      insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
      select org_id, uid || n, id_hash || n::text::bytea, person_id, credential_id, authentications,
             jsonb_set(payload::jsonb, array['authorizations', ${first?.clientId}::text, 'sid'], to_jsonb('sid-' || n))::json, expires_at
        from issuer_sessions cross join generate_series(1, ${count}::int) as n where org_id = ${organization.id}`)
    await as('DELETE', path)
    await Promise.all([issuers.sweepCredentials(), issuers.sweepCredentials()])
    await expect.poll(async () => (await told()).length).toBe(count + 1)
    expect(new Set((await told()).map(({ sid }) => sid)).size).toBe(count + 1)
  })

  test('Credentials that end one after the other have the sessions of their organization read once', async () => {
    const { write } = issuers.database
    const statements = async () => {
      let count = 0
      const rows: typeof write.rows = (statement) => {
        count++
        return write.rows(statement)
      }
      await issuers.sweepCredentials({ ...issuers.database, write: { ...write, rows } })
      return count
    }
    await as('DELETE', path)
    const ofOne = await statements()
    await write.rows(sql`
      insert into ended_credentials (org_id, credential_id, ended_at)
      select org_id, gen_random_uuid(), ended_at from ended_credentials cross join generate_series(1, 50) where org_id = ${organization.id}`)
    expect(await statements()).toBe(ofOne)
  })

  test('The mark of a credential goes when nobody who authenticated before can come back', async () => {
    await as('DELETE', path)
    const marks = () => issuers.database.read.rows(sql`select from ended_credentials where org_id = ${organization.id}`)
    await issuers.sweepCredentials()
    expect(await marks()).toHaveLength(1)
    issuers.clock.advance(dayMs)
    await issuers.sweepCredentials()
    expect(await marks()).toEqual([])
  })
})
