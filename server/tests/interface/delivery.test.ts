import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  claimsOf,
  closeDelivery,
  correlationId,
  linesOf,
  newOrganization,
  openDelivery,
  ours,
  publish,
  receiver,
  signet,
  subscribe,
  verify,
} from '../support/own-delivery.ts'
import type { Received } from '../support/receiver.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'

beforeAll(openDelivery)
afterAll(closeDelivery)
beforeEach(newOrganization)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const nanoseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
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
  test('An event is a POST of application/jwt to the path of the target, with nothing else in the body', async () => {
    const { path } = await subscribe('hook')
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    expect(request).toMatchObject({ method: 'POST', path, body: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/) })
    expect(linesOf(request, 'content-type')).toEqual(['application/jwt'])
    expect(linesOf(request, 'host')).toEqual([`${receiver.host}:${receiver.port}`])
    expect(linesOf(request, 'content-length')).toEqual([String(request?.body.length)])
  })

  test('The header has alg, typ and the kid of the signing key, the first of the key set', async () => {
    const { path } = await subscribe('hook')
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    const { header, keys } = await verify(request as Received)
    expect(header).toEqual({ alg: 'ES256', typ: 'JWT', kid: keys[0]?.kid })
  })

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

  test('The claim target_url has the target as it was given, however it is spelt', async () => {
    const spelling = `https://RECEIVER.test:${receiver.port}/a/../${ours.id}/./spelt`
    await addWebhook(signet, ours, spelling, ['PersonCreated_v1'])
    await publish()
    const [request] = await receiver.waitFor(`/${ours.id}/spelt`, 1)
    expect((await verify(request as Received)).claims.target_url).toBe(spelling)
  })

  test('Another organization can neither read the token as its own nor verify it', async () => {
    const theirs = await signet.organization()
    const { path } = await subscribe('hook')
    await publish()
    const [request] = await receiver.waitFor(path, 1)
    await expect(verify(request as Received, theirs)).rejects.toThrow('no applicable key found')
  })
})

describe('The trigger_content of 6.1', () => {
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

  test('The content of PersonCreated_v1 has the person that was created', async () => {
    const { path } = await subscribe('hook', eventNames)
    const { person_id } = (await ask('POST', '/persons', { region: 'eu' })).body.result
    const [claims] = await claimsOf(await receiver.waitFor(path, 1))
    const event_metadata = metadata('PersonCreated_v1', 1, { event_id: claims?.sub })
    expectSame(claims?.trigger_content, { event_metadata, analytics_metadata, person_id, region: 'eu' })
  })

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

  test('Custom headers in Latin-1 arrive as the bytes they are', async () => {
    const { path } = await subscribe('hook', ['PersonCreated_v1'], { custom_headers: { 'x-name': ['J\u00f6'] } })
    await publish()
    expect(linesOf((await receiver.waitFor(path, 1))[0], 'x-name')).toEqual(['J\u00f6'])
  })
})
