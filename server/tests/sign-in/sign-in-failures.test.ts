import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPublish } from '../../src/delivery/events/index.ts'
import { createEnqueue } from '../../src/delivery/queue/enqueue.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { createCredentials } from '../../src/identity/credentials/index.ts'
import { endStalledFlows } from '../../src/identity/sign-in/index.ts'
import { errorIn } from '../support/application.ts'
import { application, type Browser, type Going, openBrowser, type Page } from '../support/browser.ts'
import { makeKeyring, type Service } from '../support/service.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant, type Told } from '../support/sign-ins.ts'
import { otherClient } from '../support/upstreams.ts'
import { addWebhook } from '../support/webhooks.ts'

const callback = /\/sso\/callback\//
const flowPage = /\/sso\/flows\//
/** The way back to the issuer, where the result is collected. */
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/
const hourMs = 3_600_000
/** Of a callback that is being answered. */
const finishMs = 150_000
/** An issuer is looked up again so long after the last time. */
const cacheTtlMs = 2_000
const patience = { timeout: 30_000, interval: 50 }

let signIns: SignIns
let service: Service
let tenant: Tenant

beforeAll(async () => {
  signIns = await startSignIns()
  service = signIns.service
})

afterAll(() => signIns?.stop())

beforeEach(async () => {
  tenant = await signIns.tenant()
})

const as = (method: string, path: string, body?: unknown) => service.as(tenant.organization, method, path, body)
const settings = (changes: object) => as('PATCH', '/organizations/settings', changes)
const other = { client_id: otherClient.clientId, client_secret: otherClient.clientSecret }

/** A sign-in as far as it gets. */
async function attempt(going: Going & { params?: Record<string, string> } = {}) {
  const { url } = await tenant.application.begin(going.params)
  return tenant.browser.go(url, { person: ada, ...going })
}

/** The same up to the provider's answer, which `tamper` may change. */
async function attemptWith(tamper: (answer: URL) => void) {
  const back = new URL((await attempt({ stopAt: callback })).url)
  tamper(back)
  return tenant.browser.go(back.href)
}

/** A webhook with the trigger, whose receiver answers so. */
async function addHook(answer: { status?: number; body?: string }, trigger: object = {}) {
  const path = `/${tenant.organization.id}/hook`
  signIns.receiver.behave(path, answer)
  const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
  await as('POST', `/organizations/webhooks/${id}/triggers`, {
    trigger_type: 'sync_hook',
    trigger_name: 'token_minted',
    ...trigger,
  })
  return path
}

