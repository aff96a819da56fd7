import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import type { Answer, KeyedCall } from '../../src/ground/http/chain/idempotency-key.ts'
import { createAnswerOnce, createAnswerSweep } from '../../src/ground/idempotency/index.ts'
import { dayMs } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { removeOld } from '../../src/start/retention.ts'
import { testDatabase } from '../support/database.ts'
import { makeKeyring } from '../support/service.ts'

const minuteMs = 60_000
const keyring = makeKeyring()
const requestHash = createHash('sha256').update('a request').digest()
const { signal } = new AbortController()

let connection: Awaited<ReturnType<typeof testDatabase>>
let database: Database
let organizationId: string
let now: number
const clock = { now: () => now }
let sweep: ReturnType<typeof createAnswerSweep>
let answerOnce: ReturnType<typeof createAnswerOnce>
let handled: number

beforeAll(async () => {
  connection = await testDatabase()
  database = openDatabase(connection)
})
afterAll(async () => {
  await database?.close()
  await connection?.drop()
})
beforeEach(async () => {
  now = Date.now()
  handled = 0
  organizationId = makeId(now)
  sweep = createAnswerSweep({ database, clock })
  answerOnce = createAnswerOnce({ database, keyring, clock, onKept: sweep.note })
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at) values (${organizationId}, 'x', 'unlimited', now())`)
})

const callOf = (idempotencyKey: string): KeyedCall => ({ organizationId, apiKeyId: 'key', idempotencyKey, requestHash })
const answer = (subjectId?: string): Promise<Answer> =>
  Promise.resolve({ status: 201, body: `{"handled":${++handled}}`, subjectId })
const once = (key: string, subjectId?: string) => answerOnce(callOf(key), () => answer(subjectId))
const count = async () => {
  const [row] = await database.write.rows(sql<{ count: number }>`
    select count(*) from idempotency_keys where org_id = ${organizationId}`)
  return row?.count
}

describe('How long an answer is kept', () => {
  test.each([
    ['An answer', undefined, dayMs],
    ['An answer with a secret or handles', makeId(0), 10 * minuteMs],
  ])('%s: for %s %i ms', async (_, subjectId, keptMs) => {
    await once('kept', subjectId)
    now += keptMs
    expect(await once('kept', subjectId)).toEqual({ status: 201, body: '{"handled":1}', isReplayed: true })
    now += 1
    expect(await once('kept', subjectId)).toMatchObject({ body: '{"handled":2}', isReplayed: false })
    // It took the place of the first one.
    expect(await once('kept', subjectId)).toMatchObject({ body: '{"handled":2}', isReplayed: true })
    expect(await count()).toBe(1)
  })

  test('Answers that are kept no longer are removed: those with secrets within a minute, the others hourly', async () => {
    const onError = (error: unknown) => expect.fail(String(error))
    await once('plain')
    await once('secret', makeId(now))
    now += 10 * minuteMs
    await sweep.run(signal)
    expect(await count()).toBe(2)
    now += 1
    await sweep.run(signal)
    expect(await count()).toBe(1)
    const retention = { database, clock, retentionMs: 30 * dayMs, auditRetentionMs: 400 * dayMs, onError }
    now += dayMs - 10 * minuteMs - 1
    await removeOld(retention, signal)
    expect(await count()).toBe(1)
    now += 1
    await removeOld(retention, signal)
    expect(await count()).toBe(0)
  })
})

describe('How many answers are kept', () => {
  const fill = (rows: number) =>
    database.write.rows(sql`
      insert into idempotency_keys (org_id, call_hash, request_hash, status, answer, created_at)
      select ${organizationId}, i::text::bytea, '', 201, '', ${new Date(now)}::timestamptz - i * interval '10 ms'
        from generate_series(1, ${rows}::int) i`)

  test('Of 100,001 the oldest goes', async () => {
    await fill(100_000)
    await once('newest')
    await sweep.run(signal)
    expect(await count()).toBe(100_000)
    const left = await database.write.rows(sql`
      select from idempotency_keys where org_id = ${organizationId} and call_hash = '100000'::bytea`)
    expect(left).toEqual([])
    expect(await once('newest')).toMatchObject({ isReplayed: true })
  })

  test('Another organization keeps its own', async () => {
    const former = organizationId
    await once('former')
    organizationId = makeId(now + 1)
    await database.write.rows(sql`
      insert into organizations (id, name, pricing_tier, created_at) values (${organizationId}, 'x', 'unlimited', now())`)
    await fill(100_500)
    await once('newest')
    await sweep.run(signal)
    expect(await count()).toBe(100_000)
    organizationId = former
    expect(await once('former')).toMatchObject({ isReplayed: true })
  })
})

describe('Calls at the same moment', () => {
  test('Two keys with the same lock are two calls: the second is told to wait, and then handled itself', async () => {
    const [one, other] = collidingKeys()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const first = answerOnce(callOf(one), async () => {
      begin()
      await released
      return answer()
    })
    await begun
    await expect(once(other)).rejects.toMatchObject({ status: 409 })
    release()
    expect(await first).toMatchObject({ body: '{"handled":1}', isReplayed: false })
    expect(await once(other)).toMatchObject({ body: '{"handled":2}', isReplayed: false })
  })

  /** By the very rule of the lock: 32 bits of a hash. */
  function collidingKeys(): [string, string] {
    const hash = (...parts: (string | Buffer)[]) =>
      parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest()
    const seen = new Map<number, string>()
    for (let n = 0; ; n++) {
      const number = hash(organizationId, hash(`key ${n}`)).readInt32BE()
      const found = seen.get(number)
      if (found) return [found, `${n}`]
      seen.set(number, `${n}`)
    }
  }

  test('A transaction that PostgreSQL asks to try again is tried again, and its answer kept once', async () => {
    const tries: number[] = []
    const retried = await answerOnce(callOf('again'), async () => {
      if (tries.push(1) === 1) throw Object.assign(new Error('could not serialize access'), { code: '40001' })
      return answer()
    })
    expect([tries.length, retried.body]).toEqual([2, '{"handled":1}'])
    expect(await once('again')).toMatchObject({ isReplayed: true })
  })

  test('What fails keeps nothing, and nothing of its change', async () => {
    const failing = answerOnce(callOf('failing'), async () => {
      await database.transaction((tx) =>
        tx.rows(
          sql`insert into groups (org_id, name, description, created_at) values (${organizationId}, 'x', '', now())`,
        ),
      )
      throw new Error('after its change')
    })
    await expect(failing).rejects.toThrow('after its change')
    expect(await count()).toBe(0)
    expect(await database.write.rows(sql`select from groups where org_id = ${organizationId}`)).toEqual([])
  })
})
