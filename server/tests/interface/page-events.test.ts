import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Headings, type Organization, type OwnSignet, startOwnSignet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const correlationId = '0199a3f2-0000-4000-8000-00000000abcd'
const event_name = 'VirtualPageLoaded_v1'
const window_location = 'https://app.test/orders?page=2#top'
const page = { event_name, analytics_correlation_id: correlationId, window_location }
const origin = 'https://app.test'
const foreign = 'https://evil.test'
const tokenRule = 'Authorization: must be absent, or Bearer with a valid ID token of this organization'
const locationRule = 'window_location: must be text of at most 2048 characters'

let receiver: Receiver
let signet: OwnSignet
let organization: Organization
/** Of the webhook that is called on page events of the organization. */
let path: string

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver })
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

beforeEach(async () => {
  organization = await signet.organization()
  path = `/${organization.id}`
  await addWebhook(signet, organization, receiver.url(path), [event_name])
})

const tell = (body: unknown, headers: Headings = {}, at: Pick<OwnSignet, 'call'> = signet) =>
  at.call('POST', '/sdk/events', { 'Service-OrgID': organization.id, ...headers }, body)

const addApplication = (...redirect_uris: string[]) =>
  signet.as(organization, 'POST', '/organizations/applications', { name: 'App', redirect_uris })

/** The contents that the webhook has received, as soon as there are so many. */
async function delivered(count: number) {
  const requests = await receiver.waitFor(path, count, 30_000)
  return requests.map(({ body }) => decodeJwt<{ trigger_content: Record<string, unknown> }>(body).trigger_content)
}

describe('A page event (6.1)', () => {
  // Proves 6.1/17.
  test('A page event needs no key: 202, and webhooks with the trigger get it, with all fields but those of a person', async () => {
    expect(await tell(page, { 'user-agent': 'A browser' })).toMatchObject({ status: 202, body: {} })
    expect(await delivered(1)).toEqual([
      {
        event_metadata: {
          is_test_event: false,
          event_id: expect.stringMatching(uuid),
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
          source: 2,
          event_type: 'VirtualPageLoaded',
          event_name,
          event_version: 1,
          organization_id: organization.id,
        },
        analytics_metadata: { analytics_correlation_id: correlationId, client_ip_address: '127.0.0.1' },
        browser_metadata: { user_agent: 'A browser', window_location },
      },
    ])
  })

  test('A page event has the correlation id of its body, else of Service-Correlation-Id, else a new one', async () => {
    const other = '0199a3f2-0000-4000-8000-00000000ffff'
    const { analytics_correlation_id: _, ...without } = page
    await tell({ ...page, analytics_correlation_id: correlationId.toUpperCase() }, { 'Service-Correlation-Id': other })
    await delivered(1)
    await tell(without, { 'Service-Correlation-Id': other })
    await delivered(2)
    await tell(without)
    const events = await delivered(3)
    expect(events.map(({ analytics_metadata }) => analytics_metadata)).toMatchObject([
      { analytics_correlation_id: correlationId },
      { analytics_correlation_id: other },
      { analytics_correlation_id: expect.stringMatching(uuid) },
    ])
  })

  test('A page event has the first 1,000 characters of the user agent', async () => {
    await tell(page, { 'user-agent': 'x'.repeat(1_001) })
    expect((await delivered(1))[0]).toMatchObject({ browser_metadata: { user_agent: 'x'.repeat(1_000) } })
  })

  test.each([0, 1, 2_048])('A page event may have a location of %i characters', async (length) => {
    const place = 'x'.repeat(length)
    expect((await tell({ ...page, window_location: place })).status).toBe(202)
    expect((await delivered(1))[0]).toMatchObject({ browser_metadata: { window_location: place } })
  })
})

describe('A page event that is refused', () => {
  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['event_name: is required', 'window_location: is required']],
    ['another event', { ...page, event_name: 'PersonCreated_v1' }, [`event_name: must be ${event_name}`]],
    ['a name without its version', { ...page, event_name: 'VirtualPageLoaded' }, [`event_name: must be ${event_name}`]],
    ['a location that is too long', { ...page, window_location: 'x'.repeat(2_049) }, [locationRule]],
    ['a location that is no text', { ...page, window_location: null }, [locationRule]],
    ['an id that is no UUID', { ...page, analytics_correlation_id: 'x' }, ['analytics_correlation_id: must be a UUID']],
    ['a person', { ...page, person_id: correlationId }, ['person_id: is not a known field']],
    ['a region', { ...page, region: 'eu' }, ['region: is not a known field']],
    ['metadata', { ...page, event_metadata: {} }, ['event_metadata: is not a known field']],
    ['an array of events', [page], ['body: must be an object']],
  ])('A page event with %s is 400, each message naming the field and the rule (7)', async (_what, body, messages) => {
    expect(await tell(body)).toMatchObject(refused(400, ...messages))
  })

  test.each<[string, Headings, number, string]>([
    ['no organization', { 'Service-OrgID': '' }, 400, 'Service-OrgID: must be a UUID'],
    [
      'an unknown organization',
      { 'Service-OrgID': '01890000-0000-7000-8000-000000000000' },
      404,
      'organization: not found',
    ],
    ['a malformed token', { authorization: 'Bearer x.y.z' }, 401, tokenRule],
    ['an empty token', { authorization: 'Bearer ' }, 401, tokenRule],
    ['another kind of authorization', { authorization: 'Basic eDp5' }, 401, tokenRule],
    [
      'a token without a signature',
      { authorization: `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.` },
      401,
      tokenRule,
    ],
    ['another content type', { 'content-type': 'text/plain' }, 415, 'Content-Type: must be application/json'],
  ])('A page event with %s is refused', async (_what, headers, status, message) => {
    expect(await tell(page, headers)).toMatchObject(refused(status, message))
  })

  test('A page event of an organization that was deleted is 404', async () => {
    await signet.operate('DELETE', `/organizations/${organization.id}`)
    expect(await tell(page)).toMatchObject(refused(404, 'organization: not found'))
  })

  test('A page event with a bad token is refused as RFC 6750 has it', async () => {
    const { headers } = await tell(page, { authorization: 'Bearer x' })
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  })
})