describe('Failed sign-ins', () => {
  const cases: [word: string, error: string, act: () => Promise<Awaited<ReturnType<typeof attempt>>>][] = [
    ['oidc_access_denied', 'access_denied', () => attempt({ person: { ...ada, refuse: true } })],
    ['oidc_provider_error', 'server_error', () => attemptWith(({ searchParams }) => turnIntoError(searchParams))],
    ['oidc_provider_error', 'server_error', () => attemptWith(({ searchParams }) => searchParams.append('code', 'x'))],
    [
      'oidc_state_mismatch',
      'server_error',
      async () => {
        const { url } = await attempt({ stopAt: callback })
        tenant.browser.forget(/signet-flow/)
        return tenant.browser.go(url)
      },
    ],
    ['oidc_state_mismatch', 'server_error', () => attemptWith(({ searchParams }) => searchParams.set('state', 'x'))],
    ['oidc_state_mismatch', 'server_error', () => attemptWith(({ searchParams }) => searchParams.delete('state'))],
    [
      'oidc_token_invalid',
      'server_error',
      async () => {
        await tenant.addCredential(providers.lying, other)
        return attempt({ params: { idp: other.client_id } })
      },
    ],
    [
      'provider_unreachable',
      'server_error',
      async () => {
        await tenant.addCredential(providers.away, other)
        return attempt({ params: { idp: other.client_id } })
      },
    ],
    [
      'credential_misconfigured',
      'server_error',
      async () => {
        const { url } = await attempt({ stopAt: callback })
        await as('PATCH', '/organizations/sso/oidc/provider-credentials/signet', { client_secret: 'another' })
        return tenant.browser.go(url)
      },
    ],
    [
      'credential_misconfigured',
      'server_error',
      async () => {
        const { url } = await attempt({ stopAt: callback })
        await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
        return tenant.browser.go(url)
      },
    ],
    [
      'person_limit_reached',
      'access_denied',
      async () => {
        await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
        return attempt()
      },
    ],
    [
      'registration_not_allowed',
      'access_denied',
      async () => {
        await settings({ self_registration: false })
        return attempt()
      },
    ],
    [
      'registration_not_allowed',
      'access_denied',
      async () => {
        await settings({ allowed_email_domains: ['example.com'] })
        return attempt()
      },
    ],
    [
      'sync_hook_failed',
      'access_denied',
      async () => {
        await addHook({ status: 500 })
        return attempt()
      },
    ],
  ]

  test.each(cases)('A failure %s has one event, and the application gets %s', async (word, error, act) => {
    const end = await act()
    expect(errorIn(end)).toBe(error)
    expect(new URL(end.url).searchParams.get('error_description')).toBe(`the sign-in failed: ${word}`)
    expect(await tenant.endings()).toEqual([word])
    expect(await tenant.persons()).toEqual([])
  })

  test('A failed sign-in has an event with all fields of 6.1 but those of a person whom nobody recognised', async () => {
    const params = { correlation_id: '01890a5d-ac96-774b-bcce-b302099a8057' }
    await attempt({ person: { ...ada, refuse: true }, params, referer: 'https://app.test/start' })
    expect(await tenant.events()).toEqual([
      {
        event_metadata: expect.objectContaining({ source: 2, event_name: 'AuthenticationFailed_v1' }),
        analytics_metadata: { analytics_correlation_id: params.correlation_id, client_ip_address: '127.0.0.1' },
        browser_metadata: { user_agent: 'A browser', window_location: 'https://app.test/start' },
        failed_authn_method: 'oidc',
        failure_reason: 'oidc_access_denied',
      },
    ])
  })

  test('A failed sign-in has an event with the person whom the provider had recognised (person_not_active)', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await as('PATCH', `/persons/${sub}`, { active: false })
    expect(errorIn(await attempt())).toBe('access_denied')
    const [, , event] = await tenant.events()
    const recognised = { person_id: sub, region: 'local', authenticated_methods: ['oidc'] }
    expect(event).toMatchObject({ failure_reason: 'person_not_active', ...recognised })
  })

  test('A failed sign-in has an event with the person who was signed in in that browser before', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await attempt({ person: { ...ada, refuse: true }, params: { prompt: 'login' } })
    const [, , event] = await tenant.events()
    expect(event).toMatchObject({ failure_reason: 'oidc_access_denied', person_id: sub, region: 'local' })
  })

  test('A fault of the service, such as a secret that no master key decrypts, fails a sign-in as unspecified', async () => {
    const { url } = await attempt({ stopAt: callback })
    const node = await signIns.startNode({ keyring: makeKeyring() })
    const { headers } = await fetch(url.replace('https://id.signet.test', node.baseUrl), {
      redirect: 'manual',
      headers: { cookie: tenant.browser.cookiesFor(url) },
    })
    await node.stop()
    expect(errorIn(await tenant.browser.go(headers.get('location') ?? ''))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['unspecified'])
  })
})

function turnIntoError(answer: URLSearchParams) {
  answer.delete('code')
  answer.set('error', 'odd')
  answer.set('error_description', 'a text of the provider that nobody is shown')
}

