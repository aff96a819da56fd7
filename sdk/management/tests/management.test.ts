import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOwnSignet } from '../../../server/tests/support/signet.ts'
import { eachItem, Signet, SignetError, type SignetOptions } from '../src/index.ts'
import { type Fate, startUnreliableProxy } from './unreliable-proxy.ts'

let service: Awaited<ReturnType<typeof startOwnSignet>>
let proxy: Awaited<ReturnType<typeof startUnreliableProxy>>
let signet: Signet
let options: SignetOptions

beforeAll(async () => {
  service = await startOwnSignet()
  proxy = await startUnreliableProxy(service.baseUrl)
  const { id, apiKey } = await service.organization()
  options = { baseUrl: `${proxy.baseUrl}/`, organizationId: id, apiKey, operatorKey: service.operatorKey }
  signet = new Signet(options)
})

afterAll(async () => {
  proxy?.stop()
  await service?.stop()
})

const failureOf = (work: Promise<unknown>): Promise<SignetError> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error) => error,
  )

describe('Operations', () => {
  test('An operation gives the body of its reply', async () => {
    const { result } = await signet.createGroup({ body: { name: 'engineering', description: 'Builds things' } })
    expect(result).toMatchObject({ name: 'engineering', description: 'Builds things' })
    expect((await signet.getGroup({ path: { group_name: 'engineering' } })).result).toEqual(result)
  })

  test('An operation of the operator carries the operator key', async () => {
    const { result } = await signet.createOrganization({ body: { name: 'Another' } })
    expect(result.api_key).toMatch(/^signet_/)
  })

  test('An operation without a key of ours carries none', async () => {
    let headers: Headers | undefined
    const send: typeof fetch = async (request) => {
      headers = (request as Request).headers
      return Response.json({}, { status: 202 })
    }
    const own = new Signet({ ...options, fetch: send })
    const body = { event_name: 'VirtualPageLoaded_v1' as const, window_location: 'https://app.example.com/' }
    await own.publishPageEvent({ headers: { Authorization: 'Bearer of a person' } as Record<string, string>, body })
    expect(headers?.get('authorization')).toBe('Bearer of a person')
    expect(JSON.stringify([...(headers ?? [])])).not.toContain(service.operatorKey)
  })

  test('A refused operation throws a SignetError with every message, the status and the request ID', async () => {
    const error = await failureOf(signet.createPerson({ body: { groups: ['no such group', 'missing'] } }))
    expect(error).toBeInstanceOf(SignetError)
    expect(error).toMatchObject({ name: 'SignetError', status: 400, requestId: expect.stringMatching(/./) })
    expect(error.errors.length).toBeGreaterThan(0)
    expect(error.codes).toEqual(['invalid_value', 'unknown_reference'])
    expect(error.codes.includes('key_expired')).toBe(false)
    expect(error.message).toBe(error.errors.map(({ message }) => message).join('; '))
  })

  test('A service that cannot be reached is a SignetError without a status', async () => {
    const nowhere = new Signet({ ...options, baseUrl: 'http://127.0.0.1:9', retries: 0 })
    const error = await failureOf(nowhere.listGroups())
    expect(error).toBeInstanceOf(SignetError)
    expect(error).toMatchObject({ status: undefined, errors: [], cause: expect.any(Error) })
  })

  test('A reply of a proxy that is not Signet’s is a SignetError with its status', async () => {
    proxy.plan({ status: 418, headers: { 'content-type': 'text/html' } })
    expect(await failureOf(signet.listGroups())).toMatchObject({ status: 418, errors: [] })
  })
})

