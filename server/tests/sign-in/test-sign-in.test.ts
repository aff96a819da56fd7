import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { createCredentials } from '../../src/identity/credentials/index.ts'
import { endStalledFlows } from '../../src/identity/sign-in/index.ts'
import { removeExpired } from '../../src/start/remove-expired.ts'
import { type Browser, type Going, openBrowser } from '../support/browser.ts'
import { makeKeyring, type Service } from '../support/service.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import type { Organization } from '../support/signet.ts'
import { client, startOauthProviders, type Upstreams } from '../support/upstreams.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'

const minuteMs = 60_000
const callback = /\/sso\/callback\//
const path = (clientId: string = client.clientId) => `/organizations/sso/oidc/provider-credentials/${clientId}`
const octocat = {
  user: { id: 7, login: 'octocat' },
  emails: [{ email: 'o@example.com', primary: true, verified: true }],
}

let oauth: Upstreams<'github' | 'bitbucket'>
let signIns: SignIns
let service: Service
let tenant: Tenant

beforeAll(async () => {
  oauth = await startOauthProviders()
  const { github, bitbucket } = oauth.urls
  signIns = await startSignIns((hostile) => ({
    provider_b: {
      authorization_endpoint: `${github}/login/oauth/authorize`,
      token_endpoint: `${github}/login/oauth/access_token`,
      user_endpoint: `${github}/api/user`,
      emails_endpoint: `${github}/api/user/emails`,
    },
    provider_c: {
      authorization_endpoint: `${bitbucket}/site/oauth2/authorize`,
      token_endpoint: `${bitbucket}/site/oauth2/access_token`,
      user_endpoint: `${bitbucket}/2.0/user`,
      emails_endpoint: `${bitbucket}/absent`,
    },
    provider_g: { issuer: `${hostile}/entra-of-one/{tenant}/v2.0` },
    provider_h: { issuer: `${hostile}/aud-other` },
  }))
  service = signIns.service
})
afterAll(() => Promise.all([signIns?.stop(), oauth?.stop()]))
beforeEach(async () => {
  tenant = await signIns.tenant()
})

const as = (method: string, where: string, body?: unknown) => service.as(tenant.organization, method, where, body)

/** The only credential that the tenant has from then on. */
async function useProvider(provider: string, fields: object = {}) {
  await as('DELETE', path())
  return tenant.addCredential(provider, fields)
}

async function begin(clientId?: string): Promise<{ id: string; url: string }> {
  const { status, body } = await as('POST', `${path(clientId)}/test`)
  expect(status).toBe(201)
  return body.result
}

const read = async (id: string, by: Organization = tenant.organization) =>
  (await service.as(by, 'GET', `${path()}/test/${id}`)).body.result

/** A test as far as it gets, and what its key is told. */
async function attempt(going: Going = {}, browser: Browser = tenant.browser) {
  const { id, url } = await begin()
  const page = await browser.go(url, { person: ada, ...going })
  return { id, page, result: await read(id) }
}

type Step = { step: string; status: string; field?: string; message?: string; detail?: string }
const failedIn = ({ steps }: { steps: Step[] }) => {
  const { step, field } = steps.find(({ status }) => status === 'failed') ?? { step: 'none' }
  return [step, field]
}

async function rowsOf(...tables: string[]): Promise<number> {
  const each = tables.map((table) => `select 1 from ${table} where org_id = $1`)
  return (await signIns.inside.query(each.join(' union all '), [tenant.organization.id])).rows.length
}

/** How many rows a sign-in would have left. */
const traces = async () => {
  const tables = ['persons', 'identities', 'events', 'issuer_interactions', 'issuer_sessions', 'issuer_tokens']
  return rowsOf(...tables, 'deliveries', 'finished_deliveries')
}

async function addKey(fields: object): Promise<Organization> {
  const { body } = await as('POST', '/organizations/api-keys', fields)
  return { id: tenant.organization.id, apiKey: body.result.api_key }
}

const withDatabase = async (work: (database: Database) => Promise<void>) => {
  const database = openDatabase(signIns.connection)
  await work(database).finally(database.close)
}
const endStalled = async (database: Database) => {
  const publish = vi.fn()
  const onOutcome = vi.fn()
  const log = { info: vi.fn(), error: vi.fn() }
  const { clock } = signIns
  const credentials = createCredentials({ database, clock, keyring: makeKeyring(signIns.masterKey) })
  await endStalledFlows({ database, clock, credentials, publish, onOutcome, log }, signal)
  expect([publish, onOutcome, log.error].flatMap(({ mock }) => mock.calls)).toEqual([])
}
const { signal } = new AbortController()

