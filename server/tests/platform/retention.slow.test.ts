import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keptSince } from '../../src/delivery/queue/index.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { codeOf } from '../../src/ground/database/postgres-error.ts'
import { makePartitions, partitionsMissingSoon } from '../../src/ground/database/time-partitions.ts'
import { dayMs as day, toDay, toTimestamp } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { expireOld, neededSince, removeOld } from '../../src/start/retention.ts'
import { writeLog } from '../support/log.ts'
import { explainingConnection, faultsOf, mayExplain } from '../support/plans.ts'
import { type Queue, testQueue } from '../support/queue.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeKeyring, startService } from '../support/service.ts'

const hour = 3_600_000
const auditRetentionMs = 400 * day
const retentionMs = 30 * day
const signal = new AbortController().signal

let queue: Queue
let webhookId: string
let errors: unknown[]
/** Noon of the day on which the events are published; a test moves it. */
let now: number
let today: number
const clock = { now: () => now }

beforeEach(async () => {
  queue = await testQueue(4)
  webhookId = (await addWebhooks(1))[0] as string
  today = Math.floor(Date.now() / day) * day
  now = today + day / 2
  errors = []
})

afterEach(async () => {
  await queue.drop()
  expect(errors).toEqual([])
})

const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
const addWebhooks = async (count: number) => (await queue.addWebhooks(count)).map((lane) => lane.webhookId)

const retain = (database = queue.database) =>
  removeOld({ database, clock, retentionMs, auditRetentionMs, onError: (error) => errors.push(error) }, signal)

/** Commits so many events with a delivery each. */
async function publish(count = 1, { attempts = [] as object[], inFlight = false } = {}) {
  const start = makeId(now).slice(0, 24)
  await run(`
    with event as (
      insert into events (org_id, id, name, payload)
      select '${queue.organizationId}', ('${start}' || to_char(i, 'fm000000000000'))::uuid, 'PersonCreated_v1', '{}'
        from generate_series(1, ${count}) i returning *)
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, attempt_log, is_leased)
    select org_id, '${webhookId}', id, name, '${toTimestamp(now)}', '${JSON.stringify(attempts)}', ${inFlight} from event`)
}

/** What a worker does with what the webhook has in the queue. */
async function settle() {
  const lane = { organizationId: queue.organizationId, webhookId }
  const done = await run<{ event_id: string }>(
    `delete from deliveries where webhook_id = '${webhookId}' and not is_leased returning event_id`,
  )
  const eventIds = done.map((delivery) => delivery.event_id)
  await writeLog(queue.database.write, lane, eventIds, { finishedAt: toTimestamp(now) })
}

type Log = { status: string; reason: string; attempts: object[]; finished_at: Date }
const log = () => run<Log>('select status, reason, attempt_log as attempts, finished_at from finished_deliveries')
const waiting = async () => (await run('select from deliveries')).length
const counts = () => run("select to_char(day, 'YYYY-MM-DD') as day, status, count from delivery_counts")

const partitionsOf = (ms: number) =>
  ['events', 'finished_deliveries'].map((table) => `${table}_${toDay(ms).replaceAll('-', '')}`)

/** Which of the partitions of a day are there. */
async function present(ms: number) {
  const rows = await run<{ name: string }>(`
    select relname as name from pg_class where relname in ('${partitionsOf(ms).join("', '")}') order by 1`)
  return rows.map(({ name }) => name)
}