describe('Repeated requests', () => {
  const failures: [string, Fate][] = [
    ['a connection that ends before the request', 'cut_before'],
    ['a connection that ends before the reply', 'cut_after'],
    ['a connection that ends within the reply', 'cut_within'],
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
  ]

  test.each(failures)('A read is repeated after %s', async (_, fate) => {
    proxy.plan(fate)
    expect((await signet.listGroups()).result).toContain('engineering')
    expect(proxy.seen).toEqual(['GET /groups', 'GET /groups'])
  })

  test.each(failures)('An idempotent write is repeated after %s', async (_, fate) => {
    proxy.plan(fate)
    await signet.createGroup({ body: { name: 'twice' } })
    expect(proxy.seen).toEqual(['POST /groups', 'POST /groups'])
  })

  const lost: Fate[] = ['cut_before', 'cut_while', 'cut_after', 'cut_within', { status: 503 }, { status: 504 }]

  test.each(lost)('A creation is repeated after %j, and done once', async (fate) => {
    const events = async () => {
      const query = { event_name: ['PersonCreated*'], limit: 1000 }
      return (await Array.fromAsync(eachItem((place) => signet.listEvents({ query: { ...query, ...place } })))).length
    }
    const counts = async () => [
      (await signet.listPersons()).meta.pagination.total_count,
      (await signet.listWebhooks()).meta.pagination.total_count,
      await events(),
    ]
    const before = await counts()
    const calls = [
      () => signet.createPerson({ body: {} }),
      () => signet.createWebhook({ body: { name: 'Once', target_url: `https://${crypto.randomUUID()}.example.com/` } }),
      () => signet.publishTestEvents({ body: [{ event_name: 'PersonCreated_v1' }] }),
    ]
    for (const call of calls) {
      proxy.plan(fate)
      await call()
      expect(proxy.seen.length).toBeGreaterThanOrEqual(2)
      expect(new Set(proxy.keys).size).toBe(1)
      expect(new Set(proxy.bodies).size).toBe(1)
    }
    proxy.plan()
    // Of the person and of the test event.
    expect(await counts()).toEqual(before.map((count, index) => count + (index === 2 ? 2 : 1)))
  })

  test('Each call has a key of its own, and the caller may give one, with which a later call is answered as the first', async () => {
    proxy.plan()
    await signet.createPerson({ body: {} })
    await signet.createPerson({ body: {} })
    expect(new Set(proxy.keys).size).toBe(2)
    const headers = { 'Idempotency-Key': 'order-4711' }
    const [first, second] = [
      await signet.createPerson({ headers, body: {} }),
      await signet.createPerson({ headers, body: {} }),
    ]
    expect(second).toEqual(first)
    expect(proxy.keys.slice(2)).toEqual(['order-4711', 'order-4711'])
    const other = await failureOf(signet.createPerson({ headers, body: { active: false } }))
    expect(other).toMatchObject({ status: 422, codes: ['idempotency_key_reused'] })
  })

  test('A call that is still being handled is waited for', async () => {
    const headers = { 'retry-after': '1', 'signet-error': 'idempotency_key_in_use' }
    proxy.plan({ status: 409, headers })
    await signet.createPerson({ body: {} })
    expect(new Set(proxy.keys).size).toBe(1)
    proxy.plan(...Array<Fate>(4).fill({ status: 409, headers: { ...headers, 'retry-after': '0' } }))
    expect(await failureOf(signet.createPerson({ body: {} }))).toMatchObject({ status: 409, isTemporary: true })
    proxy.plan({ status: 409 })
    expect(await failureOf(signet.createPerson({ body: {} }))).toMatchObject({ status: 409, isTemporary: false })
    expect(proxy.seen).toHaveLength(1)
  })

  test.each(failures)('What Signet cannot know again is not repeated after %s, and has no key', async (_, fate) => {
    const path = { webhook_id: crypto.randomUUID() }
    for (const call of [
      () => signet.createOrganization({ body: { name: 'x' } }),
      () => signet.dryRunWebhook({ path }),
    ]) {
      proxy.plan(fate)
      expect(await failureOf(call())).toBeInstanceOf(SignetError)
      expect(proxy.seen).toHaveLength(1)
      expect(proxy.keys).toEqual([undefined])
    }
  })

  test('Any request is repeated after a 429, and not before its Retry-After', async () => {
    proxy.plan({ status: 429, headers: { 'retry-after': '1' } })
    const began = performance.now()
    await signet.createPerson({ body: {} })
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000)
    expect(proxy.seen).toEqual(['POST /persons', 'POST /persons'])
  })

  test('A Retry-After may be a time, by the clock of the service', async () => {
    const date = Date.parse('2001-01-01T00:00:00Z')
    const headers = { date: new Date(date).toUTCString(), 'retry-after': new Date(date + 1_000).toUTCString() }
    proxy.plan({ status: 429, headers })
    const began = performance.now()
    await signet.listGroups()
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000)
    expect(proxy.seen).toHaveLength(2)
    const late = { ...headers, 'retry-after': new Date(date + 61_000).toUTCString() }
    proxy.plan({ status: 503, headers: late })
    expect(await failureOf(signet.listGroups())).toMatchObject({ status: 503 })
  })

  test('A Retry-After of more than a minute is the caller’s to wait for', async () => {
    proxy.plan({ status: 429, headers: { 'retry-after': '61' } })
    expect(await failureOf(signet.listGroups())).toMatchObject({ status: 429 })
    expect(proxy.seen).toHaveLength(1)
  })

  test('A read is repeated after a 408, which only a proxy gives it', async () => {
    proxy.plan({ status: 408 })
    await signet.listGroups()
    expect(proxy.seen).toHaveLength(2)
  })

  test('A write is never repeated after a 408, for the change may be made', async () => {
    proxy.plan({ status: 408 })
    const all = { 'Service-Required-Consistency': 'all_regions' as const }
    expect(await failureOf(signet.createGroup({ headers: all, body: { name: 'everywhere' } }))).toMatchObject({
      status: 408,
    })
    expect(proxy.seen).toHaveLength(1)
  })

  test('The change of an application is not repeated, for the reply that was lost may have shown a new secret', async () => {
    const body = { name: 'Page', redirect_uris: ['https://page.example.com/'] }
    const { client_id } = (await signet.createApplication({ body })).result
    const toConfidential = () => signet.changeApplication({ path: { client_id }, body: { confidential: true } })
    proxy.plan('cut_after')
    expect(await failureOf(toConfidential())).toMatchObject({ status: undefined })
    expect(proxy.seen).toHaveLength(1)
    expect((await toConfidential()).result.client_secret).toBeUndefined()
  })

  test('A deletion whose reply was lost succeeds', async () => {
    await signet.createGroup({ body: { name: 'short-lived' } })
    proxy.plan('cut_after')
    expect(await signet.deleteGroup({ path: { group_name: 'short-lived' } })).toEqual({})
    expect(proxy.seen).toEqual(['DELETE /groups/short-lived', 'DELETE /groups/short-lived'])
  })

  test('A deletion that was never done fails with 404, also after a 429', async () => {
    proxy.plan({ status: 429 })
    expect(await failureOf(signet.deleteGroup({ path: { group_name: 'nothing' } }))).toMatchObject({ status: 404 })
    expect(proxy.seen).toHaveLength(2)
  })

  test('A deletion of what is not there fails at once with 404', async () => {
    proxy.plan()
    expect(await failureOf(signet.deleteGroup({ path: { group_name: 'nothing' } }))).toMatchObject({ status: 404 })
    expect(proxy.seen).toHaveLength(1)
  })

  test('A request is repeated as often as `retries` says, then its last failure is thrown', async () => {
    proxy.plan({ status: 503 }, { status: 503 }, { status: 502 })
    const patient = new Signet({ ...options, retries: 2 })
    expect(await failureOf(patient.listGroups())).toMatchObject({ status: 502 })
    expect(proxy.seen).toHaveLength(3)
  })

  test('A caller that gives up ends the pause, and nothing more is sent', async () => {
    proxy.plan({ status: 429, headers: { 'retry-after': '30' } })
    const giving = new AbortController()
    const listing = failureOf(signet.listGroups({ signal: giving.signal }))
    await expect.poll(() => proxy.seen.length).toBe(1)
    giving.abort()
    expect(await listing).toBe(giving.signal.reason)
    expect(proxy.seen).toHaveLength(1)
  })
})

