import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { claimsOf } from '../support/jwt.ts'
import { addWebhook } from '../support/webhooks.ts'
import { limits, type Scene, setScene } from './support/scene.ts'
import { patience, tell, timeoutMs } from './support/suite.ts'

/** Of a webhook whose receiver is healthy: some are being called, the others wait in the worker. */
const held = 2 * limits.perWebhook
/** Far from the end of a lease: what a dead worker holds is taken back after five seconds, on a machine that is busy. */
const takenBackMs = 20_000
const soonMs = 5_000
/** Longer than a process may be without a session. */
const frozenMs = 7_000

describe('The session of a worker', { timeout: timeoutMs }, () => {
  test('A worker session ends with its process: its webhook goes on after five seconds, and all others at once', async (context) => {
    const scene = await setScene(context)
    const { receiver } = scene
    const doomed = await scene.start()
    const organization = await doomed.organization()
    const publish = await publishTo(scene, doomed, organization, '/held')
    const survivor = await scene.start()
    const publishElsewhere = await publishTo(scene, survivor, organization, '/other', 'PersonDeleted_v1')
    await untilGivenBack(scene)
    receiver.behave('/held', { hang: true })
    await publish(held)
    await receiver.waitFor('/held', 1 + limits.perWebhook)
    const [before] = await lanes(scene)
    await doomed.kill()
    const diedAt = performance.now()
    receiver.behave('/held', {})
    await scene.publish(survivor, organization, 'PersonCreated_v1', 1)
    await publishElsewhere(1)
    await receiver.waitFor('/other', 2, soonMs)
    await receiver.waitFor('/held', 1 + limits.perWebhook + held + 1, takenBackMs)
    const tookMs = performance.now() - diedAt
    await scene.untilDelivered()
    await vi.waitFor(async () => expect(await workers(scene)).toHaveLength(1), patience)
    const [after] = await lanes(scene)
    expect(after?.leased_by).not.toBe(before?.leased_by)
    tell('process with a session killed', { 'taken back after ms': Math.round(tookMs), ...(await scene.check()) })
  })

  test('What a killed process was delivering without a row in the queue is delivered by another, and nothing else again', async (context) => {
    const { scene, publisher: doomed, publishElsewhere } = await holdUnqueued(context)
    const { receiver } = scene
    await doomed.signet.kill()
    const diedAt = performance.now()
    receiver.behave('/held', {})
    await publishElsewhere(1)
    await receiver.waitFor('/other', 2, soonMs)
    await receiver.waitFor('/held', 1 + unqueued + 1, takenBackMs)
    const tookMs = performance.now() - diedAt
    await scene.untilDelivered()
    expect(receiver.received('/held')).toHaveLength(1 + unqueued + 1)
    expect(receiver.received('/other')).toHaveLength(2)
    tell('process killed while it delivered', { 'taken back after ms': Math.round(tookMs), ...(await scene.check()) })
  })

  test('What a frozen process is delivering without a row in the queue is delivered by another, and it changes nothing when it wakes up', async (context) => {
    const { scene, publisher: frozen, survivor } = await holdUnqueued(context)
    const { receiver } = scene
    const [held] = receiver.received('/held').slice(1)
    frozen.signet.process.kill('SIGSTOP')
    receiver.behave('/held', {})
    await scene.endLeases()
    await scene.query("update workers set registered_at = registered_at - interval '26 seconds'")
    await receiver.waitFor('/held', 1 + unqueued + 1, patience.timeout)
    await scene.untilDelivered()
    frozen.signet.process.kill('SIGCONT')
    expect(await frozen.signet.stop()).toBe(0)
    const log = await scene.query<{ jti: string }>(
      "select jsonb_path_query(attempt_log, '$.jti') #>> '{}' as jti from finished_deliveries",
    )
    expect(log).toHaveLength(scene.acknowledged.length)
    expect(log.map(({ jti }) => jti)).not.toContain(claimsOf(held?.body ?? '').jti)
    // Its lane is the other one's.
    expect(await scene.publish(survivor, frozen.organization, 'PersonCreated_v1', 1)).toBe(201)
    await scene.untilDelivered()
    expect(receiver.all()).toHaveLength(scene.acknowledged.length + unqueued)
    tell('process frozen while it delivered', await scene.check())
  })

  test('A worker session lasts while its process is frozen, which keeps its leases and settles each once', async (context) => {
    const scene = await setScene(context)
    const { receiver } = scene
    const frozen = await scene.start()
    const organization = await frozen.organization()
    const publish = await publishTo(scene, frozen, organization, '/frozen')
    await scene.start()
    receiver.behave('/frozen', { delayMs: 500 })
    await publish(limits.perWebhook)
    await receiver.waitFor('/frozen', 1 + limits.perWebhook)
    frozen.process.kill('SIGSTOP')
    const before = await claims(scene)
    await wait(frozenMs)
    expect(await claims(scene)).toEqual(before)
    frozen.process.kill('SIGCONT')
    await expectOneAttemptEach(scene)
    tell('process with a session frozen', await scene.check())
  })

  test('A worker session is made anew with all others when the database has ended all, and no worker gives up its leases', async (context) => {
    const scene = await setScene(context)
    const { receiver } = scene
    const both = [await scene.start(), await scene.start()] as const
    const organization = await both[0].organization()
    const publishes = [
      await publishTo(scene, both[0], organization, '/one'),
      await publishTo(scene, both[1], organization, '/other', 'PersonDeleted_v1'),
    ]
    for (const path of ['/one', '/other']) receiver.behave(path, { delayMs: 8_000 })
    await Promise.all(publishes.map((publish) => publish(limits.perWebhook)))
    for (const path of ['/one', '/other']) await receiver.waitFor(path, 1 + limits.perWebhook)
    const before = await workers(scene)
    expect(before).toHaveLength(2)
    for (let end = 0; end < 2; end++) {
      await endSessions(scene, 'true')
      await registeredAgain(scene, before)
    }
    await expectOneAttemptEach(scene)
    tell('all sessions ended', await scene.check())
  })

  test('A worker session is made anew when it alone was cut', async (context) => {
    const { scene, publish } = await setOne(context)
    scene.receiver.behave('/one', { delayMs: 3_000 })
    await publish(limits.perWebhook)
    await scene.receiver.waitFor('/one', 1 + limits.perWebhook)
    const before = await workers(scene)
    await endSessions(scene, holdsLock)
    await registeredAgain(scene, before)
    scene.receiver.behave('/one', {})
    await publish(1)
    await expectOneAttemptEach(scene)
    tell('session cut', await scene.check())
  })

  test('A worker without its session starts no request, and releases what waited for one', async (context) => {
    const { scene, signet, publish } = await setOne(context)
    const { receiver } = scene
    // What waits begins within a second, or goes back by itself.
    receiver.behave('/one', { delayMs: 900 })
    await publish(4 * limits.perWebhook)
    await receiver.waitFor('/one', 1 + limits.perWebhook)
    const release = await keepFromRegistering(scene)
    context.onTestFinished(release)
    await vi.waitFor(() => expect(signet.output()).toContain('no requests are started'), patience)
    await wait(100)
    const { length: begun } = receiver.received('/one')
    await publish(limits.perWebhook)
    await wait(1_500)
    expect(receiver.received('/one')).toHaveLength(begun)
    await vi.waitFor(async () => expect(await claims(scene)).toEqual([]), patience)
    await release()
    await expectOneAttemptEach(scene)
    tell('kept from registering', { begun, ...(await scene.check()) })
  })
})

