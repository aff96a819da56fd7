import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const nanoseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
const correlationId = '0199a3f2-0000-4000-8000-00000000abcd'
/** Attempts at 0, 100, 300 and 700 ms, then dropped: the schedule of 6.2, rule 4, six hundred times as fast. */
const fast = { SIGNET_RETRY_INITIAL: '100ms', SIGNET_RETRY_MAX: '800ms', SIGNET_RETRY_WINDOW: '1400ms' }
const attemptsInAll = 4

let receiver: Receiver
let signet: Signet
let ours: Organization
/** Of a webhook without a timeout, whose receiver never answers; called before all else. */
let silentPath: string

beforeAll(async () => {
  receiver = await startReceiver()
  const env = {
    ...fast,
    SIGNET_REGIONS: 'local,eu',
    SIGNET_WEBHOOK_RESOLVE: `${receiver.resolve},${receiver.host}:1:127.0.0.1`,
  }
  signet = await startOwnSignet({ receiver, env })
  ours = await signet.organization()
  silentPath = (await subscribe('silent')).path
  receiver.behave(silentPath, { hang: true })
  await publish()
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

beforeEach(async () => {
  ours = await signet.organization()
})

const ask = (method: string, path: string, body?: unknown) =>
  signet.as(ours, method, path, body, { 'Service-Correlation-Id': correlationId })

/** Gives the id of the event. */
async function publish(event_name = 'PersonCreated_v1'): Promise<string> {
  return (await ask('POST', '/test-events', [{ event_name }])).body.result[0].event_id
}

/** A path of this organization's own, and the webhook that is called there. */
async function subscribe(name: string, events = ['PersonCreated_v1'], fields: object = {}) {
  const path = `/${ours.id}/${name}`
  const target_url = receiver.url(path)
  const id = await addWebhook(signet, ours, target_url, events, fields)
  return { path, id, target_url, resource: `/organizations/webhooks/${id}` }
}

type Claims = JWTPayload & Record<'webhook_id' | 'target_url' | 'trigger_type' | 'trigger_name', string>
type Content = { event_metadata: { event_id: string; event_name: string }; [field: string]: unknown }

/** What a careful receiver does, with the published key set of the organization (6.3, receiver checks). */
async function verify({ body }: Pick<Received, 'body'>, organization = ours) {
  const { body: keySet } = await signet.call('GET', '/organizations/webhooks/verification-jwks', {
    'Service-OrgID': organization.id,
  })
  const { payload, protectedHeader } = await jwtVerify<Claims & { trigger_content: Content }>(
    body,
    createLocalJWKSet(keySet),
    { algorithms: ['ES256'], audience: organization.id, issuer: signet.baseUrl, maxTokenAge: '5m' },
  )
  return { claims: payload, header: protectedHeader, keys: keySet.keys as { kid: string }[] }
}

const claimsOf = async (requests: Received[]) =>
  Promise.all(requests.map(async (request) => (await verify(request)).claims))

/** Another event has gone through its whole schedule: what else was due meanwhile was sent, too. */
async function untilAWindowIsOver() {
  const { path } = await subscribe(`fence-${Math.random()}`, ['VirtualPageLoaded_v1'])
  receiver.behave(path, { status: 500 })
  await publish('VirtualPageLoaded_v1')
  await receiver.waitFor(path, attemptsInAll)
}

const person = { person_id: expect.stringMatching(uuid), region: 'local' }
const analytics_metadata = { analytics_correlation_id: correlationId, client_ip_address: '127.0.0.1' }
const browser_metadata = { user_agent: expect.any(String), window_location: expect.any(String) }

/** The fields of each event, in the order of 6.1, and its source: 1 is Cloud, 2 is SDK. */
const contents: [string, number, object][] = [
  [
    'AuthenticationSucceeded_v1',
    2,
    {
      analytics_metadata,
      browser_metadata,
      ...person,
      success_authn_method: expect.any(String),
      authenticated_methods: [expect.any(String)],
    },
  ],
  [
    'AuthenticationFailed_v1',
    2,
    {
      analytics_metadata,
      browser_metadata,
      ...person,
      authenticated_methods: [expect.any(String)],
      failed_authn_method: expect.any(String),
      failure_reason: expect.any(String),
    },
  ],
  ['VirtualPageLoaded_v1', 2, { analytics_metadata, browser_metadata, ...person }],
  ['PersonCreated_v1', 1, { analytics_metadata, ...person }],
  [
    'PersonDeleted_v1',
    1,
    {
      ...person,
      handles: [
        { type: 0, value: expect.any(String) },
        { type: 1, value: expect.any(String) },
      ],
      groups: [expect.any(String)],
    },
  ],
]

const metadata = (event_name: string, source: number, others: object) => ({
  is_test_event: false,
  event_id: expect.stringMatching(uuid),
  timestamp: expect.stringMatching(nanoseconds),
  source,
  event_type: event_name.replace('_v1', ''),
  event_name,
  event_version: 1,
  organization_id: ours.id,
  ...others,
})

/** Objects compared together with the order of their members. */
const expectSame = (received: unknown, expected: object) => {
  expect(received).toEqual(expected)
  expect(orderOf(received)).toEqual(orderOf(expected))
}
const orderOf = (value: unknown): unknown =>
  Object.entries(value as object).map(([name, member]) => (name.endsWith('metadata') ? [name, orderOf(member)] : name))

describe('An event as a signed JWT (6.2, 6.3)', () => {
  // Proves 1/5, 6.2, rule 1/1.
  test('An event is a POST of application/jwt to the path of the target, with nothing else in the body', async () => {
    const { path } = await subscribe('hook')
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    expect(request).toMatchObject({ method: 'POST', path, body: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/) })
    expect(linesOf(request, 'content-type')).toEqual(['application/jwt'])
    expect(linesOf(request, 'host')).toEqual([`${receiver.host}:${receiver.port}`])
    expect(linesOf(request, 'content-length')).toEqual([String(request?.body.length)])
  })

  // Proves 6.3/1, 6.3/2.
  test('The header has alg, typ and the kid of the signing key, the first of the key set', async () => {
    const { path } = await subscribe('hook')
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    const { header, keys } = await verify(request as Received)
    expect(header).toEqual({ alg: 'ES256', typ: 'JWT', kid: keys[0]?.kid })
  })

  // Proves 6.3/3, 6.3/4, 6.3/6, 6.3/8, 8/10.
  test('The claims are those of 6.3 and no others', async () => {
    const { path, id, target_url } = await subscribe('hook')
    const before = Math.floor(Date.now() / 1000)
    const eventId = await publish()
    const [request] = await receiver.waitFor(path, 1)
    const { claims } = await verify(request as Received)
    expect(claims).toEqual({
      jti: expect.stringMatching(uuid),
      aud: ours.id,
      sub: eventId,
      iss: signet.baseUrl,
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 300,
      webhook_id: id,
      target_url,
      trigger_type: 'event',
      trigger_name: 'PersonCreated_v1',
      trigger_content: expect.any(Object),
    })
    expect(claims.trigger_content.event_metadata.event_id).toBe(claims.sub)
    expect(claims.jti).not.toBe(claims.sub)
    expect((claims.iat ?? 0) - before).toBeGreaterThanOrEqual(-1)
    expect((claims.iat ?? 0) - before).toBeLessThan(10)
  })

  // Proves 6.3/6.
  test('The claim target_url has the target as it was given, however it is spelt', async () => {
    const spelling = `https://RECEIVER.test:${receiver.port}/a/../${ours.id}/./spelt`
    await addWebhook(signet, ours, spelling, ['PersonCreated_v1'])
    await publish()
    const [request] = await receiver.waitFor(`/${ours.id}/spelt`, 1)
    expect((await verify(request as Received)).claims.target_url).toBe(spelling)
  })

  // Proves 5, rule 5/1, 6.2, rule 1/3.
  test('Another organization can neither read the token as its own nor verify it', async () => {
    const theirs = await signet.organization()
    const { path } = await subscribe('hook')
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    await expect(verify(request as Received, theirs)).rejects.toThrow('no applicable key found')
  })
})

describe('The trigger_content of 6.1', () => {
  // Proves 4.7/4, 6.1/7, 6.1/8, 6.3/7.
  test.each(contents)(
    'The content of a test event %s has all fields of 6.1 and nothing else',
    async (event_name, source, fields) => {
      const { path } = await subscribe('hook', [event_name])
      const event_id = await publish(event_name)
      const [claims] = await claimsOf(await receiver.waitFor(path, 1))
      expect(claims).toMatchObject({ sub: event_id, trigger_name: event_name })
      const event_metadata = metadata(event_name, source, { event_id, is_test_event: true })
      expectSame(claims?.trigger_content, { event_metadata, ...fields })
    },
  )

  // Proves 6.1/7, 6.3/7.
  test('The content of PersonCreated_v1 has the person that was created', async () => {
    const { path } = await subscribe('hook', eventNames)
    const { person_id } = (await ask('POST', '/persons', { region: 'eu' })).body.result
    const [claims] = await claimsOf(await receiver.waitFor(path, 1))
    const event_metadata = metadata('PersonCreated_v1', 1, { event_id: claims?.sub })
    expectSame(claims?.trigger_content, { event_metadata, analytics_metadata, person_id, region: 'eu' })
  })

  // Proves 6.3/7.
  test('The content of PersonDeleted_v1 has the person that was deleted, with its handles and groups', async () => {
    const { path } = await subscribe('hook', ['PersonDeleted_v1'])
    for (const name of ['staff', 'admins']) await ask('POST', '/groups', { name })
    const handles = [
      { type: 'PhoneNumber', value: '+12025550123', verified: true },
      { type: 'EmailAddress', value: 'Jo@Example.com' },
    ]
    const { person_id } = (await ask('POST', '/persons', { handles, groups: ['staff', 'admins'] })).body.result
    await ask('DELETE', `/persons/${person_id}`)
    const [claims] = await claimsOf(await receiver.waitFor(path, 1))
    expectSame(claims?.trigger_content, {
      event_metadata: metadata('PersonDeleted_v1', 1, { event_id: claims?.sub }),
      person_id,
      region: 'local',
      handles: [
        { type: 1, value: '+12025550123' },
        { type: 0, value: 'Jo@Example.com' },
      ],
      groups: ['admins', 'staff'],
    })
  })

  test('The content of PersonDeleted_v1 has empty lists for a person without handles and groups', async () => {
    const { path } = await subscribe('hook', ['PersonDeleted_v1'])
    const { person_id } = (await ask('POST', '/persons', {})).body.result
    await ask('DELETE', `/persons/${person_id}`)
    const [claims] = await claimsOf(await receiver.waitFor(path, 1))
    expect(claims?.trigger_content).toMatchObject({ person_id, handles: [], groups: [] })
  })
})

describe('Custom headers (6.2, rule 1)', () => {
  // Proves 2.4/7, 6.2, rule 1/2, 6.2, rule 1/3.
  test('Custom headers are sent, each value as a line of its own, and are not in the JWT', async () => {
    const custom_headers = { 'X-Token': ['secret-1', 'secret-2'], authorization: ['Bearer secret-3'], 'x-empty': [''] }
    const { path } = await subscribe('hook', ['PersonCreated_v1'], { custom_headers })
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    for (const [name, values] of Object.entries(custom_headers)) expect(linesOf(request, name)).toEqual(values)
    expect(request?.rawHeaders).toContain('X-Token')
    const { claims } = await verify(request as Received)
    expect(JSON.stringify(claims)).not.toContain('secret-')
  })

  // Proves 6.2, rule 1/2.
  test('Custom headers in Latin-1 arrive as the bytes they are', async () => {
    const { path } = await subscribe('hook', ['PersonCreated_v1'], { custom_headers: { 'x-name': ['J\u00f6'] } })
    await publish()
    expect(linesOf((await receiver.waitFor(path, 1))[0], 'x-name')).toEqual(['J\u00f6'])
  })
})

const linesOf = (request: Received | undefined, name: string): string[] =>
  (request?.rawHeaders ?? []).flatMap((line, index, lines) =>
    index % 2 === 0 && line.toLowerCase() === name.toLowerCase() ? [lines[index + 1] ?? ''] : [],
  )

describe('The webhooks that are called', () => {
  // Proves 1/5, 2.4/12, 2.5/5, 4.7/5, 6.2, rule 3/1.
  test('Every webhook of the organization with the trigger is called, and no other', async () => {
    const called = await Promise.all(['a', 'b', 'c'].map((name) => subscribe(name)))
    const others = [await subscribe('none', []), await subscribe('other', ['PersonDeleted_v1'])]
    const hook = await subscribe('hook', [])
    await ask('POST', `${hook.resource}/triggers`, { trigger_type: 'sync_hook', trigger_name: 'token_minted' })
    const theirPath = `/${ours.id}/theirs`
    await addWebhook(signet, await signet.organization(), receiver.url(theirPath), ['PersonCreated_v1'])
    const eventId = await publish()
    for (const { path, id } of called) {
      const [claims] = await claimsOf(await receiver.waitFor(path, 1))
      expect(claims).toMatchObject({ sub: eventId, webhook_id: id })
    }
    await untilAWindowIsOver()
    for (const path of [...others, hook].map((webhook) => webhook.path).concat(theirPath))
      expect(receiver.received(path)).toEqual([])
    for (const { path } of called) expect(receiver.received(path)).toHaveLength(1)
  })

  // Proves 6.2, rule 3/1.
  test('Receivers are called in parallel: a slow one delays neither another one nor the next event (6.2, rule 3)', async () => {
    const slow = await subscribe('slow')
    const quick = await subscribe('quick')
    // Until its first success a receiver gets one call at a time.
    await publish()
    await receiver.waitFor(slow.path, 1)
    receiver.behave(slow.path, { delayMs: 5_000 })
    await publish()
    await receiver.waitFor(slow.path, 2)
    await publish()
    const [, first, second] = await receiver.waitFor(quick.path, 3)
    const [, slowFirst, slowSecond] = await receiver.waitFor(slow.path, 3)
    for (const request of [first, second, slowSecond])
      expect((request as Received).at - (slowFirst as Received).at).toBeLessThan(5_000)
  })

  test('A trigger that was removed causes no more calls, not even for pending deliveries', async () => {
    const { path, resource } = await subscribe('hook')
    receiver.behave(path, { status: 500 })
    await publish()
    await receiver.waitFor(path, 1)
    const query = 'trigger_type=event&trigger_name=PersonCreated_v1'
    expect((await ask('DELETE', `${resource}/triggers?${query}`)).status).toBe(204)
    await expectNoMoreCalls(path)
  })

  test('A webhook that was deleted is not called any more, not even for pending deliveries', async () => {
    const { path, resource } = await subscribe('hook')
    receiver.behave(path, { status: 500 })
    await publish()
    await receiver.waitFor(path, 1)
    expect((await ask('DELETE', resource)).status).toBe(204)
    await expectNoMoreCalls(path)
  })

  /** But for a call that was in flight, which may end. */
  async function expectNoMoreCalls(path: string) {
    const count = receiver.received(path).length
    const later = await publish()
    await untilAWindowIsOver()
    const requests = receiver.received(path)
    expect(requests.length).toBeLessThanOrEqual(count + 1)
    expect((await claimsOf(requests)).map(({ sub }) => sub)).not.toContain(later)
  }

  test('The next attempt goes to the current target of the webhook, with its current headers', async () => {
    const old = await subscribe('old', ['PersonCreated_v1'], { custom_headers: { 'x-version': ['1'] } })
    receiver.behave(old.path, { status: 500 })
    const eventId = await publish()
    await receiver.waitFor(old.path, 1)
    const path = `/${ours.id}/new`
    await ask('PATCH', old.resource, { target_url: receiver.url(path), custom_headers: { 'x-version': ['2'] } })
    const [request] = await receiver.waitFor(path, 1)
    expect((await verify(request as Received)).claims).toMatchObject({
      sub: eventId,
      target_url: receiver.url(path),
      webhook_id: old.id,
    })
    expect(linesOf(request, 'x-version')).toEqual(['2'])
  })

  test('A change that was refused calls no webhook', async () => {
    const { path } = await subscribe('hook', ['PersonCreated_v1', 'PersonDeleted_v1'])
    const handles = [{ type: 'EmailAddress', value: 'jo@example.com' }]
    const first = await ask('POST', '/persons', { handles })
    expect((await ask('POST', '/persons', { handles })).status).toBe(409)
    expect((await ask('POST', '/persons', { groups: ['missing'] })).status).toBe(400)
    expect((await ask('DELETE', '/persons/01890000-0000-7000-8000-000000000000')).status).toBe(404)
    const last = await ask('POST', '/persons', {})
    await untilAWindowIsOver()
    const persons = (await claimsOf(receiver.received(path))).map((claims) => claims.trigger_content.person_id)
    expect(persons.sort()).toEqual([first, last].map(({ body }) => body.result.person_id).sort())
  })
})

describe('The success of an attempt by 2XX alone (6.2, rules 2 and 4)', () => {
  const successes = [200, 201, 202, 204, 206, 299]
  const failures = [300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 408, 410, 429, 500, 502, 503, 599]

  // Proves 6.2, rule 2/1, 6.2, rule 2/2, 6.2, rule 4/1, 6.2, rule 4/4, 6.3/3, 7/13.
  test('An attempt is repeated for every status but 200 to 299, each time signed anew with the same sub', async () => {
    const statuses = [...successes, ...failures]
    const paths = await Promise.all(
      statuses.map(async (status) => {
        const { path } = await subscribe(String(status))
        const location = receiver.url(`/${ours.id}/elsewhere`)
        receiver.behave(path, { status, headers: { location, 'retry-after': '3600' } })
        return path
      }),
    )
    const eventId = await publish()
    const failing = paths.slice(successes.length)
    await Promise.all(failing.map((path) => receiver.waitFor(path, attemptsInAll)))
    await untilAWindowIsOver()
    const counts = Object.fromEntries(paths.map((path, index) => [statuses[index], receiver.received(path).length]))
    expect(counts).toEqual({
      ...Object.fromEntries(successes.map((status) => [status, 1])),
      ...Object.fromEntries(failures.map((status) => [status, attemptsInAll])),
    })
    expect(receiver.received(`/${ours.id}/elsewhere`)).toEqual([])
    const attempts = await claimsOf(receiver.received(failing.at(-1) as string))
    expect(new Set(attempts.map(({ jti }) => jti)).size).toBe(attemptsInAll)
    for (const { sub, iat = 0, exp } of attempts) expect({ sub, exp }).toEqual({ sub: eventId, exp: iat + 300 })
    const times = attempts.map(({ iat = 0 }) => iat)
    expect(times).toEqual(times.toSorted())
  })

  // Proves 6.2, rule 4/5.
  test('A success after failures ends the delivery, whatever the body of the response says', async () => {
    const { path } = await subscribe('hook')
    receiver.behave(path, { first: { times: 2, status: 503 }, body: '{"error":"not really"}'.repeat(10_000) })
    await publish()
    await receiver.waitFor(path, 3)
    await untilAWindowIsOver()
    expect(receiver.received(path)).toHaveLength(3)
  })

  // Proves 2.4/9, 6.2, rule 4/1.
  test('A response that does not come within the timeout of the webhook is a failure (2.4)', async () => {
    const hanging = await subscribe('hanging', ['PersonCreated_v1'], { timeout: '150ms' })
    const late = await subscribe('late', ['PersonCreated_v1'], { timeout: '150ms' })
    const inTime = await subscribe('in-time', ['PersonCreated_v1'], { timeout: '1500ms' })
    receiver.behave(hanging.path, { hang: true })
    receiver.behave(late.path, { delayMs: 400 })
    receiver.behave(inTime.path, { delayMs: 400 })
    const eventId = await publish()
    for (const { path } of [hanging, late]) {
      const attempts = await claimsOf(await receiver.waitFor(path, attemptsInAll))
      expect(attempts.map(({ sub }) => sub)).toEqual(Array(attemptsInAll).fill(eventId))
    }
    expect(receiver.received(inTime.path)).toHaveLength(1)
  })

  // Proves 6.2, rule 4/1.
  test('A receiver that cannot be reached is tried again, too', async () => {
    const failing = await subscribe('failing')
    receiver.behave(failing.path, { status: 500 })
    const { resource, path, target_url } = await subscribe('hook')
    await ask('PATCH', resource, { target_url: `https://${receiver.host}:1/nobody-listens` })
    await publish()
    await receiver.waitFor(failing.path, 2)
    await ask('PATCH', resource, { target_url })
    expect(await receiver.waitFor(path, 1)).toHaveLength(1)
  })

  // Proves 2.4/10, 6.2, rule 6/1, 8/6.
  test('A webhook without a timeout is waited for ten seconds (6.2, rule 6)', async () => {
    const [first, second] = await receiver.waitFor(silentPath, 2, 12_000)
    const waitedMs = (second as Received).at - (first as Received).at
    expect(waitedMs).toBeGreaterThan(9_000)
    expect(waitedMs).toBeLessThan(12_000)
  })
})
