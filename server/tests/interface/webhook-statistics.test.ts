import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closeDeliveries,
  get,
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
  unknownId,
  untilAll,
  untilStatus,
  type Webhook,
} from '../support/own-deliveries.ts'
import { refused } from '../support/refused.ts'

beforeAll(openDeliveries)
afterAll(closeDeliveries)
beforeEach(newOrganization)

const statistics = (query = '') => ask('GET', `/organizations/webhooks/statistics?${query}`)
const listed = async (query = '') => (await statistics(query)).body.result
const of = async ({ id }: Webhook) => (await listed(`webhook_id=${id}`))[0]
const namesOf = async (query = '') => (await listed(query)).map(({ name }: { name: string }) => name)

describe('The statistics of webhooks', () => {
  test('A webhook shows what it is, and of its attempts how many there were and how long they took', async () => {
    const webhook = await subscribe()
    receiver.behave(webhook.path, { delayMs: 80 })
    await publish(20)
    await untilAll(webhook, 20, 'succeeded')
    const [row] = await listed()
    expect(row).toEqual({
      webhook_id: webhook.id,
      name: expect.any(String),
      target_url: receiver.url(webhook.path),
      enabled: true,
      created_at: expect.any(String),
      trigger_types: ['event'],
      held: 0,
      pending: 0,
      event: {
        attempts: 20,
        failed: 0,
        timeouts: 0,
        error_rate: 0,
        p50_ms: expect.any(Number),
        p95_ms: expect.any(Number),
      },
    })
    expect(row.event.p50_ms).toBeGreaterThan(72)
    expect(row.event.p95_ms).toBeGreaterThanOrEqual(row.event.p50_ms)
  })

  test('Failures are counted by their word or status, and the newest is shown with its number and since when', async () => {
    const webhook = await subscribe()
    receiver.behave(webhook.path, { status: 503 })
    await publish(3)
    await untilAll(webhook, 3, 'dropped')
    receiver.behave(webhook.path, { reset: true })
    const [id] = await publish()
    await untilStatus(webhook, id, 'dropped')
    const row = await of(webhook)
    expect(row.event).toMatchObject({
      attempts: 4,
      failed: 4,
      error_rate: 1,
      timeouts: 0,
      last_error: { error: 'connection_reset', count: 1 },
    })
    expect(Date.parse(row.failing_since)).toBeLessThanOrEqual(Date.parse(row.event.last_error.at))
  })

  test('A receiver that does not answer in time counts as a time-out, and takes as long as its webhook waits', async () => {
    const webhook = await subscribe('slow', { timeout: '300ms' })
    receiver.behave(webhook.path, { hang: true })
    await publish()
    await untilAll(webhook, 1, 'dropped')
    const { event } = await of(webhook)
    expect(event).toMatchObject({ attempts: 1, timeouts: 1, last_error: { error: 'timeout', count: 1 } })
    expect(event.p95_ms).toBeGreaterThan(270)
    expect(event.p95_ms).toBeLessThan(500)
  })

  test('They are found by a part of their name and by state, and ordered as asked', async () => {
    const slow = await subscribe('Slow')
    const broken = await subscribe('Broken')
    const fine = await subscribe('fine')
    receiver.behave(slow.path, { delayMs: 200 })
    receiver.behave(broken.path, { status: 500 })
    await publish()
    await Promise.all([untilAll(slow, 1, 'succeeded'), untilAll(broken, 1, 'dropped'), untilAll(fine, 1, 'succeeded')])
    await pause(fine)
    await publish(2)
    await untilAll(fine, 2, 'held')
    const idsBy = async (query: string) => (await listed(query)).map((row: { webhook_id: string }) => row.webhook_id)
    expect(await idsBy('')).toEqual([fine.id, broken.id, slow.id])
    expect((await idsBy('sort=p95'))[0]).toBe(slow.id)
    expect((await idsBy('sort=error_rate'))[0]).toBe(broken.id)
    expect((await idsBy('sort=held'))[0]).toBe(fine.id)
    expect(await idsBy('state=paused')).toEqual([fine.id])
    expect(await idsBy('state=failing')).toEqual([broken.id])
    expect(await idsBy('state=active')).toEqual([broken.id, slow.id])
    expect(await idsBy(`name=${ours.id}/SLOW`)).toEqual([slow.id])
    expect(await of(fine)).toMatchObject({ enabled: false, paused_reason: 'requested', held: 2, pending: 0 })
    expect(Date.parse((await of(fine)).paused_at)).toBeGreaterThan(Date.parse((await of(fine)).created_at))
    const { body } = await ask('GET', `/organizations/webhooks?name=${ours.id}/slow`)
    expect(body).toMatchObject({ result: [{ id: slow.id }], meta: { pagination: { total_count: 1 } } })
    const second = await statistics('limit=1&offset=1')
    expect(second.body.result).toMatchObject([{ webhook_id: broken.id }])
    expect(second.body.meta.pagination).toEqual({ limit: 1, offset: 1, total_count: 3 })
  })

  test('What is unknown is refused, and nothing of another organization is shown', async () => {
    expect(await statistics('sort=oldest')).toMatchObject({ status: 400 })
    expect(await statistics('state=broken')).toMatchObject({ status: 400 })
    const beforeYesterday = new Date(Date.now() - 26 * 3_600_000).toISOString()
    for (const sort of ['p95', 'error_rate'])
      expect(await statistics(`since=${beforeYesterday}&sort=${sort}`)).toMatchObject(
        refused(400, `since: must be at most 25h0m0s ago where sort is ${sort}`),
      )
    expect(await statistics(`since=${beforeYesterday}&sort=held`)).toMatchObject({ status: 200 })
    expect(await statistics('since=2020-01-01T00:00:00Z')).toMatchObject(
      refused(400, 'since: must be at most 720h0m0s ago, for so long events are kept'),
    )
    await subscribe()
    const other = await signet.organization()
    expect((await ask('GET', '/organizations/webhooks/statistics', undefined, other)).body.result).toEqual([])
    expect(await namesOf('webhook_id=01890000-0000-7000-8000-000000000000')).toEqual([])
  })
})