describe('A test sign-in that works', () => {
  test('Of an OpenID provider it shows every step, and the claims once; nothing else is left of it', async () => {
    const hook = `/${tenant.organization.id}/hook`
    const webhook = await addWebhook(service, tenant.organization, signIns.receiver.url(hook), eventNames)
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await as('POST', `/organizations/webhooks/${webhook}/triggers`, trigger)

    const { id, url } = await begin()
    expect(url).toMatch(/^https:\/\/id\.signet\.test\/sso\/tests\/[\da-f-]{36}\/[\w-]{43}$/)
    expect(await read(id)).toMatchObject({
      status: 'pending',
      steps: [{ step: 'discovery', status: 'pending' }, {}, {}, {}, {}, {}],
    })
    const back = await tenant.browser.go(url, { person: ada, stopAt: callback })
    expect((await read(id)).steps.slice(0, 3)).toMatchObject([
      { step: 'discovery', status: 'ok' },
      { step: 'state', status: 'pending' },
      { step: 'authorization', status: 'pending', message: expect.stringContaining('callback URL') },
    ])
    const page = await tenant.browser.go(back.url)
    expect(page).toMatchObject({ status: 200, html: expect.stringContaining('You may close this window') })

    const result = await read(id)
    const names = ['discovery', 'state', 'authorization', 'token', 'id_token', 'claims']
    expect(result).toMatchObject({ id, status: 'ok', steps: names.map((step) => ({ step, status: 'ok' })) })
    expect(result.steps.at(-1)).toMatchObject({ detail: 'new' })
    expect(result.claims).toEqual({
      issuer: expect.any(String),
      subject: 'ada-1',
      email: ada.email,
      email_verified: true,
      name: 'Ada',
    })
    expect(await read(id)).toEqual({ ...result, claims: undefined })
    expect(tenant.browser.cookiesFor(url)).toBe('')
    expect([await traces(), signIns.receiver.received(hook)]).toEqual([0, []])

    const audit = (await as('GET', '/organizations/audit-log?action=createTestSignIn')).body.result
    expect(audit).toMatchObject([{ target: { type: 'oidc_credential', id: client.clientId }, after: { test: { id } } }])
    expect(JSON.stringify(audit)).not.toContain(url.slice(-43))
  })

  test('Of an OAuth provider it has other steps, and tells that the person is known', async () => {
    await useProvider('provider_b')
    await tenant.application.signIn(tenant.browser, { person: octocat })
    const before = await traces()
    const { result } = await attempt({ person: octocat })
    expect(result.steps.map(({ step, status }: Step) => `${step} ${status}`)).toEqual(
      ['state', 'authorization', 'token', 'userinfo', 'emails', 'claims'].map((step) => `${step} ok`),
    )
    expect(result.steps.at(-1)).toMatchObject({ detail: 'known' })
    expect(result.claims).toMatchObject({ subject: '7', email: 'o@example.com' })
    expect(await traces()).toBe(before)
  })
})

