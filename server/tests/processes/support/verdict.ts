import pg from 'pg'
import { expect, vi } from 'vitest'
import { type Counts, expectInvariants, type Rules } from '../../faults/support/invariants.ts'
import { patience } from '../../faults/support/suite.ts'
import type { Connection } from '../../support/database.ts'
import type { Receiver } from '../../support/receiver.ts'
import type { Organization } from '../../support/signet.ts'
import type { Fleet } from './fleet.ts'
import type { Load } from './load.ts'

type Evidence = {
  fleet: Fleet
  load: Load
  connection: Connection
  receiver: Receiver
  organization: Organization
  retry: Rules['retry']
  limits: Rules['limits']
  unseenUntil: Rules['unseenUntil']
}

/** The tables and views of delivery with the rows of one organization, in place of the whole ones. */
const narrowed = [
  'events',
  'triggers',
  'lanes',
  'deliveries',
  'finished_deliveries',
  'delivery_counts',
  'unqueued_deliveries',
]

/**
 * Once the faults are over: no request failed but those that were sent to a process while it was killed or frozen, and all
 * that was acknowledged is there, in the feed and with the receiver.
 */
export async function expectNothingLost({ fleet, load, receiver, ...evidence }: Evidence): Promise<Counts> {
  await load.stopWriting()
  const { query, end } = await connectWithin(evidence.connection, evidence.organization)
  try {
    expect(load.unexpected).toEqual([])
    for (const left of ['unqueued_deliveries', 'deliveries'])
      await vi.waitFor(async () => expect(await query(`select webhook_id from ${left}`)).toEqual([]), patience)
    await expectStored(query, load, evidence.organization)
    await expectRead(query, load)
    const { retry, limits, unseenUntil } = evidence
    const rules = { retry, limits, unseenUntil, leasesEnded: new Set<string>() }
    const received = receiver.all()
    const counts = await expectInvariants({ query, received, acknowledged: load.published }, rules)
    expect(await query('select distinct status from finished_deliveries')).toEqual([{ status: 'succeeded' }])
    expect(fleet.unexplained()).toEqual([])
    return counts
  } finally {
    await load.stopReading()
    await end()
  }
}

type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

async function connectWithin(connection: Connection, { id }: Organization) {
  const client = new pg.Client(connection)
  await client.connect()
  for (const table of narrowed)
    await client.query(`create temp view ${table} as select * from public.${table} where org_id = '${id}'`)
  const query: Query = async <Row>(text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as Row[]
  return { query, end: () => client.end() }
}

async function expectStored(query: Query, { created, deleted, doubtful, signedIn }: Load, { id }: Organization) {
  const rows = await query<{ id: string }>('select id from persons where org_id = $1', [id])
  const stored = new Set(rows.map((row) => row.id))
  const lost = [...created, ...signedIn].filter((person) => !stored.has(person) && !doubtful.has(person))
  expect({
    lost,
    'still there': deleted
      .values()
      .filter((person) => stored.has(person))
      .toArray(),
  }).toEqual({
    lost: [],
    'still there': [],
  })
}

/** Each reader got every event once, all in one order, and the events of all that was acknowledged are among them. */
async function expectRead(query: Query, load: Load) {
  const events = await query<{ id: string; name: string; person: string | null; position: string | null }>(
    `select id, name, payload::jsonb ->> 'person_id' as person, position from events order by position`,
  )
  // A release without the feed gave no positions.
  const order = events.filter(({ position }) => position !== null).map(({ id }) => id)
  const ofRows = events.map(({ name, person }) => `${name} ${person}`)
  for (const ids of await load.read(order.length, patience.timeout))
    expect({ events: ids.length, differs: ids.findIndex((id, index) => id !== order[index]) }).toEqual({
      events: order.length,
      differs: -1,
    })
  const [known, told] = [new Set(events.map(({ id }) => id)), new Set(ofRows)]
  const missing = [
    ...load.published.filter((id) => !known.has(id)),
    ...wanted(load).filter((event) => !told.has(event)),
  ]
  expect(missing).toEqual([])
}

const wanted = ({ created, deleted, signedIn }: Load): string[] => [
  ...[...created, ...signedIn].map((person) => `PersonCreated_v1 ${person}`),
  ...[...deleted].map((person) => `PersonDeleted_v1 ${person}`),
  ...[...signedIn].map((person) => `AuthenticationSucceeded_v1 ${person}`),
]
