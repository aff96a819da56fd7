import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { openBrowser } from '../support/browser.ts'
import { attempt, flowPage } from '../support/failing-sign-ins.ts'
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
import { ada, providers, type Tenant } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

const mallory = { sub: 'mallory-1', email: 'Mallory@gmail.com', email_verified: true, name: 'Mallory' }

const ask = (query: Record<string, string> = {}, path = '/organizations/sign-ins') =>
  as('GET', `${path}?${new URLSearchParams(query)}`)
const list = async (query?: Record<string, string>) => (await ask(query)).body.result
const reasons = async (query?: Record<string, string>) =>
  (await list(query)).map(({ failure_reason = 'succeeded' }) => failure_reason)

/** As a browser that nobody has used. */
async function comeAs(person: object, params: Record<string, string> = {}) {
  const { url } = await tenant.application.begin({ idp: 'signet', ...params })
  await openBrowser(() => service.baseUrl).go(url, { person })
}

async function comeWithWrongState() {
  const browser = openBrowser(() => service.baseUrl)
  const { url } = await tenant.application.begin({ idp: 'signet' })
  const back = new URL((await browser.go(url, { person: ada, stopAt: callback })).url)
  back.searchParams.set('state', 'x')
  await browser.go(back.href)
}

async function addHook() {
  const path = `/${tenant.organization.id}/hook`
  const webhook = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
  const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  await as('POST', `/organizations/webhooks/${webhook}/triggers`, trigger)
  return path
}

const deny = (settings: object = { self_registration: false }) => as('PATCH', '/organizations/settings', settings)

/** One who signs in, and one whom nobody knows. */
async function twoSignIns() {
  const { sub: adaId } = await tenant.application.signIn(tenant.browser, { person: ada })
  await deny()
  await comeAs(mallory)
  return { adaId }
}

describe('The list of sign-ins', () => {
  test('The list of sign-ins says of each one how it ended, who it was, where it came from and by what', async () => {
    const { adaId } = await twoSignIns()
    const [events] = [(await tenant.events()).reverse()]
    const rows = await list()
    const common = {
      provider: 'provider_a',
      oauth_client_id: 'signet',
      client_id: tenant.application.clientId,
      client_ip_address: '127.0.0.1',
      user_agent: 'A browser',
    }
    expect(rows).toEqual([
      {
        ...common,
        event_id: events[0].event_metadata.event_id,
        at: expect.stringContaining(events[0].event_metadata.timestamp.slice(0, 23)),
        status: 'failed',
        failure_reason: 'registration_not_allowed',
        handle: { type: 'EmailAddress', hash: expect.any(String), value: 'Mallory@gmail.com', verified: true },
      },
      {
        ...common,
        event_id: events[1].event_metadata.event_id,
        at: expect.any(String),
        status: 'succeeded',
        person_id: adaId,
        handle: { type: 'EmailAddress', hash: expect.any(String), value: ada.email, verified: true },
      },
    ])
    expect(rows[0].handle.hash).not.toBe(rows[1].handle.hash)
  })

  test('The list of sign-ins has each ending once, whatever it was, and no test of an event', async () => {
    await tenant.addCredential(providers.away, other)
    await tenant.application.signIn(tenant.browser, { person: ada, params: { idp: 'signet' } })
    await tenant.application.signIn(tenant.browser, { params: { idp: 'signet' } })
    await attempt({ params: { prompt: 'login', idp: other.client_id } })
    await comeAs({ ...ada, refuse: true })
    const page = await attempt({ params: { prompt: 'login' }, stopAt: flowPage })
    await tenant.browser.go(page.url, { form: { cancel: 'yes' } })
    await comeWithWrongState()
    await as('POST', '/test-events', [
      { event_name: 'AuthenticationSucceeded_v1' },
      { event_name: 'AuthenticationFailed_v1' },
    ])
    const real = (await tenant.events()).filter(
      ({ event_metadata: { is_test_event, event_type } }) => !is_test_event && /^Authentication/.test(event_type),
    )
    expect(await reasons()).toEqual(real.map(({ failure_reason = 'succeeded' }) => failure_reason).reverse())
    expect(new Set(await reasons())).toEqual(
      new Set(['succeeded', 'provider_unreachable', 'oidc_access_denied', 'flow_cancelled', 'oidc_state_mismatch']),
    )
    // The one with the session of the browser.
    expect(
      (await list({ status: 'succeeded' })).map(({ handle }: { handle?: object }) => handle !== undefined),
    ).toEqual([false, true])
  })

  test('The list of sign-ins has the address of whom a hook, the limit or an administrator keeps out', async () => {
    const { sub } = await tenant.application.signIn(
      openBrowser(() => service.baseUrl),
      { person: ada },
    )
    const path = await addHook()
    signIns.receiver.behave(path, { body: JSON.stringify({ deny: { reason: 'No', code: 'no' } }) })
    await comeAs(mallory)
    signIns.receiver.behave(path, { status: 500 })
    await comeAs(mallory)
    signIns.receiver.behave(path, { body: '{}' })
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    await comeAs(mallory)
    await as('PATCH', `/persons/${sub}`, { active: false })
    await comeAs(ada)
    const rows = await list({ status: 'failed' })
    expect(
      rows.map(({ failure_reason, person_id, handle }: Row) => [failure_reason, person_id, handle?.value]),
    ).toEqual([
      ['person_not_active', sub, ada.email],
      ['person_limit_reached', undefined, mallory.email],
      ['sync_hook_failed', undefined, mallory.email],
      ['sync_hook_denied', undefined, mallory.email],
    ])
  }, 60_000)
})

