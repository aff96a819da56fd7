import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Answer, type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const unknownId = '01890000-0000-7000-8000-000000000000'
const noWebhook = refused(404, 'webhook: not found')
const noDelivery = refused(404, 'delivery: not found')
const notFinished = refused(
  409,
  'delivery: is not finished; pausing and resuming its webhook has what waits tried sooner',
)
const readOnlyKey = refused(403, 'Service-API-Key: this key is read-only; it lacks the scope deliveries:write')
/** The window is over before the second attempt: what fails is dropped. */
const once = { SIGNET_RETRY_INITIAL: '100ms', SIGNET_RETRY_MAX: '100ms', SIGNET_RETRY_WINDOW: '50ms' }

let receiver: Receiver
let signet: Signet
let ours: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  const env = { ...once, SIGNET_RATE_TEST_EVENTS: '100000/100000' }
  signet = await startOwnSignet({ receiver, env })
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

beforeEach(async () => {
  ours = await signet.organization()
})

const ask = (method: string, path: string, body?: unknown, organization = ours) =>
  signet.as(organization, method, path, body)

/** A webhook of this organization, at a path of its own. */
async function subscribe(name = 'hook', fields: object = {}) {
  const path = `/${ours.id}/${name}`
  const id = await addWebhook(signet, ours, receiver.url(path), ['PersonCreated_v1', 'PersonDeleted_v1'], fields)
  const resource = `/organizations/webhooks/${id}`
  return { id, path, resource, deliveries: `${resource}/deliveries` }
}

type Webhook = Awaited<ReturnType<typeof subscribe>>

/** Gives the ids of the events, in their order. */
async function publish(count = 1, event_name = 'PersonCreated_v1'): Promise<string[]> {
  const { body } = await ask('POST', '/test-events', Array(count).fill({ event_name }))
  return body.result.map(({ event_id }: { event_id: string }) => event_id)
}

type Delivery = { id: string; status: string; [field: string]: unknown }

const get = async ({ deliveries }: Webhook, id: string | undefined) =>
  (await ask('GET', `${deliveries}/${id}`)).body.result
const list = async ({ deliveries }: Webhook, query = ''): Promise<Delivery[]> =>
  (await ask('GET', `${deliveries}?${query}`)).body.result
const idsOf = (found: Delivery[]) => found.map(({ id }) => id)

const untilStatus = (webhook: Webhook, id: string | undefined, status: string) =>
  expect.poll(async () => (await get(webhook, id)).status, { timeout: 10_000 }).toBe(status)

async function untilAll(webhook: Webhook, count: number, status: string) {
  await expect.poll(() => list(webhook, `status=${status}&limit=1000`), { timeout: 10_000 }).toHaveLength(count)
}

const subsAt = ({ path }: Webhook) => receiver.received(path).map(({ body }) => decodeJwt(body).sub)
const pause = ({ resource }: Webhook) => ask('PATCH', resource, { enabled: false })
const resume = ({ resource }: Webhook) => ask('PATCH', resource, { enabled: true })
const triggerQuery = '/triggers?trigger_type=event&trigger_name=PersonCreated_v1'

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
    ['status=done', 'status: must be one of pending, in_flight, held, succeeded, dropped, cancelled'],
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

