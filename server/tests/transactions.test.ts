import { afterAll, beforeAll, expect, test } from 'vitest'
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
