import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closeDeliveries,
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
import type { Answer } from '../support/signet.ts'

beforeAll(openDeliveries)
afterAll(closeDeliveries)
beforeEach(newOrganization)

const notFinished = refused(
  409,
  'delivery: is not finished; pausing and resuming its webhook has what waits tried sooner',
)
const readOnlyKey = refused(403, 'Service-API-Key: this key is read-only; it lacks the scope deliveries:write')
const subsAt = ({ path }: Webhook) => receiver.received(path).map(({ body }) => decodeJwt(body).sub)

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