describe('Redelivery', () => {
  const redeliver = ({ deliveries }: Webhook, id: string | undefined, organization = ours): Promise<Answer> =>
    ask('POST', `${deliveries}/${id}/redeliver`, undefined, organization)

  async function dropped(count = 1) {
    const webhook = await subscribe()
    receiver.behave(webhook.path, { status: 500 })
    const ids = await publish(count)
    await untilAll(webhook, count, 'dropped')
    return { webhook, ids }
  }

  // Proves 6.2, rule 4/4.
  test('A redelivery is 202 and sends the same sub, signed anew, with continued attempt numbers', async () => {
    const { webhook, ids } = await dropped()
    receiver.behave(webhook.path, { status: 200 })
    expect(await redeliver(webhook, ids[0])).toMatchObject({ status: 202, body: {} })
    await untilStatus(webhook, ids[0], 'succeeded')
    const delivery = await get(webhook, ids[0])
    expect(delivery).toMatchObject({ attempts_count: 2 })
    expect(delivery).not.toHaveProperty('reason')
    expect(delivery.attempts).toMatchObject([
      { number: 1, status_code: 500 },
      { number: 2, status_code: 200 },
    ])
    const claims = receiver.received(webhook.path).map(({ body }) => decodeJwt(body))
    expect(claims.map(({ sub }) => sub)).toEqual([ids[0], ids[0]])
    expect(claims.map(({ jti }) => jti)).toEqual(delivery.attempts.map(({ jti }: { jti: string }) => jti))
    expect(claims[0]?.jti).not.toBe(claims[1]?.jti)
  })

  test('A redelivery is possible whatever the outcome was, a success too', async () => {
    const webhook = await subscribe()
    const [id] = await publish()
    await untilStatus(webhook, id, 'succeeded')
    expect((await redeliver(webhook, id)).status).toBe(202)
    await receiver.waitFor(webhook.path, 2)
    expect(subsAt(webhook)).toEqual([id, id])
  })

  test('A redelivery is 409 while the delivery is in flight, pending or held', async () => {
    const webhook = await subscribe('hook', { timeout: '3s' })
    receiver.behave(webhook.path, { hang: true })
    const [first, second] = await publish(2)
    await untilStatus(webhook, first, 'in_flight')
    expect(await redeliver(webhook, first)).toMatchObject(notFinished)
    expect(await redeliver(webhook, second)).toMatchObject(notFinished)
    await pause(webhook)
    expect(await redeliver(webhook, second)).toMatchObject(notFinished)
  })

  test('A redelivery is 202 for one of ten concurrent callers, and 409 for the others', async () => {
    const { webhook, ids } = await dropped()
    await pause(webhook)
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeliver(webhook, ids[0])))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 202) expect(answer).toMatchObject(notFinished)
    expect(await list(webhook)).toMatchObject([{ id: ids[0], status: 'held' }])
  })

  test('A redelivery is 409 when its trigger is gone, and is made once the trigger was added again', async () => {
    const { webhook, ids } = await dropped()
    receiver.behave(webhook.path, { status: 200 })
    await ask('DELETE', webhook.resource + triggerQuery)
    expect(await redeliver(webhook, ids[0])).toMatchObject(refused(409, 'delivery: its trigger is no longer there'))
    expect(await get(webhook, ids[0])).toMatchObject({ status: 'dropped', attempts_count: 1 })
    await ask('POST', `${webhook.resource}/triggers`, { trigger_type: 'event', trigger_name: 'PersonCreated_v1' })
    expect((await redeliver(webhook, ids[0])).status).toBe(202)
    await untilStatus(webhook, ids[0], 'succeeded')
  })

  test('A redelivery waits while the webhook is paused', async () => {
    const { webhook, ids } = await dropped()
    receiver.behave(webhook.path, { status: 200 })
    await pause(webhook)
    expect((await redeliver(webhook, ids[0])).status).toBe(202)
    expect(await get(webhook, ids[0])).toMatchObject({ status: 'held', attempts_count: 1 })
    await resume(webhook)
    await untilStatus(webhook, ids[0], 'succeeded')
  })

  test('A redelivery is refused for another organization, and for a read-only key', async () => {
    const { webhook, ids } = await dropped()
    const theirs = await signet.organization()
    const { api_key } = (await ask('POST', '/organizations/api-keys', { read_only: true })).body.result
    const reader = { id: ours.id, apiKey: api_key }
    const since = '2026-01-01T00:00:00Z'
    expect(await redeliver(webhook, ids[0], theirs)).toMatchObject(noWebhook)
    expect(await ask('POST', `${webhook.resource}/redeliver`, { since }, theirs)).toMatchObject(noWebhook)
    expect(await redeliver(webhook, ids[0], reader)).toMatchObject(readOnlyKey)
    expect(await ask('POST', `${webhook.resource}/redeliver`, { since }, reader)).toMatchObject(readOnlyKey)
    expect((await ask('GET', webhook.deliveries, undefined, reader)).body.result).toHaveLength(1)
    expect(await get(webhook, ids[0])).toMatchObject({ status: 'dropped', attempts_count: 1 })
  })

  describe('The redelivery of a time span', () => {
    const redeliverSpan = ({ resource }: Webhook, body: object) => ask('POST', `${resource}/redeliver`, body)
    const start = '2026-01-01T00:00:00Z'

    /** Three that were dropped and one that succeeded, each of its own millisecond; then paused. */
    async function finished() {
      const { webhook, ids } = await dropped()
      for (const _ of Array(2)) {
        await publish()
        await untilAll(webhook, ids.length + 1, 'dropped')
        ids.push(...idsOf(await list(webhook, 'limit=1')))
      }
      receiver.behave(webhook.path, { status: 200 })
      const [last] = await publish()
      await untilStatus(webhook, last, 'succeeded')
      await pause(webhook)
      return { webhook, ids: [...ids, last] as string[] }
    }

    const heldIn = async (webhook: Webhook) => idsOf(await list(webhook, 'status=held')).toReversed()

    test('The redelivery of a time span reopens all deliveries that were finished in it', async () => {
      const { webhook, ids } = await finished()
      expect(await redeliverSpan(webhook, { since: start })).toMatchObject({ status: 202, body: {} })
      expect(await heldIn(webhook)).toEqual(ids)
      await resume(webhook)
      await untilAll(webhook, 4, 'succeeded')
      expect(subsAt(webhook).slice(4).sort()).toEqual(ids.toSorted())
    })

    test('The redelivery of a time span begins at since and ends before until, by created_at', async () => {
      const { webhook, ids } = await finished()
      const [, second, , last] = await Promise.all(ids.map((id) => get(webhook, id)))
      await redeliverSpan(webhook, { since: second.created_at, until: last.created_at })
      expect(await heldIn(webhook)).toEqual(ids.slice(1, 3))
    })

    test.each([
      ['succeeded', [3]],
      ['dropped', [0, 1, 2]],
      ['cancelled', []],
    ])('The redelivery of a time span is limited to the status %s', async (status, places) => {
      const { webhook, ids } = await finished()
      expect((await redeliverSpan(webhook, { since: start, status })).status).toBe(202)
      expect(await heldIn(webhook)).toEqual(places.map((place) => ids[place]))
    })

    test('The redelivery of a time span leaves deliveries that wait, and those whose trigger is gone', async () => {
      const { webhook } = await finished()
      const [held] = await publish(1, 'PersonDeleted_v1')
      await ask('DELETE', webhook.resource + triggerQuery)
      expect((await redeliverSpan(webhook, { since: start })).status).toBe(202)
      expect(await heldIn(webhook)).toEqual([held])
    })

    test('The redelivery of a time span by concurrent callers reopens each delivery once', async () => {
      const { webhook, ids } = await finished()
      const answers = await Promise.all(Array.from({ length: 5 }, () => redeliverSpan(webhook, { since: start })))
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(202))
      expect(await heldIn(webhook)).toEqual(ids)
    })

    test.each<[object, string]>([
      [{}, 'since: is required'],
      [{ since: 'yesterday' }, 'since: must be a time as in RFC 3339'],
      [{ since: start, until: 5 }, 'until: must be a time as in RFC 3339'],
      [{ since: start, until: '2025-01-01T00:00:00Z' }, 'since: must not be after until'],
      [{ since: start, status: 'held' }, 'status: must be one of succeeded, dropped, cancelled'],
      [{ since: start, limit: 5 }, 'limit: is not a known field'],
    ])('The redelivery of a time span with %j is 400', async (body, message) => {
      expect(await redeliverSpan(await subscribe(), body)).toMatchObject(refused(400, message))
    })

    test('The redelivery of a time span is 404 for a webhook that does not exist', async () => {
      expect(await ask('POST', `/organizations/webhooks/${unknownId}/redeliver`, { since: start })).toMatchObject(
        noWebhook,
      )
    })
  })
})