describe('Lists', () => {
  test('Every item of a counted list comes once, page by page', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `list-${String(index).padStart(2, '0')}`)
    for (const name of names) await signet.createGroup({ body: { name } })
    proxy.plan()
    const found = await Array.fromAsync(eachItem((place) => signet.listGroups({ query: { limit: 10, ...place } })))
    expect(found.filter((name) => name.startsWith('list-'))).toEqual(names)
    expect(proxy.seen.length).toBe(Math.ceil(found.length / 10))
  })

  test('Every item of a list with a cursor comes once, page by page', async () => {
    const body = { name: 'Hook', target_url: 'https://hook.example.com/' }
    const webhook = { webhook_id: (await signet.createWebhook({ body })).result.id }
    const trigger = { trigger_type: 'event' as const, trigger_name: 'PersonCreated_v1' as const }
    await signet.createTrigger({ path: webhook, body: trigger })
    await signet.changeWebhook({ path: webhook, body: { enabled: false } })
    const events = Array.from({ length: 25 }, () => ({ event_name: 'PersonCreated_v1' as const }))
    const published = (await signet.publishTestEvents({ body: events })).result
    const found = await Array.fromAsync(
      eachItem((place) => signet.listDeliveries({ path: webhook, query: { limit: 10, ...place } })),
    )
    expect(found.map(({ sub }) => sub).sort()).toEqual(published.map(({ event_id }) => event_id).sort())
  })

  test('A list without items ends', async () => {
    const query = { handle: 'EmailAddress:nobody@example.com' }
    expect(await Array.fromAsync(eachItem((place) => signet.listPersons({ query: { ...query, ...place } })))).toEqual(
      [],
    )
  })
})

