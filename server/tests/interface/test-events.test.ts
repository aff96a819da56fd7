import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Client, type Organization, type OwnSignet, startOwnSignet, startSignet } from '../support/signet.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const nanoseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
const correlationId = '0199a3f2-0000-4000-8000-00000000abcd'
const nameRule = `event_name: must be one of ${eventNames.join(', ')}`
const listRule = 'body: must be an array of 1 to 50 events'

let receiver: Receiver
let signet: OwnSignet
let organization: Organization
/** Of the webhook that is called on all events of the organization. */
let path: string

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver })
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

beforeEach(async () => {
  organization = await signet.organization()
  path = `/${organization.id}`
  await addWebhook(signet, organization, receiver.url(path), eventNames)
})

const publish = (body: unknown, at: Client = signet) =>
  at.as(organization, 'POST', '/test-events', body, { 'Service-Correlation-Id': correlationId })
const named = (event_name: string, count = 1) => Array.from({ length: count }, () => ({ event_name }))

type Content = { event_metadata: { event_name: string }; [field: string]: unknown }

/** The events that the webhook has received, as soon as there are so many. */
async function delivered(count: number): Promise<Content[]> {
  const requests = await receiver.waitFor(path, count)
  return requests.map(({ body }) => decodeJwt<{ trigger_content: Content }>(body).trigger_content)
}

/** Publishes one more, and gives all that have come by then: what was published before comes before, or never. */
const deliveredInAll = async () => {
  const { body } = await publish([{ event_name: 'PersonCreated_v1', region: 'last' }])
  await expect
    .poll(() => receiver.received(path).some((each) => decodeJwt(each.body).sub === body.result[0].event_id))
    .toBe(true)
  return delivered(1)
}

describe('Test event publication (4.7)', () => {
  // Proves 4.7/1, 4.7/3, 4.7/4, 4.7/5.
  test('The reply is 201 with the id, name and time of each event, in order, and webhooks with the trigger are called', async () => {
    const { status, body } = await publish(eventNames.map((event_name) => ({ event_name })))
    expect(status).toBe(201)
    const result = eventNames.map((event_name) => ({
      event_id: expect.stringMatching(uuid),
      event_name,
      timestamp: expect.stringMatching(nanoseconds),
    }))
    expect(body).toEqual({ result })
    const metadata = (await delivered(eventNames.length)).map(({ event_metadata }) => event_metadata)
    const byName = Object.groupBy(metadata, ({ event_name }) => event_name)
    for (const { event_id, event_name, timestamp } of body.result)
      expect(byName[event_name]).toMatchObject([{ event_id, timestamp, is_test_event: true }])
  })

  // Proves 4.7/3.
  test.each(eventNames)('The event %s may be named without its version', async (event_name) => {
    const { status, body } = await publish(named(event_name.replace('_v1', '')))
    expect({ status, name: body.result[0].event_name }).toEqual({ status: 201, name: event_name })
    expect((await delivered(1))[0]?.event_metadata).toMatchObject({
      event_name,
      event_type: event_name.replace('_v1', ''),
    })
  })

  test('An organization without webhooks may publish, too', async () => {
    organization = await signet.organization()
    expect((await publish(named('PersonCreated_v1'))).status).toBe(201)
  })

  // Proves 4.7/3.
  test.each([1, 50])('A request with %i events is accepted', async (count) => {
    const { status, body } = await publish(named('VirtualPageLoaded_v1', count))
    expect({ status, count: body.result.length }).toEqual({ status: 201, count })
    expect(new Set(body.result.map(({ event_id }: { event_id: string }) => event_id)).size).toBe(count)
    expect(await delivered(count)).toHaveLength(count)
  })
})

