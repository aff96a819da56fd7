import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closeDeliveries,
  type Delivery,
  get,
  idsOf,
  list,
  newOrganization,
  noWebhook,
  openDeliveries,
  ours,
  pause,
  publish,
  receiver,
  resume,
  signet,
  subscribe,
  triggerQuery,
  unknownId,
  untilAll,
  untilStatus,
  type Webhook,
} from '../support/own-deliveries.ts'
import { refused } from '../support/refused.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openDeliveries)
afterAll(closeDeliveries)
beforeEach(newOrganization)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const noDelivery = refused(404, 'delivery: not found')

describe('A delivery', () => {
  test('A delivery that succeeded has its record, and when read alone its attempts with what they sent', async () => {
    const custom_headers = { 'X-Token': ['secret-value'], 'User-Agent': ['mine'] }
    const webhook = await subscribe('hook', { custom_headers })
    const [id] = await publish()
    await untilStatus(webhook, id, 'succeeded')
    const record = {
      id,
      webhook_id: webhook.id,
      trigger_type: 'event',
      trigger_name: 'PersonCreated_v1',
      sub: id,
      status: 'succeeded',
      attempts_count: 1,
      last_status_code: 200,
      created_at: expect.stringMatching(timestamp),
      finished_at: expect.stringMatching(timestamp),
    }
    const [request] = await receiver.waitFor(webhook.path, 1)
    const { trigger_content: _, ...claims } = decodeJwt(request?.body ?? '')
    const { kid } = decodeProtectedHeader(request?.body ?? '')
    const attempt = {
      number: 1,
      jti: claims.jti,
      started_at: expect.stringMatching(timestamp),
      duration_ms: expect.any(Number),
      status_code: 200,
      request: { kid, claims, header_names: expect.arrayContaining(['X-Token', 'User-Agent']) },
    }
    expect(await ask('GET', webhook.deliveries)).toMatchObject({ status: 200, body: { result: [record], meta: {} } })
    expect(await list(webhook)).toEqual([record])
    expect(await get(webhook, id)).toEqual({ ...record, attempts: [attempt] })
    const alone = await get(webhook, id?.toUpperCase())
    const names = alone.attempts[0].request.header_names.map((name: string) => name.toLowerCase())
    expect(names.toSorted()).toEqual(Object.keys(request?.headers ?? {}).toSorted())
    expect(JSON.stringify(alone)).not.toContain('secret-value')
  })

  // Proves 6.2, rule 4/3.
  test('A delivery that was dropped says why, with the first 1,024 bytes of the response', async () => {
    const webhook = await subscribe()
    receiver.behave(webhook.path, { status: 503, body: `${'x'.repeat(1_023)}yz` })
    const [id] = await publish()
    await untilStatus(webhook, id, 'dropped')
    const delivery = await get(webhook, id)
    expect(delivery).toMatchObject({ reason: 'retry_window_over', attempts_count: 1 })
    expect(delivery.attempts).toMatchObject([{ number: 1, status_code: 503, answer: `${'x'.repeat(1_023)}y` }])
    expect(await list(webhook, 'status=dropped')).toMatchObject([{ id, last_status_code: 503 }])
  })

  test('A delivery whose receiver did not answer has a code for the reason', async () => {
    const webhook = await subscribe('hook', { timeout: '100ms' })
    receiver.behave(webhook.path, { hang: true })
    const [id] = await publish()
    await untilStatus(webhook, id, 'dropped')
    const { attempts } = await get(webhook, id)
    expect(attempts).toEqual([
      {
        number: 1,
        jti: expect.stringMatching(uuid),
        started_at: expect.stringMatching(timestamp),
        duration_ms: expect.any(Number),
        request: expect.any(Object),
        error: 'timeout',
      },
    ])
    for (const query of ['', 'status=dropped']) {
      const [listed] = await list(webhook, query)
      expect(listed).toMatchObject({ id, last_error: 'timeout' })
      expect(listed).not.toHaveProperty('last_status_code')
    }
  })

  test('A delivery is in flight, pending or, while its webhook is paused, held', async () => {
    const webhook = await subscribe('hook', { timeout: '3s' })
    receiver.behave(webhook.path, { hang: true })
    // At most ten requests are in flight to a receiver that has not answered yet.
    const ids = await publish(11)
    const [tenth, last] = [ids[9], ids[10]]
    await untilStatus(webhook, tenth, 'in_flight')
    const pending = await get(webhook, last)
    expect(pending).toMatchObject({ status: 'pending', attempts_count: 0, attempts: [] })
    expect(pending.next_attempt_at).toMatch(timestamp)
    for (const name of ['finished_at', 'last_error', 'last_status_code']) expect(pending).not.toHaveProperty(name)
    await pause(webhook)
    const held = await get(webhook, last)
    expect(held).toMatchObject({ status: 'held' })
    expect(held).not.toHaveProperty('next_attempt_at')
    expect((await list(webhook)).map(({ id, status }) => [id, status])).toEqual([
      [last, 'held'],
      ...ids
        .slice(0, 10)
        .toReversed()
        .map((id) => [id, 'in_flight']),
    ])
  })

  test('A delivery is cancelled when its trigger is removed', async () => {
    const webhook = await subscribe()
    await pause(webhook)
    const [id] = await publish()
    await ask('DELETE', webhook.resource + triggerQuery)
    await resume(webhook)
    await untilStatus(webhook, id, 'cancelled')
    expect(await get(webhook, id)).toMatchObject({ reason: 'trigger_deleted', attempts_count: 0, attempts: [] })
    expect(receiver.received(webhook.path)).toEqual([])
  })

  test.each(['deliveries', `deliveries/${unknownId}`, 'delivery-counts'])(
    'GET %s of a webhook that does not exist is 404',
    async (path) => {
      const theirs = await addWebhook(signet, await signet.organization(), 'https://example.com', [])
      for (const id of [unknownId, 'x', theirs])
        expect(await ask('GET', `/organizations/webhooks/${id}/${path}`)).toMatchObject(noWebhook)
    },
  )

  test('A delivery is not found by a malformed id, nor at another webhook', async () => {
    const webhook = await subscribe()
    const [id] = await publish()
    await untilStatus(webhook, id, 'succeeded')
    const other = await subscribe('other')
    for (const path of [`${other.deliveries}/${id}`, `${webhook.deliveries}/${unknownId}`, `${webhook.deliveries}/x`])
      for (const [method, suffix] of [
        ['GET', ''],
        ['POST', '/redeliver'],
      ] as const)
        expect(await ask(method, path + suffix)).toMatchObject(noDelivery)
  })
})

