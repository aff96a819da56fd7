import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { isLong, ofForm } from '../support/form.ts'
import type { Organization, Signet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'
import { type DatabaseProxy, startDatabaseProxy } from './support/database-proxy.ts'
import { keepPublishing, type Scene, setScene } from './support/scene.ts'
import { chanceOf, patience, tell, timeoutMs } from './support/suite.ts'

const publishers = 4
const faults = ofForm(16, 120)
const silences = ofForm(1, 3)
/** A publisher waits while the slow receiver, which takes some 130 a second, has so many to come: else no patience is enough. */
const maxBehind = 2_000
/** In the long form all connections of the interface are silent in the end; a statement is waited for so long. */
const publishedWithin = { ...patience, timeout: ofForm(patience.timeout, 140_000) }

type Fault = (proxy: DatabaseProxy, chance: () => number) => void

/** What becomes of the way to the database; each for a moment. */
const kinds: Record<string, Fault> = {
  cut: (proxy) => proxy.cut(),
  'cut in part': (proxy, chance) => proxy.cut(1 + Math.floor(chance() * 3)),
  stalled: (proxy, chance) => proxy.stall(100 + chance() * 900),
  slow: (proxy, chance) => proxy.delay(() => 50 + chance() * 250),
  'cut while slow': (proxy, chance) => {
    proxy.delay(() => 50 + chance() * 250)
    proxy.cut()
  },
}
const kindNames = Object.keys(kinds)

describe.concurrent('Broken connections to the database', {
  timeout: timeoutMs,
}, () => {
  test('Each acknowledged event arrives, and the process recovers, when connections to the database are cut, stalled and slow', async (context) => {
    const { scene, proxy, signet, organization } = await publishThroughProxy(context)
    const isBehind = () => scene.acknowledged.length - scene.receiver.received('/slow').length > maxBehind
    const publishing = keepPublishing(publishers, () =>
      isBehind() ? wait(20) : scene.publish(signet, organization, 'PersonCreated_v1', 2),
    )
    const chance = chanceOf('connection')
    const made: Record<string, number> = {}
    for (let fault = 0; fault < faults; fault++) {
      const kind = kindNames[fault] ?? kindNames[Math.floor(chance() * kindNames.length)] ?? ''
      kinds[kind]?.(proxy, chance)
      made[kind] = (made[kind] ?? 0) + 1
      await wait(100 + chance() * 400)
      proxy.delay(() => 0)
    }
    await publishing.stop()
    await expectToGoOn(scene, signet, organization)
    tell('way to the database', { ...made, ...(await scene.check()) })
  })

  test('Each acknowledged event arrives long before its lease is over when the reply to a claim is lost', async (context) => {
    const { scene, proxy, signet, organization } = await publishThroughProxy(context)
    const { committed } = await watchClaims(scene)
    proxy.delay(() => 300)
    await scene.publish(signet, organization, 'PersonCreated_v1', 1)
    await committed
    proxy.cut()
    proxy.delay(() => 0)
    expect(await scene.query('select from deliveries where is_leased')).not.toEqual([])
    await vi.waitFor(async () => expect(await scene.query('select from deliveries')).toEqual([]), { timeout: 10_000 })
    tell('answer to a claim lost', await scene.check())
  })

  test('Each event whose publication lost its reply is delivered once, long before a lease would be over', async (context) => {
    const { scene, proxy, signet, organization } = await publishThroughProxy(context)
    const { query, receiver } = scene
    await scene.publish(signet, organization, 'PersonCreated_v1', 1)
    await scene.untilDelivered()
    const { committed } = await watchPublications(scene)
    proxy.delay(() => 300)
    const answer = scene.publish(signet, organization, 'PersonCreated_v1', 1)
    await committed
    proxy.cut()
    proxy.delay(() => 0)
    expect(await answer).not.toBe(201)
    expect(await query('select from unqueued_deliveries')).toHaveLength(2)
    await Promise.all(['/quick', '/slow'].map((path) => receiver.waitFor(path, 2, 10_000)))
    await scene.untilDelivered()
    expect(receiver.all()).toHaveLength(4)
    expect(await query('select distinct attempts_count from finished_deliveries')).toEqual([{ attempts_count: 1 }])
    tell('reply to a publication lost', await scene.check())
  })

  test('Each acknowledged event arrives, and the process recovers, when connections to the database go silent and nobody is told', async (context) => {
    const { scene, proxy, signet, organization } = await publishThroughProxy(context)
    let silenced = 0
    for (let silence = 1; silence <= silences; silence++) {
      const publishing = keepPublishing(publishers, () => scene.publish(signet, organization, 'PersonCreated_v1', 2))
      await scene.receiver.waitFor('/quick', scene.receiver.received('/quick').length + 20)
      silenced += proxy.goSilent()
      await publishing.stop()
      await expectToGoOn(scene, signet, organization)
    }
    tell('connections to the database gone silent', { silenced, ...(await scene.check()) })
  })
})

async function publishThroughProxy(context: TestContext) {
  const scene = await setScene(context)
  const proxy = await startDatabaseProxy(scene.database)
  context.onTestFinished(() => proxy.stop())
  const signet = await scene.start({ databaseUrl: proxy.url })
  const organization = await signet.organization()
  scene.receiver.behave('/slow', { delayMs: 30 })
  for (const path of ['/quick', '/slow'])
    await addWebhook(signet, organization, scene.receiver.url(path), ['PersonCreated_v1'])
  return { scene, proxy, signet, organization }
}

/** `committed`: the next claim is. */
const watchClaims = (scene: Scene) =>
  watch(scene, 'update on deliveries for each row when (new.is_leased and not old.is_leased)')
/** `committed`: the next publication is. */
const watchPublications = (scene: Scene) => watch(scene, 'insert on events for each statement')

async function watch({ database, query }: Scene, change: string): Promise<{ committed: Promise<unknown> }> {
  await query(`
    create function tell() returns trigger language plpgsql as
      $$ begin perform pg_notify('changed', ''); return null; end $$;
    create trigger tell after ${change} execute function tell()`)
  const client = new pg.Client(database)
  await client.connect()
  await client.query('listen changed')
  return { committed: once(client, 'notification').finally(() => client.end()) }
}

/** What a claim took that PostgreSQL made late comes back with the end of its lease, the rest at once. */
async function expectToGoOn(scene: Scene, signet: Signet, organization: Organization) {
  const publish = () => scene.publish(signet, organization, 'PersonCreated_v1', 1)
  await vi.waitFor(async () => expect(await publish()).toBe(201), publishedWithin)
  if (!isLong) await scene.endLeases()
  await scene.untilDelivered()
}