describe('The content of a test event (4.7)', () => {
  // Proves 4.7/3.
  test.each([
    ['PersonCreated_v1', { person_id: 'someone', region: 'eu' }],
    ['PersonDeleted_v1', { groups: [], handles: [{ type: 0, value: 'a@example.com' }] }],
    ['PersonDeleted_v1', { groups: ['a', 'b'], handles: [] }],
    ['AuthenticationFailed_v1', { failure_reason: 'flow_expired', failed_authn_method: 'api' }],
    ['AuthenticationSucceeded_v1', { authenticated_methods: ['oidc', 'api'], success_authn_method: '' }],
    ['VirtualPageLoaded_v1', { browser_metadata: { user_agent: 'x', window_location: 'https://example.com' } }],
    ['PersonCreated_v1', { analytics_metadata: { analytics_correlation_id: '', client_ip_address: '::1' } }],
  ])('A test event %s may have the fields %j', async (event_name, fields) => {
    expect((await publish([{ event_name, ...fields }])).status).toBe(201)
    expect((await delivered(1))[0]).toMatchObject(fields)
  })

  test('A handle type may be given by its name, and arrives as its number', async () => {
    await publish([{ event_name: 'PersonDeleted', handles: [{ type: 'PhoneNumber', value: '+12025550123' }] }])
    expect((await delivered(1))[0]?.handles).toEqual([{ type: 1, value: '+12025550123' }])
  })

  test('A test event may have 16,000 bytes as receivers see it', async () => {
    await publish([{ event_name: 'PersonCreated_v1', region: 'x' }])
    const [small] = await delivered(1)
    const left = 16_000 - JSON.stringify(small).length - 100
    expect((await publish([{ event_name: 'PersonCreated_v1', region: 'x'.repeat(left) }])).status).toBe(201)
    const refusal = refused(400, '[0]: must be an event of at most 16000 bytes')
    for (const region of ['x'.repeat(left + 200), '\n'.repeat(left / 2 + 100), 'ä'.repeat(left / 2 + 100)])
      expect(await publish([{ event_name: 'PersonCreated_v1', region }])).toMatchObject(refusal)
  })

  test('A field that is not given is made up, with the analytics of the call', async () => {
    await publish(named('PersonCreated_v1'))
    expect((await delivered(1))[0]).toMatchObject({
      analytics_metadata: { analytics_correlation_id: correlationId, client_ip_address: '127.0.0.1' },
      person_id: expect.stringMatching(uuid),
      region: expect.stringMatching(/./),
    })
  })
})

describe('Test events that are refused (4.7)', () => {
  const good = { event_name: 'PersonCreated_v1' }

  // Proves 4.7/3.
  test.each<[string, unknown, ...string[]]>([
    ['no event', [], listRule],
    ['51 events', named('PersonCreated_v1', 51), listRule],
    ['an object', good, listRule],
    ['null', null, 'body: is required, and must be an array of 1 to 50 events'],
    ['an event that is a string', [good, 'PersonCreated_v1'], '[1]: must be an object'],
    ['no name', [good, {}], '[1].event_name: is required'],
    ['a name that is a number', [good, { event_name: 1 }], '[1].event_name: must be a string'],
    ['an unknown name', [good, { event_name: 'PersonChanged_v1' }], `[1].${nameRule}`],
    ['another version', [good, { event_name: 'PersonCreated_v2' }], `[1].${nameRule}`],
    ['a trigger that is no event', [good, { event_name: 'token_minted' }], `[1].${nameRule}`],
    [
      'event_metadata',
      [good, { ...good, event_metadata: {} }],
      '[1].event_metadata: is set by the service and cannot be given',
    ],
    ['a field of another event', [good, { ...good, groups: [] }], '[1].groups: is not a field of PersonCreated_v1'],
    [
      'a field that is not there within a field',
      [good, { ...good, analytics_metadata: { ip: '' } }],
      '[1].analytics_metadata.ip: is not a field of AnalyticsMetadata',
    ],
    [
      'fields of the wrong type',
      [
        { ...good, region: 5, person_id: null },
        { event_name: 'PersonDeleted_v1', groups: 'a' },
      ],
      '[0].region: must be a string of valid Unicode',
      '[0].person_id: must be a string of valid Unicode',
      '[1].groups: must be an array',
    ],
    [
      'a handle of an unknown type',
      [{ event_name: 'PersonDeleted_v1', handles: [{ type: 2, value: '' }] }],
      '[0].handles[0].type: must be EmailAddress (0) or PhoneNumber (1)',
    ],
    ['U+0000', [good, { ...good, region: 'a\u0000' }], '[1].region: must not contain U+0000 or lone surrogates'],
  ])('A request with %s is refused, and none of its events is published (4.7)', async (_, body, ...messages) => {
    expect(await publish(body)).toMatchObject(refused(400, ...messages))
    expect(await deliveredInAll()).toMatchObject([{ region: 'last' }])
  })
})

describe('The rate limit of test events', () => {
  test('The rate limit is 50 events at once, then 429 with Retry-After, for all processes together and each organization by itself', async () => {
    const env = { SIGNET_BASE_URL: signet.baseUrl }
    const other = await startSignet({ databaseUrl: signet.database.url, receiver, env })
    try {
      expect((await publish(named('PersonCreated_v1', 30))).status).toBe(201)
      expect((await publish(named('PersonCreated_v1', 40), other)).status).toBe(429)
      expect((await publish(named('PersonCreated_v1', 20), other)).status).toBe(201)
      const { status, headers, body } = await publish(named('PersonCreated_v1', 10))
      expect({ status, code: body.errors[0].httpcode }).toEqual({ status: 429, code: 429 })
      // Ten come back in a minute, of which a slow machine may have used a part.
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(10)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    } finally {
      await other.stop()
    }
    organization = await signet.organization()
    expect((await publish(named('PersonCreated_v1', 50))).status).toBe(201)
  })
})