describe('The list of deliveries', () => {
  /** All pages, one after the other; `between` is done after the first. */
  async function pages({ deliveries }: Webhook, query: string, between = async () => {}) {
    const found: string[][] = []
    for (let after = ''; ; ) {
      const { body } = await ask('GET', `${deliveries}?${query}${after}`)
      found.push(idsOf(body.result))
      expect(body.meta.has_more ?? false).toBe(body.meta.next !== undefined)
      if (body.meta.next === undefined) return found
      if (found.length === 1) await between()
      after = `&after=${body.meta.next}`
    }
  }

  test('The list of deliveries has the newest first, in pages with a cursor for the next one', async () => {
    const webhook = await subscribe()
    await pause(webhook)
    const ids = await publish(7)
    const newest = ids.toReversed()
    expect(await pages(webhook, 'limit=3')).toEqual([newest.slice(0, 3), newest.slice(3, 6), newest.slice(6)])
    expect(await pages(webhook, 'limit=7')).toEqual([newest])
    expect(await pages(webhook, '')).toEqual([newest])
  })

  test('The list of deliveries shows each once, also when it is finished or reopened between two pages', async () => {
    const webhook = await subscribe()
    await pause(webhook)
    const ids = await publish(30)
    const finish = async () => {
      await resume(webhook)
      await untilAll(webhook, 30, 'succeeded')
      await pause(webhook)
    }
    expect((await pages(webhook, 'limit=4', finish)).flat()).toEqual(ids.toReversed())
    const reopen = async () => {
      for (const id of ids.slice(0, 5)) await ask('POST', `${webhook.deliveries}/${id}/redeliver`)
    }
    expect((await pages(webhook, 'limit=4', reopen)).flat()).toEqual(ids.toReversed())
    expect(await list(webhook, 'status=held')).toHaveLength(5)
  })

  test('The list of deliveries can be filtered by status and by trigger', async () => {
    const webhook = await subscribe()
    const [succeeded] = await publish(1, 'PersonDeleted_v1')
    await untilStatus(webhook, succeeded, 'succeeded')
    receiver.behave(webhook.path, { status: 500 })
    const [dropped] = await publish()
    await untilStatus(webhook, dropped, 'dropped')
    await pause(webhook)
    const [held] = await publish()
    const found: [string, (string | undefined)[]][] = [
      ['status=succeeded', [succeeded]],
      ['status=dropped', [dropped]],
      ['status=cancelled', []],
      ['status=held', [held]],
      ['status=pending', []],
      ['status=in_flight', []],
      ['trigger_name=PersonCreated_v1', [held, dropped]],
      ['trigger_name=PersonDeleted_v1', [succeeded]],
      ['trigger_name=PersonDeleted_v1&status=dropped', []],
      ['trigger_name=PersonCreated_v1&status=dropped', [dropped]],
      ['', [held, dropped, succeeded]],
    ]
    for (const [query, ids] of found) {
      const { body } = await ask('GET', `${webhook.deliveries}?${query}&limit=${ids.length || 1}`)
      expect({ query, ids: idsOf(body.result), meta: body.meta }).toEqual({ query, ids, meta: {} })
    }
  })

  test.each([
    ['status=done', 'status: must be one of pending, in_flight, held, succeeded, dropped, cancelled, refused'],
    ['trigger_name=PersonCreated', /^trigger_name: must be one of .*PersonCreated_v1/],
    ['limit=0', 'limit: must be an integer from 1 to 1000'],
    ['limit=1001', 'limit: must be an integer from 1 to 1000'],
    ['offset=1', 'offset: is not a known field'],
    ['after=', 'after: must be a cursor of deliveries'],
    ['after=x', 'after: must be a cursor of deliveries'],
    [`after=${unknownId}`, 'after: must be a cursor of deliveries'],
    [`after=${Buffer.from('deliveries x').toString('base64url')}`, 'after: must be a cursor of deliveries'],
    [`after=${Buffer.from(`events ${unknownId}`).toString('base64url')}`, 'after: must be a cursor of deliveries'],
  ])('The list of deliveries with %s is 400', async (query, message) => {
    const webhook = await subscribe()
    const { status, body } = await ask('GET', `${webhook.deliveries}?${query}`)
    expect({ status, count: body.errors?.length }).toEqual({ status: 400, count: 1 })
    expect(body.errors[0].message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })
})

describe('The counts of a webhook', () => {
  const counts = ({ resource }: Webhook, query = '') => ask('GET', `${resource}/delivery-counts${query}`)
  test('The counts of a webhook say how many deliveries ended in which way on which day', async () => {
    const webhook = await subscribe()
    expect((await counts(webhook)).body).toEqual({ result: [] })
    await publish(3)
    await untilAll(webhook, 3, 'succeeded')
    receiver.behave(webhook.path, { status: 500 })
    await publish(2)
    await untilAll(webhook, 2, 'dropped')
    const { body } = await counts(webhook)
    const sum = (status: string) =>
      body.result.reduce((total: number, day: Record<string, number>) => total + (day[status] ?? 0), 0)
    expect(['succeeded', 'dropped', 'cancelled'].map(sum)).toEqual([3, 2, 0])
    for (const { day } of body.result) expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  test.each(['0', '91', 'x'])('The counts of a webhook with days=%s are 400', async (days) => {
    const answer = await counts(await subscribe(), `?days=${days}`)
    expect(answer).toMatchObject(refused(400, 'days: must be an integer from 1 to 90'))
  })
})

describe('The deliveries of all webhooks', () => {
  const search = (query: Record<string, string> = {}, organization = ours) =>
    ask('GET', `/organizations/deliveries?${new URLSearchParams(query)}`, undefined, organization)

  test('The deliveries of all webhooks are those of the organization alone, each with its webhook, page by page', async () => {
    const [one, other] = [await subscribe('one'), await subscribe('other')]
    const theirs = await signet.organization()
    const ids = await publish(3)
    await Promise.all([one, other].map((webhook) => untilAll(webhook, 3, 'succeeded')))
    const [first] = (await search({ event_id: ids[0]?.toUpperCase() ?? '' })).body.result
    expect(first).toEqual(
      (await list({ ...one, deliveries: `/organizations/webhooks/${first.webhook_id}/deliveries` })).at(-1),
    )
    const found: string[] = []
    for (let after: string | undefined, pages = 0; pages === 0 || after; pages++) {
      const { result, meta } = (await search({ limit: '4', ...(after && { after }) })).body
      found.push(...result.map(({ id, webhook_id }: Delivery) => `${id} ${webhook_id}`))
      expect(meta.has_more ?? false).toBe(meta.next !== undefined)
      after = meta.next
    }
    const pairs = ids.flatMap((id) => [one, other].map((webhook) => `${id} ${webhook.id}`))
    expect(found).toEqual(pairs.toSorted().toReversed())
    expect((await search({}, theirs)).body).toEqual({ result: [], meta: {} })
    await ask('DELETE', one.resource)
    expect(idsOf((await search({ webhook_id: one.id })).body.result)).toEqual(ids.toReversed())
  })

  test('The deliveries of all webhooks are bounded by the time of their event, and by what became of them', async () => {
    const webhook = await subscribe()
    const [succeeded] = await publish()
    await untilStatus(webhook, succeeded, 'succeeded')
    receiver.behave(webhook.path, { status: 503 })
    const [dropped] = await publish()
    await untilStatus(webhook, dropped, 'dropped')
    const { created_at } = (await get(webhook, dropped)) as { created_at: string }
    const found: [Record<string, string>, (string | undefined)[]][] = [
      [{ since: created_at }, [dropped]],
      [{ until: created_at }, [succeeded]],
      [
        { finished_since: '2026-01-01T00:00:00-23:59', finished_until: '9999-12-31T23:59:59+23:59' },
        [dropped, succeeded],
      ],
      [{ finished_until: '2026-01-01T00:00:00+16:00' }, []],
      [{ status_code: '503' }, [dropped]],
      [{ status_code: '200' }, [succeeded]],
      [{ error: 'timeout' }, []],
      [{ event_name: 'PersonCreated_v1', status: 'dropped' }, [dropped]],
      [{ event_name: 'token_minted' }, []],
      [{ webhook_id: unknownId }, []],
    ]
    for (const [query, ids] of found)
      expect({ query, ids: idsOf((await search(query)).body.result) }).toEqual({ query, ids })
  })

  test.each([
    [{ status: 'done' }, /^status: must be one of pending, /],
    [{ event_name: 'PersonCreated' }, /^event_name: must be one of /],
    [{ webhook_id: 'x' }, /^webhook_id: must be a UUID$/],
    [{ status_code: '99' }, /^status_code: must be an integer from 100 to 599$/],
    [{ error: 'forbidden_address' }, /^error: must be one of timeout, /],
    [{ event_id: 'x' }, /^event_id: must be a UUID$/],
    [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, /^since: must not be after until$/],
    [
      { finished_since: '2026-01-02T00:00:00Z', finished_until: '2026-01-01T00:00:00Z' },
      /^finished_since: must not be after finished_until$/,
    ],
    [
      { after: Buffer.from(`deliveries ${unknownId}`).toString('base64url') },
      /^after: must be a cursor of deliveries of all/,
    ],
  ])('The deliveries of all webhooks with %j are 400', async (query, message) => {
    const { status, body } = await search(query as Record<string, string>)
    expect({ status, messages: body.errors?.map((each: { message: string }) => each.message) }).toEqual({
      status: 400,
      messages: [expect.stringMatching(message)],
    })
  })
})

test('The verification keys show which key signs, which is the next one, and from when on it may sign', async () => {
  const { result } = (await ask('GET', '/organizations/webhooks/verification-keys')).body
  const { keys } = (await ask('GET', '/organizations/webhooks/verification-jwks')).body
  const key = {
    algorithm: 'ES256',
    published_at: expect.stringMatching(timestamp),
    signs_from: expect.stringMatching(timestamp),
  }
  expect(result).toEqual([
    { ...key, kid: keys[0].kid, state: 'signing' },
    { ...key, kid: keys[1].kid, state: 'published' },
  ])
  expect(Date.parse(result[1].signs_from) - Date.parse(result[1].published_at)).toBe(24 * 3_600_000)
})
