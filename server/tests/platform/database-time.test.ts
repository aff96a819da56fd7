import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase, type Queries } from '../../src/database/database.ts'
import { databaseTime, followDatabaseTime } from '../../src/database/database-time.ts'
import { runningClock } from '../../src/runtime/clock.ts'
import { testDatabase } from '../support/database.ts'

let database: Database
/** Its answers come two seconds late. */
const late: Queries = { rows: (statement) => database.read.rows(statement).finally(() => wait(2_000)) }

beforeAll(async () => {
  database = openDatabase(await testDatabase())
  // Connecting takes its time.
  await databaseTime(database.read)
})
afterAll(() => database?.close())

/** The database runs on this machine. */
const offBy = (clock: { now(): number }) => Math.abs(clock.now() - Date.now())

test('A clock is set to the time of the database', async () => {
  const clock = runningClock(Date.now() - 360_000)
  await followDatabaseTime(clock, database.read)
  expect(offBy(clock)).toBeLessThan(2_000)
})

test('A correct clock is not changed by a late reply of the database', async () => {
  const clock = runningClock()
  await followDatabaseTime(clock, late)
  expect(offBy(clock)).toBeLessThan(250)
})

test('A clock that is off by more than the delay of a late reply is set, as precisely as that delay allows', async () => {
  const clock = runningClock(Date.now() - 360_000)
  await followDatabaseTime(clock, late)
  expect(offBy(clock)).toBeLessThan(3_000)
})