describe('Admission', () => {
  test('A person whose vouched-for address is in allowed_email_domains is admitted', async () => {
    await settings({ allowed_email_domains: ['gmail.com'] })
    expect(errorIn(await attempt())).toBeUndefined()
  })

  test('A person whose address nobody vouches for is not admitted, though its domain is allowed', async () => {
    await settings({ allowed_email_domains: ['gmail.com'] })
    expect(errorIn(await attempt({ person: { ...ada, email_verified: false } }))).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['registration_not_allowed'])
  })

  test('A person who is known is admitted, whatever the settings and the limit are by then', async () => {
    await attempt()
    await settings({ self_registration: false, allowed_email_domains: ['example.com'] })
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    expect(errorIn(await attempt({ params: { prompt: 'login' } }))).toBeUndefined()
  })
})

describe('The hook (6.2, rule 5)', () => {
  const contentOf = (path: string): Told => {
    const [, claims = ''] = signIns.receiver.received(path).at(-1)?.body.split('.') ?? []
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).trigger_content
  }

  test('The hook is told who signs in, and adds claims to the token', async () => {
    const path = await addHook({ body: JSON.stringify({ plan: 'gold', roles: ['a'], sub: 'somebody' }) })
    const referer = 'https://app.test/start'
    const claims = await tenant.application.signIn(tenant.browser, { person: ada, referer })
    expect(claims).toMatchObject({ plan: 'gold', roles: ['a'] })
    expect(claims.sub).not.toBe('somebody')
    expect(contentOf(path)).toEqual({
      aud: tenant.application.clientId,
      sub: claims.sub,
      iss: claims.iss,
      region: 'local',
      first_token: true,
      authentications: [
        { handle: { type: 'EmailAddress', value: ada.email }, method: 'oidc', timestamp: expect.any(String) },
      ],
      groups_claim_name: 'groups',
      groups: [],
      request_metadata: { client_ip_address: '127.0.0.1', user_agent: 'A browser', origin: 'https://app.test' },
    })
  })

  test('The hook adds numbers to the ID token exactly as it gave them, in a sign-in as with a session', async () => {
    await addHook({ body: '{"account":9007199254740993,"deep":[{"rate":1.10}],"huge":1e400,"small":7}' })
    for (const params of [{ prompt: 'login' }, { prompt: 'none' }]) {
      const begun = await tenant.application.begin(params)
      const { url } = await tenant.browser.go(begun.url, { person: ada })
      const { id_token = '' } = await tenant.application.exchange(begun, url)
      const claims = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()
      expect(claims).toContain('"account":9007199254740993,"deep":[{"rate":1.10}],"huge":1e400,"small":7')
    }
  })

  test.each(['constructor', 'prototype', '__proto__', 'groups_truncated'])(
    'The hook takes nothing from the token by a claim %s, in a sign-in as with a session',
    async (name) => {
      await addHook({ body: `{"plan":"gold","${name}":{"a":1}}` })
      const own = { org_id: tenant.organization.id, groups: [], authenticated_methods: ['oidc'], region: 'local' }
      for (const params of [{ prompt: 'login' }, { prompt: 'none' }]) {
        const claims = await tenant.application.signIn(tenant.browser, { person: ada, params })
        expect(claims).toMatchObject({ ...own, plan: 'gold' })
        expect(Object.keys(claims)).not.toContain(name)
      }
    },
  )

  test('A hook that fails lets the sign-in go on where the trigger says so (on_failure: continue)', async () => {
    await addHook({ status: 500 }, { on_failure: 'continue' })
    expect(errorIn(await attempt())).toBeUndefined()
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The hook runs again when a session is used again, with what it adds by then', async () => {
    const path = await addHook({ body: '{"turn":1}' })
    await tenant.application.signIn(tenant.browser, { person: ada })
    signIns.receiver.behave(path, { body: '{"turn":2}' })
    const claims = await tenant.application.signIn(tenant.browser)
    expect(claims.turn).toBe(2)
    expect(contentOf(path)).toMatchObject({ first_token: false })
  })

  test('A hook that fails when a session is used again has an AuthenticationFailed_v1, and with prompt=none no event', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await addHook({ status: 500 })
    expect(errorIn(await attempt({ params: { prompt: 'none' } }))).toBe('access_denied')
    expect(errorIn(await attempt())).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['succeeded', 'sync_hook_failed'])
    expect((await tenant.events()).at(-1)).toMatchObject({ person_id: sub, authenticated_methods: ['oidc'] })
  })
})

