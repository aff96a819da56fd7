import pg from 'pg'
import { insertEvents } from '../../src/delivery/events/index.ts'
import { createFeed, type Feed } from '../../src/delivery/feed/index.ts'
import type { Queries } from '../../src/ground/database/ask.ts'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makePartitions } from '../../src/ground/database/time-partitions.ts'
import { createPositions, type Positions } from '../../src/ground/positions/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { type Connection, testDatabase } from './database.ts'

export type FeedWorld = {
  connection: Connection
  database: Database
  positions: Positions
  feed: Feed
  /** A connection of the test's own, for transactions that it holds open. */
  connect(): Promise<pg.Client>
  drop(): Promise<void>
}

/** The feed of a database of the test's own, without a service. */
export async function openFeed(given?: Connection): Promise<FeedWorld> {
  const own = given ? undefined : await testDatabase()
  const connection = (given ?? own) as Connection
  const database = openDatabase(connection, 20)
  await makePartitions(database, Date.now())
  const positions = createPositions({ database })
  await positions.enter()
  const clients: pg.Client[] = []
  return {
    connection,
    database,
    positions,
    feed: createFeed({ database, positions }),
    connect: async () => {
      const client = new pg.Client(connection)
      client.on('error', () => {})
      clients.push(client)
      await client.connect()
      return client
    },
    drop: async () => {
      await Promise.all(clients.map((client) => client.end().catch(() => {})))
      await database.close()
      await own?.drop()
    },
  }
}

/** The statement of the service, on any connection. `labels` become the payloads, by which a test knows its events. */
export async function publishOn(
  { rows }: Queries,
  organizationId: string,
  labels: string[],
  name: 'PersonCreated_v1' | 'PersonDeleted_v1' = 'PersonCreated_v1',
) {
  const events = labels.map((label) => ({ id: makeId(Date.now()), name, payload: JSON.stringify(label) }))
  await rows(sql`with ${insertEvents(organizationId, events)} select from published`)
  return events.map(({ id }) => id)
}

/** Adds many events of one name, in one statement. */
export const fill = ({ database }: Pick<FeedWorld, 'database'>, organizationId: string, count: number) =>
  database.write.rows({
    name: '',
    text: `insert into events (org_id, id, name, payload, position)
           select $1, (substr($2, 1, 24) || to_char(i, 'fm000000000000'))::uuid, 'PersonCreated_v1', '"x"', nextval('positions')
             from generate_series(1, $3::int) i`,
    values: [organizationId, makeId(Date.now()), count],
  })

export const queriesOf = (client: pg.Client): Queries => ({
  rows: async <Row>({ text, values }: { text: string; values: unknown[] }) =>
    (await client.query(text, values)).rows as Row[],
})

/** What a reader gets that goes on from place to place until there is no more. */
export async function drain(
  { feed }: Pick<FeedWorld, 'feed'>,
  organizationId: string,
  {
    after,
    limit = 100,
    names,
    bytes = 1_000_000,
  }: { after?: number; limit?: number; bytes?: number; names?: ('PersonCreated_v1' | 'PersonDeleted_v1')[] } = {},
) {
  const labels: string[] = []
  let next = after
  for (;;) {
    const page = await feed.readPage(organizationId, { after: next, names, limit, bytes })
    labels.push(...page.events.map(({ payload }) => JSON.parse(payload) as string))
    next = page.next
    if (!page.hasMore) return { labels, next }
  }
}