describe('The feed', () => {
  const direct = () => new Signet({ ...options, baseUrl: service.baseUrl })
  const publish = async (count: number) => {
    const events = Array.from({ length: count }, () => ({ event_name: 'PersonDeleted_v1' as const }))
    const { result } = await signet.publishTestEvents({ body: events })
    return result.map(({ event_id }) => event_id)
  }

  test('Pages end where the feed ends', async () => {
    const published = await publish(12)
    const query = { event_name: ['PersonDeleted*'], limit: 5 }
    const found = await Array.fromAsync(eachItem((place) => signet.listEvents({ query: { ...query, ...place } })))
    expect(found.map(({ event_metadata }) => event_metadata.event_id)).toEqual(published)
  })

  test('A reader gets what is there and what comes, in order, and goes on at its cursor', async () => {
    const [before] = await publish(2)
    const { meta } = await signet.listEvents({ query: { limit: 1000 } })
    const later = publish(3)
    const found: [string, string][] = []
    for await (const { cursor, event_name, event } of direct().followEvents({ after: meta.next })) {
      expect(event_name).toBe(event.event_metadata.event_name)
      if (found.push([cursor, event.event_metadata.event_id]) === 3) break
    }
    expect(found.map(([, id]) => id)).toEqual(await later)
    expect(await later).not.toContain(before)
    const [next = ''] = await publish(1)
    for await (const { event } of direct().followEvents({ after: found.at(-1)?.[0] ?? '', eventNames: ['Person*'] })) {
      expect(event.event_metadata.event_id).toBe(next)
      break
    }
  })

  test('A revoked key ends it with 401, a pattern that fits nothing with 400', async () => {
    const { result } = await signet.createApiKey({ body: { scopes: ['events:read'] } })
    const other = new Signet({ ...options, baseUrl: service.baseUrl, apiKey: result.api_key })
    await signet.revokeApiKey({ path: { id: result.id } })
    expect(await failureOf(other.followEvents().next())).toMatchObject({ status: 401 })
    expect(
      await failureOf(
        direct()
          .followEvents({ eventNames: ['Nothing*'] })
          .next(),
      ),
    ).toMatchObject({ status: 400 })
  })

  test('A cursor of another database ends it with 410 and the cursor to begin at', async () => {
    const { meta } = await signet.listEvents()
    const text = Buffer.from(meta.next, 'base64url').toString()
    const other = text.replace(/[0-9a-f-]{36}/, '01890000-0000-4000-8000-000000000000')
    const after = Buffer.from(other).toString('base64url')
    const error = await failureOf(direct().followEvents({ after }).next())
    expect(error.status).toBe(410)
    const oldest = /the oldest cursor is ([\w-]+)/.exec(error.message)?.[1]
    const all = await signet.listEvents({ query: { limit: 1000 } })
    expect((await signet.listEvents({ query: { limit: 1000, after: oldest ?? '' } })).result).toEqual(all.result)
  })
})
