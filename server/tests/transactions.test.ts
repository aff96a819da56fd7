import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.ts'
import { sql } from '../src/database/sql.ts'
import { testDatabase } from './support/database.ts'

let database: Database

beforeAll(async () => {
  const { host, port, user, database: name } = await testDatabase()
  database = openDatabase({ host, port, user, database: name })
})
afterAll(() => database?.close())

test('of statements sent together, what fails first is what everybody is told, however deep it was called', async () => {
  const failing = database.transaction(async (tx) => {
    const inner = async () => {
      const [row] = await Promise.all([tx.rows(sql`select 1 / ${0}::int as quotient`)])
      return row
    }
    await Promise.all([inner(), tx.rows(sql`select ${1}::int as one`)])
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
})

describe('a statement whose result is there early', () => {
  const none = () => undefined

  test('sees what was sent before it', async () => {
    await database.write.rows(sql`create table seen (n int)`)
    const { result, committed } = await database.early(
      (queries) => queries.rows(sql`insert into seen values (${1}::int)`),
      (queries) => queries.rows(sql<{ n: number }>`select n from seen`),
    )
    expect(result).toEqual([{ n: 1 }])
    await committed
  })

  test('tells of a failure, and gives its connection back', async () => {
    const failing = () => database.early(none, (queries) => queries.rows(sql`select 1 / ${0}::int`))
    // More often than there are connections.
    for (let tries = 0; tries < 12; tries++) await expect(failing()).rejects.toMatchObject({ code: '22012' })
    const { committed } = await database.early(none, (queries) => queries.rows(sql`select 1`))
    await committed
  })

  test('is not committed when a check at the commit fails, though its result was there', async () => {
    await database.write.rows(sql`create table checked (n int unique deferrable initially deferred)`)
    await database.write.rows(sql`insert into checked values (1)`)
    const { result, committed } = await database.early(none, (queries) =>
      queries.rows(sql<{ n: number }>`insert into checked values (1) returning n`),
    )
    expect(result).toEqual([{ n: 1 }])
    await expect(committed).rejects.toMatchObject({ code: '23505' })
  })
})
