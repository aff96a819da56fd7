import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { ofForm } from '../support/form.ts'
import type { Behaviour } from '../support/receiver.ts'
import { addWebhook } from '../support/webhooks.ts'
import { maxOpen } from './support/invariants.ts'
import { type Scene, setScene } from './support/scene.ts'
import { patience, tell, timeoutMs } from './support/suite.ts'

const hangS = 4
/** As by default. */
const perWebhook = 10
const env = {
  SIGNET_RETRY_WINDOW: '120s',
  SIGNET_MAX_CONCURRENCY_PER_WEBHOOK: `${perWebhook}`,
  SIGNET_MAX_CONCURRENCY: '200',
  SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION: '200',
}
const manyLimits = { perWebhook, perOrganization: 200, total: 400 }
const events = ofForm(240, 2_400)
const everyMs = 25

/** Every so manieth call behaves in that way, the first one of all among them. */
const onceIn = (every: number, calls: number, behaviour: Behaviour): Behaviour => ({
  inTurn: Array.from({ length: calls }, (_, call) => (call % every === 0 ? behaviour : {})),
})

/** Two processes with one webhook, and what publishes to it by turns. */
async function twoProcesses(scene: Scene, path: string, behaviour: Behaviour, timeout = `${hangS}s`) {
  const signets = [await scene.start({ env }), await scene.start({ env })]
  const organization = await (signets[0] as (typeof signets)[0]).organization()
  scene.receiver.behave(path, behaviour)
  const [signet] = signets as [(typeof signets)[0]]
  const webhook = await addWebhook(signet, organization, scene.receiver.url(path), ['PersonCreated_v1'], { timeout })
  const publish = async (count: number, ms: number) => {
    for (let event = 0; event < count; event++) {
      const by = signets[event % 2] as (typeof signets)[0]
      expect(await scene.publish(by, organization, 'PersonCreated_v1', 1)).toBe(201)
      await wait(ms)
    }
  }
  return { signets, organization, webhook, publish }
}

/** How many calls of a path are open at most, by the receiver's own count. */
const mostOpen = (scene: Scene, path: string, from = 0) =>
  maxOpen(
    scene.receiver
      .received(path)
      .slice(from)
      .map(({ begun, ended = Infinity }) => ({ begun, ended })),
  )

test('One event in ten that hangs holds up none of the others, with two processes', {
  timeout: timeoutMs,
}, async (context) => {
  const scene = await setScene(context)
  const path = '/one-in-ten'
  const { publish, webhook } = await twoProcesses(scene, path, onceIn(10, events, { hang: true }))
  await publish(events, everyMs)
  // All have arrived once, although up to a quarter of a minute of hanging would lie before the last of them.
  const arrived = () => new Set(scene.receiver.received(path).map(({ body }) => body)).size
  await vi.waitFor(() => expect(arrived()).toBeGreaterThanOrEqual(events), { ...patience, timeout: hangS * 1_000 })
  await scene.untilDelivered()
  const [first] = await scene.query<{ ms: number }>(
    `select max(extract(epoch from (attempt_log -> 0 ->> 'started_at')::timestamptz) * 1000
                - ('x' || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint)::int as ms
       from finished_deliveries where webhook_id = $1`,
    [webhook],
  )
  expect(first?.ms).toBeLessThan(hangS * 1_000)
  const counts = await scene.check({ limits: manyLimits, retry: { initialMs: 300, maxMs: 3_000, windowMs: 120_000 } })
  tell('one in ten hangs', { 'longest wait (ms)': first?.ms, 'open at most': mostOpen(scene, path), ...counts })
})

test('A receiver that hangs at everything has its limit of requests, then one at a time; it recovers, and no more than fifty are ever open', {
  timeout: timeoutMs,
}, async (context) => {
  const scene = await setScene(context)
  const path = '/hangs'
  const { publish, webhook } = await twoProcesses(scene, path, { hang: true }, '2s')
  await publish(80, 5)
  await scene.receiver.waitFor(path, perWebhook + 3, patience.timeout)
  expect(mostOpen(scene, path)).toBe(perWebhook)
  expect(mostOpen(scene, path, perWebhook)).toBe(1)
  scene.receiver.behave(path, {})
  await scene.untilDelivered()
  const counts = await scene.check({ limits: manyLimits, retry: { initialMs: 300, maxMs: 3_000, windowMs: 120_000 } })
  const [lane] = await scene.query('select failures, in_flight, healthy from lanes where webhook_id = $1', [webhook])
  expect(lane).toEqual({ failures: 0, in_flight: 0, healthy: true })
  tell('hangs at everything', counts)
})

test('Failures by turns with successes pause no webhook', { timeout: timeoutMs }, async (context) => {
  const scene = await setScene(context)
  const path = '/by-turns'
  const { publish } = await twoProcesses(scene, path, onceIn(2, 2 * events, { status: 500 }))
  await publish(events / 4, 5)
  await scene.untilDelivered()
  const counts = await scene.check({ limits: manyLimits, retry: { initialMs: 300, maxMs: 3_000, windowMs: 120_000 } })
  const [rested] = await scene.query(`select cooldown_until = '-infinity' as never from lanes`)
  expect(rested).toEqual({ never: true })
  tell('failures by turns', counts)
})

test('What hangs when its process is killed is delivered by the other one', { timeout: timeoutMs }, async (context) => {
  const scene = await setScene(context)
  const path = '/killed'
  const { publish, signets } = await twoProcesses(scene, path, onceIn(3, events, { hang: true }))
  await publish(60, everyMs)
  signets[0]?.kill()
  await scene.untilDelivered()
  expect(mostOpen(scene, path)).toBeLessThanOrEqual(50)
  const states = await scene.query('select distinct status from finished_deliveries')
  expect(states).toEqual([{ status: 'succeeded' }])
  const lanes = await scene.query('select in_flight from lanes')
  expect(lanes).toEqual([{ in_flight: 0 }])
})

test('A trigger that is removed while its calls hang leaves nothing behind, and other organizations are served meanwhile', {
  timeout: timeoutMs,
}, async (context) => {
  const scene = await setScene(context)
  const path = '/removed'
  const { publish, signets, organization, webhook } = await twoProcesses(scene, path, onceIn(2, events, { hang: true }))
  const [signet] = signets as [(typeof signets)[0]]
  await publish(60, everyMs)
  const theirs = await signet.organization()
  await addWebhook(signet, theirs, scene.receiver.url('/theirs'), ['PersonCreated_v1'])
  const at = Date.now()
  expect(await scene.publish(signet, theirs, 'PersonCreated_v1', 1)).toBe(201)
  const [theirCall] = await scene.receiver.waitFor('/theirs', 1)
  expect((theirCall?.at ?? 0) - at).toBeLessThan(hangS * 1_000)
  const removed = await signet.as(
    organization,
    'DELETE',
    `/organizations/webhooks/${webhook}/triggers?trigger_type=event&trigger_name=PersonCreated_v1`,
  )
  expect(removed.status).toBe(204)
  const calls = scene.receiver.received(path).length
  await scene.untilDelivered()
  expect(scene.receiver.received(path)).toHaveLength(calls)
  expect(await scene.query('select in_flight from lanes where in_flight <> 0')).toEqual([])
})
