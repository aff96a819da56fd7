import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createCountEvents } from '../../src/delivery/statistics/index.ts'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { createPositions } from '../../src/ground/positions/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'

const { signal } = new AbortController()

/** Organizations with so many events each. */
async function start(numbers: number[]) {
  const connection = await testDatabase()
  const database = openDatabase(connection)
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await database.close()
    await connection.drop()
  })
  const organizations = numbers.map((count) => ({ id: makeId(Date.now()), count }))
  const add = ({ id, count }: { id: string; count: number }) =>
    client.query(
      `insert into events (org_id, id, name, payload, position)
       select $1, (substr($2, 1, 24) || to_char(n, 'fm000000000000'))::uuid, 'PersonCreated_v1', '{}', nextval('positions')
         from generate_series(1, $3) n`,
      [id, makeId(Date.now()), count],
    )
  for (const organization of organizations) await add(organization)
  let transactions = 0
  const watched: Database = {
    ...database,
    transaction: (...work) => {
      transactions++
      return database.transaction(...work)
    },
  }
  const countEvents = createCountEvents({ database: watched, positions: createPositions({ database }) })
  const counted = async () => {
    const { rows } = await client.query(
      'select org_id as id, sum(count)::int as count from event_counts group by org_id',
    )
    return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
  return { client, organizations, add, countEvents, counted, transactionsOf: () => transactions }
}

test('Many organizations are counted by one transaction for a hundred of them, each event once', async () => {
  const { organizations, add, countEvents, counted, transactionsOf } = await start(
    // One of them has more than its share of the first hundred.
    Array.from({ length: 250 }, (_, index) => (index === 7 ? 450 : 1 + (index % 3))),
  )
  for (const { id } of organizations) countEvents.note(id)
  await countEvents.run(signal)
  expect(await counted()).toEqual(organizations)
  expect(transactionsOf()).toBe(3)
  // Nothing was noted since.
  await countEvents.run(signal)
  expect(transactionsOf()).toBe(3)
  const [first] = organizations as [(typeof organizations)[0]]
  await add(first)
  countEvents.note(first.id)
  await countEvents.run(signal)
  expect(await counted()).toEqual([{ ...first, count: 2 * first.count }, ...organizations.slice(1)])
})

test('What another process counts is left to it, and what fails is counted by the next run', async () => {
  const { client, organizations, countEvents, counted } = await start([2, 3])
  const [held, other] = organizations as [(typeof organizations)[0], (typeof organizations)[0]]
  await client.query('insert into event_count_positions (org_id, position) values ($1, 0)', [held.id])
  await client.query('begin')
  await client.query('select from event_count_positions where org_id = $1 for update', [held.id])
  for (const { id } of organizations) countEvents.note(id)
  await countEvents.run(signal)
  expect(await counted()).toEqual([other])
  await client.query('rollback')
  await client.query('alter table event_counts rename to renamed')
  await expect(countEvents.run(signal)).rejects.toThrow('event_counts')
  await client.query('alter table renamed rename to event_counts')
  await countEvents.run(signal)
  expect(await counted()).toEqual(organizations)
})