type Row = { failure_reason?: string; person_id?: string; handle?: { value?: string; hash: string; verified: boolean } }

describe('A filter of the sign-ins', () => {
  test('A filter of the sign-ins leaves those that match, alone and with another', async () => {
    const { adaId } = await twoSignIns()
    const end = new Date(Date.now() + 60_000).toISOString()
    const found: [Record<string, string>, string[]][] = [
      [{ status: 'succeeded' }, ['succeeded']],
      [{ status: 'failed' }, ['registration_not_allowed']],
      [{ failure_reason: 'registration_not_allowed' }, ['registration_not_allowed']],
      [{ failure_reason: 'flow_expired' }, []],
      [{ failure_reason: 'registration_not_allowed', status: 'succeeded' }, []],
      [{ person_id: adaId.toUpperCase() }, ['succeeded']],
      [{ person_id: adaId, status: 'failed' }, []],
      [{ person_id: adaId, failure_reason: 'unspecified' }, []],
      [{ person_id: adaId, handle: `EmailAddress:${ada.email}`, client_ip_address: '127.0.0.1' }, ['succeeded']],
      [{ person_id: adaId, handle: `EmailAddress:${mallory.email}` }, []],
      // Spelt otherwise.
      [{ handle: 'EmailAddress:mALLORY@GMAIL.com' }, ['registration_not_allowed']],
      [{ handle: `EmailAddress:${mallory.email}`, status: 'succeeded' }, []],
      [{ handle: 'PhoneNumber:+12025550123' }, []],
      [{ client_ip_address: '127.0.0.1' }, ['registration_not_allowed', 'succeeded']],
      [{ client_ip_address: '127.0.0.1', status: 'succeeded' }, ['succeeded']],
      [{ client_ip_address: '0:0::FFFF:127.0.0.1', status: 'succeeded' }, ['succeeded']],
      [{ client_ip_address: '192.0.2.1' }, []],
      [{ since: '2020-01-01T00:00:00Z', until: end }, ['registration_not_allowed', 'succeeded']],
      [{ since: end }, []],
      [{ until: '2020-01-01T00:00:00Z' }, []],
    ]
    for (const [query, expected] of found) expect([query, await reasons(query)]).toEqual([query, expected])
  })

  test('A filter of the sign-ins by time begins with its moment and ends before it', async () => {
    await twoSignIns()
    const [, { at }] = await list()
    expect(await reasons({ since: at })).toEqual(['registration_not_allowed', 'succeeded'])
    expect(await reasons({ until: at })).toEqual([])
  })

  test.each([
    [{ status: 'over' }, 'status: must be one of succeeded, failed'],
    [{ failure_reason: 'succeeded' }, 'failure_reason: must be one of oidc_provider_error'],
    [{ handle: 'jo@example.com' }, 'handle: must be EmailAddress: or PhoneNumber: followed by a value of that type'],
    [{ handle: 'EmailAddress:jo' }, 'handle: must be EmailAddress: or PhoneNumber: followed by a value of that type'],
    [{ handle: `EmailAddress:${'x'.repeat(400)}` }, 'handle: must be'],
    [{ person_id: 'ada' }, 'person_id: must be'],
    [{ client_ip_address: `${'1'.repeat(50)}` }, 'client_ip_address: must be an IP address'],
    [{ client_ip_address: '127.0.0.1%' }, 'client_ip_address: must be an IP address'],
    [{ since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'since: must not be after until'],
    [{ since: 'today' }, 'since: must be'],
    [{ after: 'x' }, 'after: must be a cursor of sign-ins'],
    [{ limit: '0' }, 'limit: must be'],
    [{ who: 'ada' }, 'who'],
  ] as [Record<string, string>, string][])(
    'A filter of the sign-ins that breaks its rule is refused (%j)',
    async (query, message) => {
      const { status, body } = await ask(query)
      expect([status, body.errors?.length]).toEqual([400, 1])
      expect(body.errors[0].message).toContain(message)
    },
  )

  test('A filter of the sign-ins takes no cursor of another list', async () => {
    const { body } = await ask({ limit: '1' }, '/events')
    const { status, body: refused } = await ask({ after: body.meta.next })
    expect([status, refused.errors[0].message]).toEqual([400, 'after: must be a cursor of sign-ins'])
  })
})

describe('Pages of sign-ins', () => {
  test('Pages of sign-ins have together what one page has', async () => {
    await twoSignIns()
    for (let times = 0; times < 3; times++) await comeAs(mallory)
    const whole = (await ask({})).body
    expect(whole.meta).toEqual({})
    for (const query of [{}, { status: 'failed' }, { client_ip_address: '127.0.0.1', status: 'failed' }] as Record<
      string,
      string
    >[]) {
      const rows: unknown[] = []
      for (let after = ''; ; ) {
        const { result, meta } = (await ask({ ...query, limit: '1', ...(after && { after }) })).body
        expect(result.length).toBeLessThanOrEqual(1)
        rows.push(...result)
        expect(meta.has_more ?? false).toBe(meta.next !== undefined)
        if (meta.next === undefined) break
        after = meta.next
      }
      expect(rows).toEqual(await list(query))
    }
  })
})

describe('Who reads sign-ins', () => {
  test('Who reads sign-ins needs the scopes of events and of persons', async () => {
    await twoSignIns()
    const withScopes = async (scopes: string[]) => {
      const { apiKey } = {
        apiKey: (await as('POST', '/organizations/api-keys', { name: 'k', scopes })).body.result.api_key,
      }
      const read = (path: string) => service.as({ ...tenant.organization, apiKey }, 'GET', path)
      return [(await read('/organizations/sign-ins')).status, (await read('/organizations/events')).status]
    }
    expect(await withScopes(['events:read'])).toEqual([403, 200])
    expect(await withScopes(['persons:read'])).toEqual([403, 403])
    expect(await withScopes(['events:read', 'persons:read'])).toEqual([200, 200])
  })

  test('Who reads sign-ins sees those of the own organization, and the same address has another hash in another one', async () => {
    await twoSignIns()
    const [first] = await list({ handle: `EmailAddress:${mallory.email}` })
    const { result } = (await ask({ limit: '1' })).body
    const [{ event_id }] = result
    await newTenant()
    expect(await list()).toEqual([])
    expect(await list({ handle: `EmailAddress:${mallory.email}` })).toEqual([])
    await twoSignIns()
    const [second] = await list({ handle: `EmailAddress:${mallory.email}` })
    expect(second.event_id).not.toBe(event_id)
    expect(second.handle.hash).not.toBe(first.handle.hash)
  })
})

describe('What a sign-in leaves of a person', () => {
  test('What a sign-in leaves of a person who is deleted is a hash, also where nobody was recognised', async () => {
    await deny()
    await comeAs(ada)
    await deny({ self_registration: true })
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await deny()
    await comeAs(mallory)
    const handle = `EmailAddress:${ada.email}`
    const before: Row[] = await list({ handle })
    expect(before.map(({ person_id, handle }) => [person_id, handle?.value])).toEqual([
      [sub, ada.email],
      [undefined, ada.email],
    ])
    expect((await as('DELETE', `/persons/${sub}`)).status).toBe(204)
    const after: Row[] = await list({ handle })
    expect(after.map(({ person_id, handle }) => [person_id, handle])).toEqual(
      before.map(({ person_id, handle }) => [person_id, { type: 'EmailAddress', hash: handle?.hash, verified: true }]),
    )
    expect((await list({ person_id: sub })).length).toBe(1)
    const { rows } = await signIns.inside.query(
      'select handle_value from events where org_id = $1 and handle_value is not null',
      [tenant.organization.id],
    )
    expect(rows).toEqual([{ handle_value: mallory.email }])
  })

  test('What a sign-in leaves of a person who is deleted is a hash, also where the master key was rotated since', async () => {
    await deny()
    await comeAs(ada)
    await deny({ self_registration: true })
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    const rotated = await signIns.startNode({ keyring: makeKeyring(`${makeMasterKey()},${signIns.masterKey}`) })
    onTestFinished(() => rotated.stop())
    expect((await rotated.as(tenant.organization, 'DELETE', `/persons/${sub}`)).status).toBe(204)
    expect((await list()).map(({ handle }: Row) => handle?.value)).toEqual([undefined, undefined])
  })

  test('What a sign-in leaves of a person who is deleted while it fails is a hash', async () => {
    const { sub } = await tenant.application.signIn(
      openBrowser(() => service.baseUrl),
      { person: ada },
    )
    const path = await addHook()
    signIns.receiver.behave(path, { body: JSON.stringify({ deny: { reason: 'No', code: 'no' } }), delayMs: 1_500 })
    const failing = comeAs(ada)
    await signIns.receiver.waitFor(path, 1)
    expect((await as('DELETE', `/persons/${sub}`)).status).toBe(204)
    await failing
    const rows: Row[] = await list({ person_id: sub })
    expect(rows.map(({ failure_reason, handle }) => [failure_reason, handle?.value])).toEqual([
      ['sync_hook_denied', undefined],
      [undefined, undefined],
    ])
    expect(rows[0]?.handle?.hash).toBe(rows[1]?.handle?.hash)
  })

  test('What a sign-in leaves of a person has the hash that the audit log has', async () => {
    const { adaId } = await twoSignIns()
    await as('DELETE', `/persons/${adaId}`)
    const [{ before }] = (await as('GET', `/organizations/audit-log?target=${adaId}`)).body.result
    const [row] = await list({ person_id: adaId })
    expect(before.handles).toEqual([expect.objectContaining({ hash: row.handle.hash })])
  })
})

describe('What somebody makes up', () => {
  test('What somebody makes up of an address names no person, and says that nobody vouches for it', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await comeAs({ ...mallory, email: ada.email, email_verified: false })
    const [row]: Row[] = await list()
    expect(row?.person_id).not.toBe(sub)
    expect(row?.handle).toMatchObject({ value: ada.email, verified: false })
    expect(await list({ person_id: sub })).toHaveLength(1)
  })

  test.each([
    '<img src=x>@example.com',
    `${'a'.repeat(300)}@example.com`,
    '=cmd|x!@',
    'no address',
    'a\u0000@example.com',
  ])('What somebody makes up that is no address of a mailbox is not in the list (%j)', async (email) => {
    await deny()
    await comeAs({ ...mallory, email })
    const rows: Row[] = await list()
    expect(rows.map(({ handle }) => handle)).toEqual(rows.map(() => undefined))
    expect(rows).toHaveLength(1)
  })

  test('What somebody makes up by a page event is no sign-in', async () => {
    await as('POST', '/test-events', [{ event_name: 'AuthenticationFailed_v1', failure_reason: 'unspecified' }])
    expect(await list()).toEqual([])
  })
})

