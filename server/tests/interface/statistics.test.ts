import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

let receiver: Receiver
let signet: OwnSignet
let ours: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver })
  ours = await signet.organization()
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()
const path = (query: object = {}) =>
  `/organizations/statistics?${new URLSearchParams({ since: hourAgo(), step: '5m', ...query })}`
const statistics = async (query?: object, organization = ours) =>
  (await signet.as(organization, 'GET', path(query))).body.result
const sum = (points: Record<string, number>[], name: string) =>
  points.reduce((total, point) => total + (point[name] ?? 0), 0)

test('The statistics count each event once, and each delivery by its state, of this organization alone', async () => {
  const theirs = await signet.organization()
  await addWebhook(signet, ours, receiver.url('/hook'), ['PersonCreated_v1'])
  const paused = await addWebhook(signet, ours, receiver.url('/paused'), ['PersonCreated_v1'])
  await signet.as(ours, 'PATCH', `/organizations/webhooks/${paused}`, { enabled: false })
  const event = { event_name: 'PersonCreated_v1' }
  for (const organization of [ours, ours, theirs])
    await signet.as(organization, 'POST', '/test-events', Array(3).fill(event))
  await signet.as(ours, 'POST', '/test-events', [{ event_name: 'AuthenticationFailed_v1' }])
  await expect.poll(async () => (await statistics()).deliveries.succeeded, { timeout: 30_000 }).toBe(6)
  const shown = await statistics()
  expect(sum(shown.events, 'count')).toBe(7)
  expect(sum((await statistics({}, theirs)).events, 'count')).toBe(3)
  expect(sum(shown.deliveries_by_time, 'succeeded')).toBe(6)
  expect(shown.deliveries).toEqual({
    pending: 0,
    in_flight: 0,
    held: 6,
    succeeded: 6,
    dropped: 0,
    cancelled: 0,
  })
  // Nobody signed in.
  expect(shown.sign_ins).toEqual([])
  expect(shown.oldest_due).toBeNull()
})

test('A delivery that is delivered once more counts once, where it ended last, as it is in the list of that span', async () => {
  const own = await signet.organization()
  const webhook = await addWebhook(signet, own, receiver.url('/again'), ['PersonCreated_v1'])
  const events = Array(2).fill({ event_name: 'PersonCreated_v1' })
  const { body } = await signet.as(own, 'POST', '/test-events', events)
  const succeeded = async () => (await statistics({}, own)).deliveries.succeeded
  await expect.poll(succeeded, { timeout: 30_000 }).toBe(2)
  const id = body.result[0].event_id
  const path = `/organizations/webhooks/${webhook}/deliveries/${id}`
  await signet.as(own, 'POST', `${path}/redeliver`)
  const attempts = async () => (await signet.as(own, 'GET', path)).body.result.attempts.length
  await expect.poll(attempts, { timeout: 30_000 }).toBe(2)
  await expect.poll(succeeded, { timeout: 30_000 }).toBe(2)
  const { since, until, deliveries_by_time } = await statistics({}, own)
  const list = new URLSearchParams({ status: 'succeeded', finished_since: since, finished_until: until })
  const listed = (await signet.as(own, 'GET', `/organizations/deliveries?${list}`)).body.result
  expect([sum(deliveries_by_time, 'succeeded'), listed.length]).toEqual([2, 2])
})

test('The statistics have a point for each step, from the whole step before since', async () => {
  const { since, until, step, events, deliveries_by_time } = await statistics({
    since: '2026-11-25T00:03:00Z',
    until: '2026-11-25T00:59:30Z',
    step: '10m',
  })
  expect({ since, until, step }).toEqual({
    since: '2026-11-25T00:00:00.000Z',
    until: '2026-11-25T00:59:30.000Z',
    step: '10m0s',
  })
  const times = ['00:00', '00:10', '00:20', '00:30', '00:40', '00:50'].map((time) => `2026-11-25T${time}:00.000Z`)
  expect(events.map(({ at }: { at: string }) => at)).toEqual(times)
  expect(deliveries_by_time.map(({ at }: { at: string }) => at)).toEqual(times)
})

test.each<[object, string | RegExp]>([
  [{ step: '30s' }, 'step: must be a duration of whole minutes, such as 1m, 5m or 1h'],
  [{ step: '-5m' }, 'step: must be a duration of whole minutes, such as 1m, 5m or 1h'],
  [{ step: 'x' }, 'step: must be a duration of whole minutes, such as 1m, 5m or 1h'],
  [
    { since: '2020-01-01T00:00:00Z', until: '2020-01-01T01:00:00Z' },
    /^since: must be at most \S+ ago, for so long events/,
  ],
  [{ until: '2020-01-01T00:00:00Z' }, 'since: must not be after until'],
  [
    { since: new Date(Date.now() - 25 * 3_600_000).toISOString(), step: '1m' },
    /^step: must be longer, for there are 150\d of it/,
  ],
  [{ since: 'yesterday' }, 'since: must be a time as in RFC 3339'],
])('The statistics with %j are 400', async (query, message) => {
  const { status, body } = await signet.as(ours, 'GET', path(query))
  expect({ status, count: body.errors?.length }).toEqual({ status: 400, count: 1 })
  expect(body.errors[0].message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
})

test('The statistics need the scopes of deliveries and of events', async () => {
  const create = { scopes: ['deliveries:read'] }
  const { api_key } = (await signet.as(ours, 'POST', '/organizations/api-keys', create)).body.result
  expect(await signet.as({ id: ours.id, apiKey: api_key }, 'GET', path())).toMatchObject(
    refused(403, 'Service-API-Key: lacks the scope events:read'),
  )
})