describe('A page of another origin', () => {
  const preflight = (from: string) =>
    signet.call('OPTIONS', '/sdk/events', {
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,service-orgid',
    })
  const corsOf = ({ headers }: { headers: Headers }) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))

  test('A page of an application may send events: with its token, without cookies, the preflight cached for two hours', async () => {
    await addApplication('https://other.test/', `${origin}/callback`)
    const preflighted = await preflight(origin)
    expect({ status: preflighted.status, ...corsOf(preflighted) }).toEqual({
      status: 204,
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, service-orgid',
      'access-control-max-age': '7200',
      vary: 'Origin',
    })
    const reply = await tell(page, { origin })
    expect({ status: reply.status, ...corsOf(reply) }).toEqual({
      status: 202,
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'Signet-Error',
      vary: 'Origin',
    })
  })

  test('A page of an application may read why its event was refused', async () => {
    await addApplication(`${origin}/callback`)
    for (const [body, headers, status] of [
      [{}, {}, 400],
      [page, { authorization: 'Bearer x' }, 401],
      [page, { 'content-type': 'text/plain' }, 415],
    ] as const) {
      const answer = await tell(body, { origin, ...headers })
      expect({ status: answer.status, ...corsOf(answer) }).toMatchObject({
        status,
        'access-control-allow-origin': origin,
      })
    }
  })

  test.each([foreign, 'null', `${origin}.evil.test`, 'https://app.tes', 'http://app.test', `${origin}:8443`, '%'])(
    'A page of the origin %s, which is none of an application, may not send events: 403',
    async (from) => {
      await addApplication(`${origin}/callback`)
      for (const answer of [await preflight(from), await tell(page, { origin: from })]) {
        expect(answer).toMatchObject(refused(403, 'Origin: must be the origin of a redirect URI of an application'))
        expect(corsOf(answer)).toEqual({ vary: 'Origin' })
      }
    },
  )

  test('A page may send events only to the organization of its application, and its preflight names none', async () => {
    const theirs = organization
    await addApplication('https://theirs.test/')
    organization = await signet.organization()
    expect((await preflight('https://theirs.test')).status).toBe(204)
    expect((await tell(page, { origin: 'https://theirs.test' })).status).toBe(403)
    organization = theirs
    expect((await tell(page, { origin: 'https://theirs.test' })).status).toBe(202)
  })

  test.each<[string, string]>([
    ['https://App.test/callback', 'https://app.test'],
    ['https://port.test:443/callback', 'https://port.test'],
    ['https://port.test:8443?a=b', 'https://port.test:8443'],
    ['https://bare.test', 'https://bare.test'],
    ['http://localhost:80/', 'http://localhost'],
    ['http://[::1]:3000/callback', 'http://[::1]:3000'],
  ])('A redirect URI %s admits pages of the origin %s', async (redirectUri, from) => {
    await addApplication(redirectUri)
    expect((await tell(page, { origin: from })).status).toBe(202)
  })
})

test('Page events are limited for each client address and for each organization: 429 with Retry-After', async () => {
  const limited = await startSignet({
    databaseUrl: signet.database.url,
    receiver,
    env: {
      SIGNET_BASE_URL: signet.baseUrl,
      SIGNET_RATE_PAGE_EVENTS: '1/3',
      SIGNET_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  const thriceFrom = (address: string) => {
    const headers = { 'X-Forwarded-For': address }
    return Promise.all(Array.from({ length: 3 }, () => tell(page, headers, limited)))
  }
  const statusesFrom = async (address: string) => (await thriceFrom(address)).map(({ status }) => status)
  try {
    // Ten addresses may use all that an organization has.
    for (let at = 1; at <= 10; at++) expect(await statusesFrom(`192.0.2.${at}`)).toEqual([202, 202, 202])
    const [late] = await thriceFrom('192.0.2.1')
    expect(late).toMatchObject({ status: 429, body: { errors: [{ httpcode: 429 }] } })
    expect(Number(late?.headers.get('retry-after'))).toBeGreaterThan(0)
    const others = await Promise.all(['192.0.2.11', '192.0.2.12', '192.0.2.13'].map(statusesFrom))
    expect(others.flat()).toContain(429)
    organization = await limited.organization()
    expect(await statusesFrom('192.0.2.14')).toEqual([202, 202, 202])
  } finally {
    await limited.stop()
  }
})