describe('A delivery whose event is older than the retention', () => {
  test.each([
    ['pending', ''],
    ['held', "update lanes set paused_reason = 'requested'"],
    ['without a webhook', 'delete from lanes; delete from triggers; delete from webhooks'],
  ])('A delivery that is %s ends as dropped with the reason expired', async (_, change) => {
    await publish(1, { attempts: [{ number: 1 }] })
    await run(change)
    now += retentionMs
    await retain()
    expect([await waiting(), await log()]).toEqual([1, []])
    now += 1
    await retain()
    expect(await waiting()).toBe(0)
    const entry = { status: 'dropped', reason: 'expired', attempts: [{ number: 1 }], finished_at: new Date(now) }
    expect(await log()).toEqual([entry])
    expect(await counts()).toEqual([{ day: toDay(now), status: 'dropped', count: 1 }])
  })

  test('Any number of deliveries expire, but none after the service was told to stop', async () => {
    await publish(2_500)
    now += retentionMs + day
    const stopped = AbortSignal.abort()
    await expireOld(queue.database.write, keptSince(now, retentionMs), now, stopped)
    expect(await waiting()).toBe(2_500)
    await retain()
    expect([await waiting(), (await log()).length]).toEqual([0, 2_500])
    expect(await counts()).toMatchObject([{ status: 'dropped', count: 2_500 }])
  })

  test('A delivery expires once, with several processes expiring at once', async () => {
    const others = [1, 2, 3].map(() => openDatabase(queue.connection, 2))
    for (const id of [webhookId, ...(await addWebhooks(2))]) {
      webhookId = id
      await publish(1_500)
    }
    now += retentionMs + 10 * day
    await Promise.all([queue.database, ...others].map(retain))
    expect([await waiting(), (await log()).length]).toEqual([0, 4_500])
    expect(await counts()).toEqual(Array(3).fill({ day: toDay(now), status: 'dropped', count: 1_500 }))
    now += day + 1
    await Promise.all([queue.database, ...others].map(retain))
    // One may wait too long for another one; that is what the next run is for.
    expect(errors.splice(0).filter((error) => codeOf(error) !== '55P03')).toEqual([])
    await retain()
    expect(await present(today)).toEqual([])
    await Promise.all(others.map((other) => other.close()))
  })

  test('A delivery in flight expires when it comes back, and the partitions of its day are kept until then', async () => {
    await publish(1, { inFlight: true })
    now += day
    await publish()
    await settle()
    now += retentionMs + 5 * day
    await retain()
    expect([await waiting(), await log()]).toMatchObject([1, [{ status: 'succeeded' }]])
    expect([await present(today), await present(today + day)]).toEqual([today, today + day].map(partitionsOf))
    await run('update deliveries set is_leased = false')
    now += hour
    await retain()
    expect(await log()).toContainEqual(expect.objectContaining({ reason: 'expired' }))
    now += day
    await retain()
    expect([await present(today), await present(today + day)]).toEqual([[], []])
  })
})

describe('The partitions of a day', () => {
  test('The partitions of a day are dropped one day after the retention of its last event, and no others', async () => {
    await publish()
    await settle()
    now = today + day + retentionMs + day - 1
    await retain()
    expect(await present(today)).toEqual(partitionsOf(today))
    now += 1
    await retain()
    expect(await present(today)).toEqual([])
    expect(await present(today + day)).toEqual(partitionsOf(today + day))
  })

  test('The partitions of a day are kept until their expired deliveries could be read for a day, also when the service was down for long', async () => {
    await publish()
    now += retentionMs + 15 * day
    await retain()
    for (const hours of [1, 22, 1]) {
      expect(await log()).toMatchObject([{ reason: 'expired' }])
      expect(await present(today)).toEqual(partitionsOf(today))
      now += hours * hour
      await retain()
    }
    expect([await log(), await present(today)]).toEqual([[], []])
  })

  test('The partitions of a day that somebody reads are left to the next time, and nothing else waits for that', async () => {
    await publish()
    await settle()
    await run(`insert into delivery_counts select org_id, id, '2001-01-01', 'dropped', 1 from webhooks`)
    now += retentionMs + 3 * day
    const reader = new pg.Client(queue.connection)
    await reader.connect()
    await reader.query(`begin; select from ${partitionsOf(today)[0]}`)
    await retain()
    expect(errors.splice(0).map(codeOf)).toEqual(['55P03'])
    expect(await present(today)).toEqual([partitionsOf(today)[0]])
    expect(await counts()).toEqual([])
    await reader.end()
    await retain()
    expect(await present(today)).toEqual([])
  })

  test('The number of partitions stays the same as days pass', async () => {
    const count = async () => (await run(`select from pg_inherits where inhparent = 'events'::regclass`)).length
    for (const days of [...Array(40).fill(1), 3, 9, 2, 20, 1, 1]) {
      await publish()
      if (days === 1) await settle()
      now += days * day
      await makePartitions(queue.database, now)
      await retain()
      expect(await partitionsMissingSoon(queue.database.read, now)).toEqual([])
    }
    // Of the days ahead, today, the retention and the day after it.
    expect(await count()).toBeLessThanOrEqual(14 + 1 + 30 + 2)
  })
})

test('Counts are kept for 400 days', async () => {
  const of = (ms: number) => `insert into delivery_counts
    select org_id, gen_random_uuid(), '${toDay(ms)}', 'dropped', 1 from webhooks, generate_series(1, 1500)`
  for (const days of [399, 400, 401, 500]) await run(of(now - days * day))
  await Promise.all([retain(), retain()])
  const kept = await run<{ day: string; count: number }>(`
    select to_char(day, 'YYYY-MM-DD') as day, count(*) from delivery_counts group by 1 order by 1`)
  expect(kept).toEqual([400, 399].map((days) => ({ day: toDay(now - days * day), count: 1_500 })))
})