describe('A test sign-in that fails', () => {
  const wrongSecret = { client_secret: 'a-wrong-secret-of-forty-characters-012345' }
  const refused = (error: string) => ({ ...octocat, refuse: { error, error_description: 'no' } })
  const cases: [what: string, step: string, field: string | undefined, act: () => Promise<unknown>, person?: object][] =
    [
      ['secret', 'token', 'client_secret', () => as('PATCH', path(), wrongSecret)],
      ['secret at an OAuth provider', 'token', 'client_secret', () => useProvider('provider_b', wrongSecret), octocat],
      [
        'scope',
        'authorization',
        'options.provider_b.authorize_scopes',
        () => useProvider('provider_b'),
        refused('invalid_scope'),
      ],
      [
        'callback URL',
        'authorization',
        'callback_url',
        () => useProvider('provider_b'),
        refused('redirect_uri_mismatch'),
      ],
      ['refusal of the person', 'authorization', undefined, async () => {}, { ...ada, refuse: true }],
      [
        'tenant',
        'discovery',
        'options.provider_g.tenant',
        () =>
          useProvider('provider_g', { options: { provider_g: { tenant: 'aaaaaaaa-2222-4333-8444-555555555555' } } }),
      ],
      ['ID token for another client', 'id_token', 'client_id', () => useProvider(providers.okta)],
      ['ID token of no allowed algorithm', 'id_token', undefined, () => useProvider(providers.lying)],
      ['profile', 'userinfo', undefined, () => useProvider('provider_c'), { user: { type: 'team' } }],
      [
        'list of addresses',
        'emails',
        undefined,
        () => useProvider('provider_c'),
        { user: { type: 'user', uuid: '{1}' } },
      ],
      [
        'domain',
        'claims',
        'allowed_email_domains',
        () => as('PATCH', '/organizations/settings', { allowed_email_domains: ['example.org'] }),
      ],
      [
        'registration',
        'claims',
        'self_registration',
        () => as('PATCH', '/organizations/settings', { self_registration: false }),
      ],
    ]

  test.each(cases)('A wrong %s: the step %s, and the field %s', async (_what, step, field, act, person = ada) => {
    await act()
    const { page, result } = await attempt({ person })
    expect([result.status, ...failedIn(result)]).toEqual(['failed', step, field])
    const after = result.steps.slice(result.steps.findIndex(({ status }: Step) => status === 'failed') + 1)
    expect(after.every(({ status }: Step) => status === 'pending')).toBe(true)
    expect('claims' in result).toBe(step === 'claims')
    expect(page).toMatchObject({ status: 200, html: expect.stringContaining('The test is over') })
    expect(JSON.stringify(result)).not.toMatch(/secret-of-forty/)
    expect(await traces()).toBe(0)
  })

  test('A client that the provider does not know stays at its page, and the test says what to compare', async () => {
    await as('POST', '/organizations/sso/oidc/provider-credentials', {
      client_id: 'nobody',
      client_secret: client.clientSecret,
      provider: 'provider_a',
    })
    const { id, url } = await begin('nobody')
    expect((await tenant.browser.go(url, { person: ada })).status).toBe(400)
    const { body } = await as('GET', `${path('nobody')}/test/${id}`)
    expect(body.result.status).toBe('pending')
    expect(body.result.steps[2]).toMatchObject({ status: 'pending', message: expect.stringContaining('client ID') })
  })

  test('A person who has no room in the tier is refused', async () => {
    tenant = await signIns.tenant({ pricing_tier: 'full' })
    const { result } = await attempt()
    expect(result.steps.at(-1)).toMatchObject({ status: 'failed', detail: expect.stringContaining('at most 0') })
    expect(await traces()).toBe(0)
  })
})

describe('Who may', () => {
  test('Another key sees the steps, and neither gets nor spends the claims; only admin keys test', async () => {
    const [admin, narrow] = await Promise.all([addKey({ name: 'Other' }), addKey({ scopes: ['credentials:write'] })])
    const { id, url } = await begin()
    await tenant.browser.go(url, { person: ada })
    for (const key of [admin, narrow]) {
      const { status, claims } = await read(id, key)
      expect([status, claims]).toEqual(['ok', undefined])
    }
    expect((await read(id)).claims).toMatchObject({ subject: 'ada-1' })
    expect((await service.as(narrow, 'POST', `${path()}/test`)).status).toBe(403)
  })

  test('Another organization does not find it, nor does another credential', async () => {
    const { id, url } = await begin()
    const other = await signIns.tenant()
    expect((await service.as(other.organization, 'GET', `${path()}/test/${id}`)).status).toBe(404)
    await as('POST', '/organizations/sso/oidc/provider-credentials', {
      client_id: 'another',
      client_secret: 's',
      provider: 'provider_a',
    })
    expect((await as('GET', `${path('another')}/test/${id}`)).status).toBe(404)
    const elsewhere = url.replace(tenant.organization.id, other.organization.id)
    expect((await tenant.browser.go(elsewhere)).status).toBe(400)
  })

  test('A link works once, and only the browser that opened it can finish', async () => {
    const { id, url } = await begin()
    const other = openBrowser(() => service.baseUrl)
    const back = await tenant.browser.go(url, { person: ada, stopAt: callback })
    expect(await other.go(url)).toMatchObject({ status: 400, html: expect.stringContaining('opened before') })
    await other.go(back.url)
    expect(failedIn(await read(id))).toEqual(['state', undefined])
    await tenant.browser.go(back.url)
    expect(failedIn(await read(id))).toEqual(['state', undefined])
  })

  test('A changed state ends it, and a callback that is replayed changes nothing', async () => {
    const { id, url } = await begin()
    const back = new URL((await tenant.browser.go(url, { person: ada, stopAt: callback })).url)
    const changed = new URL(back)
    changed.searchParams.set('state', 'f'.repeat(96))
    await tenant.browser.go(changed.href)
    const ended = await read(id)
    expect(failedIn(ended)).toEqual(['state', undefined])
    expect((await tenant.browser.go(back.href)).status).toBe(400)
    expect(await read(id)).toEqual(ended)
  })

  test('An organization that has used up its allowance of test events waits', async () => {
    await begin()
    await signIns.inside.query('update test_event_allowances set tokens = -1e6 where org_id = $1', [
      tenant.organization.id,
    ])
    const { status, headers } = await as('POST', `${path()}/test`)
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
  })
})

