import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase, type Queries } from '../../src/ground/database/database.ts'
import { databaseTime, followDatabaseTime } from '../../src/ground/database/database-time.ts'
import { runningClock, type SettableClock } from '../../src/ground/runtime/clock.ts'
import { testDatabase } from '../support/database.ts'

let database: Database
const replyTakesMs = 2_000

beforeAll(async () => {
  database = openDatabase(await testDatabase())
  // Connecting takes its time.
  await databaseTime(database.read)
})
afterAll(() => database?.close())

/** The database runs on this machine. */
const offBy = (clock: { now(): number }) => Math.abs(clock.now() - Date.now())

/** A clock that stands still until a reply of the database comes, and is then two seconds further. */
function clockWithLateReplies(startAt: number): { clock: SettableClock; late: Queries } {
  let time = startAt
  const clock = { now: () => time, set: (now: number) => (time = now) }
  return { clock, late: { rows: (statement) => database.read.rows(statement).finally(() => (time += replyTakesMs)) } }
}

test('A clock is set to the time of the database', async () => {
  const clock = runningClock(Date.now() - 360_000)
  await followDatabaseTime(clock, database.read)
  expect(offBy(clock)).toBeLessThan(2_000)
})

test('A correct clock is not changed by a late reply of the database', async () => {
  const startAt = Date.now()
  const { clock, late } = clockWithLateReplies(startAt)
  await followDatabaseTime(clock, late)
  expect(clock.now()).toBe(startAt + replyTakesMs)
})

test('A clock that is off by more than the delay of a late reply is set, as precisely as that delay allows', async () => {
  const { clock, late } = clockWithLateReplies(Date.now() - 360_000)
  await followDatabaseTime(clock, late)
  const databaseNow = Date.now() + replyTakesMs
  expect(Math.abs(clock.now() - databaseNow)).toBeLessThan(replyTakesMs)
})