describe('The pause of a webhook', () => {
  const shown = async ({ resource }: Webhook) => {
    const { enabled, paused_reason } = (await ask('GET', resource)).body.result
    return { enabled, paused_reason }
  }

  test('The pause of a webhook is shown, with its reason, wherever the webhook is', async () => {
    const webhook = await subscribe()
    expect(await shown(webhook)).toEqual({ enabled: true, paused_reason: undefined })
    const paused = { enabled: false, paused_reason: 'requested' }
    expect((await pause(webhook)).body.result).toMatchObject({ id: webhook.id, ...paused })
    expect(await shown(webhook)).toEqual(paused)
    expect((await ask('GET', '/organizations/webhooks')).body.result).toMatchObject([paused])
    expect((await ask('PATCH', webhook.resource, { name: 'Other' })).body.result).toMatchObject(paused)
    const { enabled, ...others } = (await resume(webhook)).body.result
    expect(enabled).toBe(true)
    expect(others).not.toHaveProperty('paused_reason')
    expect(await shown(webhook)).toEqual({ enabled: true, paused_reason: undefined })
  })

  test('The pause of a webhook holds its deliveries and no others, and its end delivers them', async () => {
    const [paused, other] = [await subscribe('paused'), await subscribe('other')]
    await pause(paused)
    const ids = await publish(20)
    await untilAll(other, 20, 'succeeded')
    expect(idsOf(await list(paused, 'status=held'))).toEqual(ids.toReversed())
    expect(receiver.received(paused.path)).toEqual([])
    await resume(paused)
    await untilAll(paused, 20, 'succeeded')
    expect(subsAt(paused).sort()).toEqual(ids.toSorted())
  })

  test('The pause of a paused webhook, and the end of none, have no effect', async () => {
    const webhook = await subscribe()
    expect((await resume(webhook)).body.result).toMatchObject({ enabled: true })
    for (const _ of Array(2)) {
      expect((await pause(webhook)).status).toBe(200)
      expect(await shown(webhook)).toEqual({ enabled: false, paused_reason: 'requested' })
    }
    await resume(webhook)
    const [id] = await publish()
    await untilStatus(webhook, id, 'succeeded')
  })

  test.each([null, 'false', 0])('The pause of a webhook with enabled %j is 400', async (enabled) => {
    const { resource } = await subscribe()
    expect(await ask('PATCH', resource, { enabled })).toMatchObject(refused(400, 'enabled: must be a boolean'))
  })

  test('The pause of a webhook in a change that is refused has no effect', async () => {
    const [webhook, other] = [await subscribe(), await subscribe('other')]
    const target_url = receiver.url(other.path)
    expect((await ask('PATCH', webhook.resource, { enabled: false, target_url })).status).toBe(409)
    expect(await shown(webhook)).toEqual({ enabled: true, paused_reason: undefined })
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