describe('A test stays a test', () => {
  test('Its callback ends no sign-in of the same browser, and that of a sign-in no test', async () => {
    const begun = await tenant.application.begin()
    const real = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
    const { id, url } = await begin()
    const tested = await tenant.browser.go(url, { person: { ...ada, sub: 'admin-1' }, stopAt: callback })

    await tenant.browser.go(tested.url)
    expect([await tenant.endings(), await rowsOf('persons')]).toEqual([[], 0])
    const result = await read(id)
    expect(result.claims).toMatchObject({ subject: 'admin-1' })
    const { url: arrived } = await tenant.browser.go(real.url)
    await tenant.application.finish(begun, arrived)
    expect(await tenant.endings()).toEqual(['succeeded'])
    expect(await tenant.persons()).toHaveLength(1)
    expect(await read(id)).toEqual({ ...result, claims: undefined })
  })

  test('With the code of a test nobody signs in, and with that of a sign-in no test goes well', async () => {
    const codeOf = (page: { url: string }) => new URL(page.url).searchParams.get('code') ?? ''
    const withCode = (page: { url: string }, code: string) => {
      const url = new URL(page.url)
      url.searchParams.set('code', code)
      return url.href
    }
    const real = await tenant.browser.go((await tenant.application.begin()).url, { person: ada, stopAt: callback })
    const { id, url } = await begin()
    const tested = await tenant.browser.go(url, { person: ada, stopAt: callback })
    await tenant.browser.go(withCode(real, codeOf(tested)))
    await tenant.browser.go(withCode(tested, codeOf(real)))
    expect([await tenant.endings(), await tenant.persons()]).toEqual([['oidc_provider_error'], []])
    expect(failedIn(await read(id))).toEqual(['token', undefined])
  })

  test('Its flow has no interaction, and the sweep of sign-ins, which publishes, leaves it alone', async () => {
    const { url } = await begin()
    await tenant.browser.go(url, { person: ada, stopAt: callback })
    const { rows } = await signIns.inside.query(
      `update flows set consumed_at = expires_at, begun_at = expires_at, expires_at = '2000-01-01' where org_id = $1
       returning interaction_uid`,
      [tenant.organization.id],
    )
    expect(rows).toEqual([{ interaction_uid: null }])
    await withDatabase(endStalled)
    expect([await rowsOf('flows'), await traces()]).toEqual([1, 0])
  })

  test('Its flow ends with it, so that a process of an earlier version has nothing to publish', async () => {
    await attempt()
    const { rows } = await signIns.inside.query(
      'select ended_at is not null as "hasEnded" from flows where org_id = $1',
      [tenant.organization.id],
    )
    expect(rows).toEqual([{ hasEnded: true }])
  })

  test('After fifteen minutes it has expired, and then nothing is left', async () => {
    const [used, unused] = [await begin(), await begin()]
    const back = await tenant.browser.go(used.url, { person: ada, stopAt: callback })
    const now = signIns.clock.now()
    signIns.clock.set(now + 15 * minuteMs + 1_000)
    try {
      expect((await tenant.browser.go(unused.url)).status).toBe(400)
      await tenant.browser.go(back.url)
      for (const { id } of [used, unused]) expect((await as('GET', `${path()}/test/${id}`)).status).toBe(404)
      await withDatabase(({ write }) => removeExpired(write, signIns.clock, signal))
      expect([await rowsOf('test_sign_ins'), await rowsOf('flows'), await traces()]).toEqual([0, 0, 0])
    } finally {
      signIns.clock.set(now)
    }
  })
})