describe('A sign-in that nobody finishes', () => {
  const outcomes: string[] = []
  const problems: object[] = []
  const log = { info: () => {}, error: (fields: object) => problems.push(fields) }

  /** As a node does every minute, an hour later. */
  async function sweep() {
    const { connection, clock, masterKey } = signIns
    const database = openDatabase(connection)
    const late = { now: () => clock.now() + hourMs }
    const publish = createPublish({ clock: late, enqueue: createEnqueue({ wake: () => {} }), tracer: untraced })
    const onOutcome = (outcome: string) => outcomes.push(outcome)
    const credentials = createCredentials({ database, clock: late, keyring: makeKeyring(masterKey) })
    const swept = { database, clock: late, credentials, publish, onOutcome, log }
    await Promise.all([1, 2, 3].map(() => endStalledFlows(swept, new AbortController().signal)))
    await database.close()
  }

  test('A sign-in that nobody finishes has failed (flow_expired, Cloud) once, however many nodes look, if it had begun', async () => {
    await tenant.addCredential(providers.okta, other)
    const page = await attempt()
    const [, credential = ''] = /value="([^"]+)">signet</.exec(page.html) ?? []
    await tenant.browser.go(page.url, { form: { credential }, person: ada, stopAt: callback })
    await sweep()
    const [event] = await tenant.events()
    expect(event).toEqual({
      event_metadata: expect.objectContaining({ source: 1 }),
      analytics_metadata: expect.anything(),
      failed_authn_method: 'oidc',
      failure_reason: 'flow_expired',
    })
    expect(await tenant.endings()).toEqual(['flow_expired'])
  })

  test('A sign-in that cannot be ended stops no other one, and is logged, however many there are', async () => {
    const of = [tenant.organization.id]
    await attempt({ stopAt: callback })
    await signIns.inside.query('update flows set begun_at = expires_at where org_id = $1', of)
    // More than one look takes, and all of them before the sound one.
    await signIns.inside.query(
      `insert into flows (org_id, id, interaction_uid, correlation_id, client_address, user_agent, window_location, begun_at,
                          expires_at)
       select org_id, gen_random_uuid(), gen_random_uuid(), correlation_id, '', 'broken', '', begun_at,
              expires_at - interval '1 minute' from flows, generate_series(1, 120) where org_id = $1`,
      of,
    )
    await signIns.inside.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'a fault of the test'; end $$;
      create trigger refuse before update on flows for each row when (old.user_agent = 'broken') execute function refuse()`)
    await sweep().finally(() => signIns.inside.query('drop function refuse cascade'))
    expect(await tenant.endings()).toEqual(['flow_expired'])
    expect(problems).toHaveLength(3 * 120)
    const expected = { organization_id: tenant.organization.id, flow_id: expect.any(String), err: expect.any(Error) }
    expect(problems.at(-1)).toEqual(expected)
    await sweep()
    expect(await tenant.endings()).toEqual(Array(121).fill('flow_expired'))
  })

  test('A sign-in that nobody finishes is a number and no event, if it had not begun', async () => {
    outcomes.length = 0
    const { url } = await attempt({ stopAt: callback })
    await sweep()
    expect(outcomes).toContain('abandoned')
    expect((await tenant.browser.go(url)).status).toBe(400)
    expect(await tenant.events()).toEqual([])
  })
})

test('An organization that is deleted during a sign-in admits nobody', async () => {
  const { url } = await attempt({ stopAt: callback })
  await service.operate('DELETE', `/organizations/${tenant.organization.id}`)
  expect((await tenant.browser.go(url)).status).toBe(400)
  expect(await tenant.events()).toEqual([])
})

test('A callback that is called twice at once is processed once', async () => {
  const begun = await tenant.application.begin()
  const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
  const cookie = tenant.browser.cookiesFor(url)
  const address = url.replace('https://id.signet.test', service.baseUrl)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => fetch(address, { redirect: 'manual', headers: { cookie } })),
  )
  // One that comes when the sign-in is over already is sent on all the same: the browser may have lost the answer.
  const ways = new Set(answers.flatMap(({ headers }) => headers.get('location') ?? []))
  expect([...ways]).toEqual([expect.stringMatching(wayBack)])
  const [way = ''] = ways
  await tenant.application.finish(begun, (await tenant.browser.go(way)).url)
  expect(await tenant.endings()).toEqual(['succeeded'])
})

test('A browser that lost the reply to its callback is sent on when it asks again', async () => {
  const begun = await tenant.application.begin()
  const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
  const headers = { cookie: tenant.browser.cookiesFor(url) }
  const lost = await fetch(url.replace('https://id.signet.test', service.baseUrl), { redirect: 'manual', headers })
  expect([lost.status, await tenant.endings()]).toEqual([303, ['succeeded']])
  const end = await tenant.browser.go(url)
  const { sub } = await tenant.application.finish(begun, end.url)
  expect((await tenant.application.signIn(tenant.browser, { params: { prompt: 'none' } })).sub).toBe(sub)
  expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
})

describe('A browser that asks again while its callback is being answered', () => {
  /** Whoever called first has gone, and its hook is waited for. */
  async function leaveAmid() {
    const begun = await tenant.application.begin()
    const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
    const path = `/${tenant.organization.id}/held`
    signIns.receiver.behave(path, { together: 2 })
    const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], { timeout: '20s' })
    const webhook = `/organizations/webhooks/${id}`
    await as('POST', `${webhook}/triggers`, { trigger_type: 'sync_hook', trigger_name: 'token_minted' })
    const first = new AbortController()
    const headers = { cookie: tenant.browser.cookiesFor(url) }
    const options = { redirect: 'manual', headers, signal: first.signal } as const
    const answer = fetch(url.replace('https://id.signet.test', service.baseUrl), options).catch(() => {})
    await signIns.receiver.waitFor(path, 1)
    first.abort()
    await answer
    return { begun, url, letGo: () => as('POST', `${webhook}/dry-run`) }
  }

  test('A browser that asks again gets a page that asks again by itself, and is sent on when the sign-in has ended', async () => {
    const { begun, url, letGo } = await leaveAmid()
    const page = await tenant.browser.go(url)
    expect([page.status, page.headers.get('refresh')]).toEqual([200, '2'])
    expect(page.html).toContain('You are being signed in')
    expect((await openBrowser(() => service.baseUrl).go(url)).status).toBe(400)
    await letGo()
    await tenant.application.finish(begun, (await untilSentOn(url)).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('A browser that asks again is not kept waiting for a callback that has taken too long', async () => {
    const { url, letGo } = await leaveAmid()
    signIns.clock.set(signIns.clock.now() + finishMs)
    const page = await tenant.browser.go(url)
    signIns.clock.set(signIns.clock.now() - finishMs)
    expect(page.headers.get('refresh')).toBeNull()
    expect(page.html).not.toContain('You are being signed in')
    await letGo()
    await untilSentOn(url)
  })

  const untilSentOn = (url: string) =>
    vi.waitFor(async () => {
      const end = await tenant.browser.go(url)
      expect(end.status).toBe(0)
      return end
    }, patience)
})

describe('An unavailable database', () => {
  let browser: Browser
  beforeEach(() => {
    browser = openBrowser(() => service.baseUrl, undefined, { accept: 'text/html' })
  })

  /** Whatever waits for the table is told that it took too long. */
  async function goWithout(table: string, url: string): Promise<Page> {
    let isAnswered = false
    await signIns.inside.query('begin')
    await signIns.inside.query(`lock table ${table} in access exclusive mode`)
    const going = browser.go(url, { person: ada }).finally(() => {
      isAnswered = true
    })
    const cancelling = vi.waitFor(async () => {
      // Amid a transaction it goes on seeing the connections that there were when it first looked.
      await signIns.inside.query('select pg_stat_clear_snapshot()')
      // In this file's database: others wait in theirs, on the same PostgreSQL.
      await signIns.inside.query(
        `select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(isAnswered).toBe(true)
    }, patience)
    const [page] = await Promise.all([going, cancelling]).finally(() => signIns.inside.query('rollback'))
    return page
  }

  /** When what was looked up before is looked up again. */
  function later<Result>(work: () => Promise<Result>): Promise<Result> {
    signIns.clock.set(signIns.clock.now() + cacheTtlMs)
    return work().finally(() => signIns.clock.set(signIns.clock.now() - cacheTtlMs))
  }

  const expectAway = ({ status, headers, html }: Page) => {
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(html).toContain('Signing in is not possible right now')
  }

  test('The authorize endpoint, which stores the request, says that the database is unavailable and when to come again', async () => {
    const begun = await tenant.application.begin()
    const page = await goWithout('issuer_interactions', begun.url)
    expectAway(page)
    expect(page.url).toBe(begun.url)
    expect(browser.cookiesFor(begun.url)).toBe('')
    await tenant.application.finish(begun, (await browser.go(begun.url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The page where authorize leads when it cannot begin a sign-in says that the database is unavailable', async () => {
    const begun = await tenant.application.begin()
    const page = await goWithout('flows', begun.url)
    expectAway(page)
    expect(page.url).toMatch(flowPage)
    expect(await tenant.events()).toEqual([])
    await tenant.application.finish(begun, (await browser.go(page.url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The authorize endpoint whose issuer cannot be looked up says that the database is unavailable', async () => {
    const begun = await tenant.application.begin()
    expectAway(await later(() => goWithout('issuer_keys', begun.url)))
  })

  test('The authorize endpoint whose credentials cannot be looked up says so by way of the page', async () => {
    const begun = await tenant.application.begin()
    const page = await later(() => goWithout('oidc_credentials', begun.url))
    expectAway(page)
    expect(page.url).toMatch(/\/sso\/flows\//)
    await tenant.application.finish(begun, (await browser.go(page.url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The page where one chooses says that the database is unavailable', async () => {
    await tenant.addCredential(providers.okta, other)
    const begun = await tenant.application.begin()
    const { url } = await browser.go(begun.url, { stopAt: flowPage })
    expectAway(await goWithout('flows', url))
    const [, credential = ''] = /value="([^"]+)">signet</.exec((await browser.go(url)).html) ?? []
    await tenant.application.finish(begun, (await browser.go(url, { form: { credential }, person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('A callback says that the database is unavailable when it begins', async () => {
    const begun = await tenant.application.begin()
    const { url } = await browser.go(begun.url, { person: ada, stopAt: callback })
    const page = await goWithout('flows', url)
    expectAway(page)
    expect(page.url).toBe(url)
    await tenant.application.finish(begun, (await browser.go(url)).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test.each([
    ['the issuer is looked up again', 'issuer_keys'],
    ['the result is read', 'issuer_interactions'],
    ['the session of before is read', 'issuer_sessions'],
    ['the code is to be written', 'issuer_tokens'],
  ])('The way back says that the database is unavailable when %s', async (_, table) => {
    await tenant.application.signIn(browser, { person: ada })
    const begun = await tenant.application.begin({ prompt: 'login' })
    const { url } = await browser.go(begun.url, { person: ada, stopAt: wayBack })
    const page = await later(() => goWithout(table, url))
    expectAway(page)
    expect(page.url).toBe(url)
    await tenant.application.finish(begun, (await browser.go(url)).url)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })
})

test.each(['x', '01890a5d-ac96-774b-bcce-b302099a8057'])('A callback of no credential, %s, is none', async (id) => {
  const { url } = await attempt({ stopAt: callback })
  const { search } = new URL(url)
  expect((await openBrowser(() => service.baseUrl).go(`https://id.signet.test/sso/callback/${id}`)).status).toBe(400)
  expect((await tenant.browser.go(`https://id.signet.test/sso/callback/x${search}`)).status).toBe(400)
  expect(errorIn(await tenant.browser.go(url))).toBeUndefined()
})

test('A HEAD request uses up nothing', async () => {
  const { url } = await attempt({ stopAt: callback })
  const headers = { cookie: tenant.browser.cookiesFor(url) }
  await fetch(url.replace('https://id.signet.test', service.baseUrl), { method: 'HEAD', redirect: 'manual', headers })
  expect((await tenant.browser.go(url)).url).toContain(`${application}callback?code=`)
})

describe('Requests without a way to sign in', () => {
  const misconfigured = new URLSearchParams({
    error: 'server_error',
    error_description: 'the sign-in failed: credential_misconfigured',
  })

  test.each([
    ['an idp that is no credential', 'nobody'],
    ['an idp that no database stores', 'a\0b'],
    ['an idp of no ASCII', '\u{1F600}'],
    ['an idp that is too long', 'x'.repeat(5_000)],
  ])('A request with %s is reported to the application and has no event', async (_, idp) => {
    const { url } = await attempt({ params: { idp } })
    expect(url).toMatch(/^https:\/\/app\.test\//)
    expect(url).toContain(String(misconfigured))
    expect(await tenant.events()).toEqual([])
  })

  test('A request to an organization without any credential is reported to the application and has no event', async () => {
    await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
    expect((await attempt()).url).toContain(String(misconfigured))
    expect(await tenant.events()).toEqual([])
  })

  test('A person who chose from the page and came too late had begun a sign-in, and it has its event', async () => {
    await tenant.addCredential(providers.google, other)
    const page = await attempt()
    const [, credential = ''] = /name="credential" value="([^"]+)"/.exec(page.html) ?? []
    for (const id of ['signet', other.client_id])
      await as('DELETE', `/organizations/sso/oidc/provider-credentials/${id}`)
    const end = await tenant.browser.go(page.url, { form: { credential } })
    expect(end.url).toContain(String(misconfigured))
    expect(await tenant.endings()).toEqual(['credential_misconfigured'])
  })
})

test('A link to sign in at an unavailable provider has no event; the browser that goes on is told, and once', async () => {
  await tenant.addCredential(providers.away, other)
  await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
  const { url } = await tenant.application.begin()
  const followed = await fetch(url.replace('https://id.signet.test', service.baseUrl), { redirect: 'manual' })
  const { url: page } = await tenant.browser.go(url, { stopAt: flowPage })
  for (const way of [followed.headers.get('location') ?? '', page]) {
    expect(new URL(way, page).href).toMatch(flowPage)
    expect((await openBrowser(() => service.baseUrl).go(new URL(way, page).href)).status).toBe(400)
  }
  const { rows } = await signIns.inside.query('select result from issuer_interactions where org_id = $1', [
    tenant.organization.id,
  ])
  expect(rows).toEqual([{ result: null }, { result: null }])
  expect(await tenant.events()).toEqual([])
  const end = await tenant.browser.go(page)
  expect(end.url).toContain(`${application}callback?error=server_error`)
  expect(new URL(end.url).searchParams.get('error_description')).toBe('the sign-in failed: provider_unreachable')
  expect((await tenant.browser.go(page)).status).toBe(400)
  expect(await tenant.events()).toEqual([
    expect.objectContaining({
      event_metadata: expect.objectContaining({ event_name: 'AuthenticationFailed_v1' }),
      failure_reason: 'provider_unreachable',
    }),
  ])
})

test('A browser that goes back to a callback changes nothing', async () => {
  const back = await attempt({ stopAt: callback })
  expect(errorIn(await tenant.browser.go(back.url))).toBeUndefined()
  expect((await tenant.browser.go(back.url)).status).toBe(400)
  expect((await openBrowser(() => service.baseUrl).go(back.url)).status).toBe(400)
  expect(await tenant.endings()).toEqual(['succeeded'])
})