/** As the healthy lane of a process allows for one publication. */
const unqueued = 1

/** A process whose delivery hangs that it has claimed as it published it, and another one beside it. */
async function holdUnqueued(context: TestContext) {
  const scene = await setScene(context)
  const signet = await scene.start()
  const organization = await signet.organization()
  const publish = await publishTo(scene, signet, organization, '/held')
  const survivor = await scene.start()
  const publishElsewhere = await publishTo(scene, survivor, organization, '/other', 'PersonDeleted_v1')
  await untilGivenBack(scene)
  scene.receiver.behave('/held', { hang: true })
  await publish(unqueued)
  await scene.receiver.waitFor('/held', 1 + unqueued)
  expect(await scene.query('select from unqueued_deliveries')).toHaveLength(unqueued)
  expect(await scene.query('select from deliveries')).toEqual([])
  return { scene, publisher: { signet, organization }, survivor, publishElsewhere }
}

type Started = Awaited<ReturnType<Scene['start']>>
type Organization = Awaited<ReturnType<Started['organization']>>

/** A webhook whose receiver is healthy, and what publishes events for it. */
async function publishTo(
  scene: Scene,
  signet: Started,
  organization: Organization,
  path: string,
  eventName = 'PersonCreated_v1',
) {
  const publish = async (count: number) => expect(await scene.publish(signet, organization, eventName, count)).toBe(201)
  await addWebhook(signet, organization, scene.receiver.url(path), [eventName])
  await publish(1)
  await scene.receiver.waitFor(path, 1)
  await scene.untilDelivered()
  return publish
}

async function setOne(context: TestContext) {
  const scene = await setScene(context)
  const signet = await scene.start()
  return { scene, signet, publish: await publishTo(scene, signet, await signet.organization(), '/one') }
}

const lanes = ({ query }: Scene) =>
  query<{ leased_by: string | null }>('select leased_by from lanes order by webhook_id')
/** Either process may have made a first delivery, and has its lane for some seconds. */
const untilGivenBack = (scene: Scene) =>
  vi.waitFor(
    async () => expect(new Set((await lanes(scene)).map((lane) => lane.leased_by))).toEqual(new Set([null])),
    patience,
  )
const claims = ({ query }: Scene) =>
  query(`
    select event_id, lease_token from deliveries where is_leased
     union all select event_id, claimed_by from unqueued_deliveries order by 1`)
const workers = ({ query }: Scene) =>
  query<{ id: string; at: Date; missing_since: Date | null }>(
    'select id, registered_at as at, missing_since from workers order by id',
  )

/** That of a worker; the one of a process is of two numbers. */
const holdsLock = `pid in (select pid from pg_locks where locktype = 'advisory' and objsubid = 1)`
const endSessions = ({ query }: Pick<Scene, 'query'>, which: string) =>
  query(`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ${which}`)

const registeredAgain = (scene: Scene, before: Awaited<ReturnType<typeof workers>>) =>
  vi.waitFor(async () => {
    const now = await workers(scene)
    expect(now.map(({ id, missing_since }) => ({ id, missing_since }))).toEqual(
      before.map(({ id }) => ({ id, missing_since: null })),
    )
    for (const [index, { at }] of now.entries()) expect(Number(at)).toBeGreaterThan(Number(before[index]?.at))
  }, patience)

/** Ends the session of the one worker, and has its lock meanwhile. */
async function keepFromRegistering({ database, query }: Scene) {
  const client = new pg.Client(database)
  await client.connect()
  await endSessions({ query }, holdsLock)
  await client.query('select pg_advisory_lock(hashtextextended(id::text, 0)) from workers')
  return async () => void (await client.end())
}

async function expectOneAttemptEach(scene: Scene) {
  await scene.untilDelivered()
  expect(await scene.query('select distinct attempts_count from finished_deliveries')).toEqual([{ attempts_count: 1 }])
  expect(scene.receiver.all()).toHaveLength(scene.acknowledged.length)
}