const eventsOf = async (of: Pick<Tenant, 'organization'>, query: Record<string, string> = {}) =>
  (await service.as(of.organization, 'GET', `/organizations/events?${new URLSearchParams(query)}`)).body.result

describe('The list of events', () => {
  test('The list of events has what the feed has, the newest first', async () => {
    await twoSignIns()
    await as('POST', '/test-events', [{ event_name: 'PersonDeleted_v1' }])
    const feed = (await as('GET', '/events')).body.result
    expect(feed.length).toBe(4)
    expect(await eventsOf(tenant)).toEqual(feed.toReversed())
    expect(await eventsOf(tenant, { event_name: 'Authentication*' })).toEqual(
      feed
        .filter(({ event_metadata: { event_type } }: { event_metadata: { event_type: string } }) =>
          /^Authentication/.test(event_type),
        )
        .toReversed(),
    )
  })

  test('The list of events has all that is about one person, also one who was deleted, and no test events', async () => {
    const { adaId } = await twoSignIns()
    await as('PATCH', `/persons/${adaId}`, { active: false })
    await as('PATCH', `/persons/${adaId}`, { active: true })
    await as('POST', '/test-events', [{ event_name: 'PersonDeleted_v1', person_id: adaId }])
    await as('POST', '/persons', { handles: [] })
    await as('DELETE', `/persons/${adaId}`)
    const names = async (query: object = {}) =>
      (await eventsOf(tenant, { person_id: adaId, ...query })).map(
        ({ event_metadata }: { event_metadata: { event_type: string } }) => event_metadata.event_type,
      )
    expect(await names()).toEqual([
      'PersonDeleted',
      'PersonActivated',
      'PersonDeactivated',
      'AuthenticationSucceeded',
      'PersonCreated',
    ])
    expect(await names({ event_name: 'PersonA*' })).toEqual(['PersonActivated'])
    const { body } = await ask({ person_id: adaId, limit: '2' }, '/organizations/events')
    expect(body.meta).toEqual({ next: expect.any(String), has_more: true })
  })

  test('The list of events refuses a name that no event has', async () => {
    const { status, body } = await ask({ event_name: 'Nothing' }, '/organizations/events')
    expect([status, body.errors[0].message]).toEqual([
      400,
      expect.stringContaining('event_name: no event has the name'),
    ])
  })
})