describe.runIf(mayExplain)('Plans of the queue and the log', () => {
  test.each(['nearly empty', 'full'])(
    'No statement scans the queue or the log by plans that were made while they were %s',
    async (state) => {
      const { queries, plans, end } = await explainingConnection(queue.connection)
      const work = async () => {
        await expireOld(queries, keptSince(now, retentionMs), now, signal)
        return neededSince(queries, keptSince(now, retentionMs), now)
      }
      if (state === 'nearly empty') {
        await run('analyze')
        await work()
      }
      await fill()
      if (state === 'full') await run('analyze')
      plans.length = 0
      expect(await work()).toBe(today + day / 2)
      expect(await waiting()).toBe(50_000)
      expect(plans.length).toBeGreaterThan(100)
      expect(plans.flatMap((plan) => faultsOf(plan, 1_000))).toEqual([])
      await end()
    },
  )

  /** A hundred webhooks of which ten deliveries have expired each, and one with many younger ones; and a log. */
  async function fill() {
    for (const id of await addWebhooks(100)) {
      webhookId = id
      await publish(10)
    }
    now += day
    await publish(50_000)
    await settle()
    for (const id of await addWebhooks(1)) webhookId = id
    await publish(50_000)
    now += retentionMs - hour
  }
})

// What it cannot do at once, for a lock or a connection that is slow to come, is left to the next hour.
test('A service that was down for days applies the retention as it starts, and is ready', { retry: 2 }, async () => {
  await publish()
  await settle()
  now += day
  await publish()
  now += retentionMs + 5 * day
  const receiver = await startReceiver()
  const env = { SIGNET_ROLES: 'api' }
  const service = await startService({ connection: queue.connection, receiver, clock, keyring: makeKeyring(), env })
  try {
    await expect.poll(() => present(today)).toEqual([])
    expect(await log()).toMatchObject([{ status: 'dropped', reason: 'expired' }])
    expect((await service.call('GET', '/readyz')).status).toBe(200)
  } finally {
    await Promise.all([service.stop(), receiver.stop()])
  }
})

describe('Entries of the audit log', () => {
  const months = async () =>
    (
      await run<{ name: string }>(`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'audit_entries'::regclass order by 1`)
    ).map(({ name }) => name)
  const monthOf = (ms: number) => `audit_entries_${toDay(ms).slice(0, 7).replace('-', '')}`
  /** The first moment after the month of `now`. */
  const nextMonth = () => Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + 1)
  const write = () =>
    run(`insert into audit_entries (org_id, position, id, at, actor_type, action, target_type, target_id)
         values ('${queue.organizationId}', 1, gen_random_uuid(), '${toTimestamp(now)}', 'operator', 'x', 'x', 'x')`)

  test('A month of entries is dropped as a whole once its last moment is past the retention, and no other month', async () => {
    await write()
    const [month, end] = [monthOf(now), nextMonth()]
    now = end + auditRetentionMs - 1
    await retain()
    expect(await run('select from audit_entries')).toHaveLength(1)
    now += 1
    await retain()
    expect(await run('select from audit_entries')).toEqual([])
    expect(await months()).not.toContain(month)
    expect(await months()).toContain(monthOf(end))
  })

  test('A month that a dump holds is left to the next time, and nobody waits for that', async () => {
    await write()
    const month = monthOf(now)
    now = nextMonth() + auditRetentionMs
    const dump = new pg.Client(queue.connection)
    await dump.connect()
    // As pg_dump does it for each table.
    await dump.query(`begin isolation level repeatable read, read only; lock table ${month} in access share mode`)
    await retain()
    expect(errors.splice(0).map(codeOf)).toEqual(['55P03'])
    expect(await months()).toContain(month)
    await dump.end()
    await retain()
    expect(await months()).not.toContain(month)
  })

  test('There are months for the coming two weeks whatever the day, and it is told where they are missing soon', async () => {
    const year = new Date(now).getUTCFullYear() + 1
    for (let day = 0; day < 40; day++) {
      now = Date.UTC(year, 11, 1 + day)
      await makePartitions(queue.database, now)
      expect(await months()).toEqual(
        expect.arrayContaining([-1, 0, 14].map((days) => monthOf(now + days * 86_400_000))),
      )
    }
    const isOfAudit = (name: string) => name.startsWith('audit_entries')
    const missing = async (ms: number) => (await partitionsMissingSoon(queue.database.read, ms)).filter(isOfAudit)
    const [last, end] = [now, nextMonth()]
    expect(await missing(last)).toEqual([])
    expect(await missing(end)).toEqual([monthOf(end)])
    expect(await missing(end - 2 * day)).toEqual([monthOf(end)])
    expect(await missing(end - 2 * day - 1)).toEqual([])
  })
})
