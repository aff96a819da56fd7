import { afterAll, beforeAll, expect, test } from 'vitest'
import { onBehalfOf } from '../../src/ground/database/connection-turns.ts'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { testDatabase } from '../support/database.ts'

let database: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const own = await testDatabase()
  database = openDatabase(own, 4)
  // Open, they are lent in the order in which they are asked for.
  await database.hold(4)
  drop = own.drop
})

afterAll(async () => {
  await database.close()
  await drop()
})

/** Transactions that stay open until they are ended, and the order in which they began. */
function holding() {
  const begun: string[] = []
  const ended = new Set<string>()
  const hold = (name: string) => {
    const organizationId = name.slice(0, -1)
    return onBehalfOf(organizationId, () =>
      database.transaction(async (tx) => {
        begun.push(name)
        // PostgreSQL ends a transaction that is idle for ten seconds.
        while (!ended.has(name)) await tx.rows(sql`select pg_sleep(0.02)`)
      }),
    )
  }
  return { begun, hold, end: (name: string) => ended.add(name) }
}

test('One organization has at most half of the connections, and another one finds a free one at once', async () => {
  const { begun, hold, end } = holding()
  const many = ['a1', 'a2', 'a3', 'a4', 'a5'].map(hold)
  await expect.poll(() => begun).toEqual(['a1', 'a2'])
  expect(database.connections().waiting).toBe(3)
  const few = ['b1'].map(hold)
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1'])
  // What the process does for itself has no share, but the same connections.
  const own = await database.write.rows(sql<{ one: number }>`select 1 as one`)
  expect(own).toEqual([{ one: 1 }])
  const others = ['c1', 'c2'].map(hold)
  await expect.poll(() => begun.at(-1)).toBe('c1')
  end('a1')
  // The first organization has waited longer, and then it is the turn of the third one.
  await expect.poll(() => begun.at(-1)).toBe('a3')
  end('a2')
  await expect.poll(() => begun.at(-1)).toBe('c2')
  for (const name of ['a3', 'a4', 'a5', 'b1', 'c1', 'c2']) {
    await expect.poll(() => begun).toContain(name)
    end(name)
  }
  await Promise.all([...many, ...few, ...others])
  expect(database.connections()).toMatchObject({ inUse: 0, waiting: 0 })
})

test('Those that wait for a connection have one as soon as there may be more', async () => {
  const { begun, hold, end } = holding()
  database.resize({ transactions: 2 })
  const all = ['a1', 'b1', 'c1', 'd1'].map(hold)
  await expect.poll(() => begun.toSorted()).toEqual(['a1', 'b1'])
  database.resize({ transactions: 4 })
  await expect.poll(() => begun.toSorted()).toEqual(['a1', 'b1', 'c1', 'd1'])
  for (const name of begun) end(name)
  await Promise.all(all)
})

test('Lists of one organization leave connections for those of another', async () => {
  const slow = Array.from({ length: 4 }, () =>
    onBehalfOf('a', () => database.pages.rows(sql`select pg_sleep(1.5) from generate_series(1, 1)`)),
  )
  const began = performance.now()
  await onBehalfOf('b', () => database.pages.rows(sql`select`))
  expect(performance.now() - began).toBeLessThan(1_400)
  await Promise.all(slow)
})

test('A request that gets no connection in its time is told to try again, and leaves the others theirs', {
  timeout: 40_000,
}, async () => {
  const { begun, hold, end } = holding()
  const holders = ['a1', 'a2'].map(hold)
  await expect.poll(() => begun.length).toBe(2)
  await expect(hold('a3')).rejects.toMatchObject({ status: 503 })
  const other = hold('b1')
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1'])
  for (const name of ['a1', 'a2', 'b1']) end(name)
  await Promise.all([...holders, other])
})