describe('Trying one delivery now', () => {
  const tryOne = ({ resource }: Webhook, organization = ours) => ask('POST', `${resource}/try`, undefined, organization)
  const none = refused(409, 'webhook: has no delivery that waits for an attempt')
  const busy = refused(409, 'webhook: an attempt is under way, or is about to begin')

  async function held(count: number) {
    const webhook = await subscribe()
    await pause(webhook)
    const ids = await publish(count)
    await untilAll(webhook, count, 'held')
    return { webhook, ids }
  }

  test('One that is held is sent though its webhook is paused, and nothing else is; then it is resumed', async () => {
    const { webhook, ids } = await held(3)
    expect(await tryOne(webhook)).toMatchObject({ status: 200, body: { result: { delivery_id: ids[0] } } })
    await untilStatus(webhook, ids[0], 'succeeded')
    expect(receiver.received(webhook.path)).toHaveLength(1)
    expect(await of(webhook)).toMatchObject({ enabled: false, held: 2, event: { attempts: 1, failed: 0 } })
    expect(await tryOne(webhook)).toMatchObject({ status: 200, body: { result: { delivery_id: ids[1] } } })
    await untilStatus(webhook, ids[1], 'succeeded')
    await resume(webhook)
    await untilStatus(webhook, ids[2], 'succeeded')
    expect(receiver.received(webhook.path)).toHaveLength(3)
    expect(await tryOne(webhook)).toMatchObject(none)
  })

  test('A failure leaves it held, also once its window of retries is over, and says why', async () => {
    const { webhook, ids } = await held(1)
    receiver.behave(webhook.path, { status: 500 })
    for (const count of [1, 2, 3]) {
      expect((await tryOne(webhook)).status).toBe(200)
      await expect.poll(async () => (await get(webhook, ids[0])).attempts_count).toBe(count)
      await untilStatus(webhook, ids[0], 'held')
    }
    const row = await of(webhook)
    expect(row.event).toMatchObject({ failed: 3, last_error: { status_code: 500, count: 3 } })
    expect(row.failing_since).toBeDefined()
    receiver.behave(webhook.path, { status: 200 })
    await tryOne(webhook)
    await untilStatus(webhook, ids[0], 'succeeded')
    const after = await of(webhook)
    expect(after).not.toHaveProperty('failing_since')
    expect(after).toMatchObject({ enabled: false, event: { failed: 3, attempts: 4 } })
  })

  test('Of many callers at once one is answered with the delivery, and it is sent once', async () => {
    const { webhook, ids } = await held(5)
    receiver.behave(webhook.path, { delayMs: 500 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => tryOne(webhook)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(busy)
    await untilStatus(webhook, ids[0], 'succeeded')
    expect(receiver.received(webhook.path)).toHaveLength(1)
  })

  test('Without anything that waits, of an unknown webhook or another organization, and with a read-only key it is refused', async () => {
    const { webhook } = await held(1)
    const empty = await subscribe('empty')
    expect(await tryOne(empty)).toMatchObject(none)
    expect(await ask('POST', `/organizations/webhooks/${unknownId}/try`)).toMatchObject(noWebhook)
    expect(await tryOne(webhook, await signet.organization())).toMatchObject(noWebhook)
    const { body } = await ask('POST', '/organizations/api-keys', { read_only: true })
    expect(await tryOne(webhook, { ...ours, apiKey: body.result.api_key })).toMatchObject({ status: 403 })
    expect(receiver.received(webhook.path)).toHaveLength(0)
  })
})
