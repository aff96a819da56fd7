import pg from 'pg'
import { noteDropped } from '../../src/delivery/events/index.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { dropPartitions } from '../../src/ground/database/time-partitions.ts'
import { dayMs, toDay } from '../../src/ground/runtime/clock.ts'
import { firstIdAt } from '../../src/ground/runtime/identifiers.ts'
import type { Connection } from './database.ts'

/** Still kept by retention. */
const daysAgo = 20

/** Adds large events of an organization to a day that has its own partition, for a test that has this day dropped. */
export async function addOldEvents(
  connection: Connection,
  organizationId: string,
  { count, bytes }: Record<'count' | 'bytes', number>,
) {
  const day = Math.floor(Date.now() / dayMs) - daysAgo
  const [from, to] = [firstIdAt(day * dayMs), firstIdAt((day + 1) * dayMs)]
  const client = new pg.Client(connection)
  await client.connect()
  const name = `events_${toDay(day * dayMs).replaceAll('-', '')}`
  await client.query(`create table ${name} partition of events for values from ('${from}') to ('${to}')`)
  await client.query(
    `insert into events (org_id, id, name, payload, position)
     select $1, (substr($2, 1, 24) || to_char(i, 'fm000000000000'))::uuid, 'PersonCreated_v1', '"' || repeat('x', $4) || '"', nextval('positions')
       from generate_series(1, $3::int) i`,
    [organizationId, from, count, bytes],
  )
  await client.end()
}

/** As retention does it. */
export async function dropOldDay(connection: Connection) {
  const errors: unknown[] = []
  const database = openDatabase(connection)
  const neededSince = Date.now() - (daysAgo - 1) * dayMs
  await dropPartitions(
    database,
    { events: neededSince, finished_deliveries: neededSince },
    {
      beforeDrop: async (tx, { table, name }) => {
        if (table === 'events') await noteDropped(tx, name)
      },
      onError: (error) => errors.push(error),
    },
  )
  await database.close()
  if (errors.length > 0) throw errors[0]
}
