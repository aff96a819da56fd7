import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/ground/database/database.ts'
import { migrate } from '../../src/ground/database/migrate.ts'
import { createPositions } from '../../src/ground/positions/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { copyDatabase } from '../../src/operator/backup/copy/index.ts'
import { readDump, readNotes } from '../schema-dump/kept-dump.ts'
import { contentsOf } from '../support/contents.ts'
import { type Connection, emptyDatabase } from '../support/database.ts'

/** The organization that reads. */
const reader = makeId(0)
const ends: (() => Promise<void>)[] = []

async function newDatabase(): Promise<Connection> {
  const { drop, ...database } = await emptyDatabase()
  ends.unshift(drop)
  return database
}

async function onDatabase<Row extends pg.QueryResultRow>(database: Connection, text: string): Promise<Row[]> {
  const client = new pg.Client(database)
  await client.connect()
  return (await client.query<Row>(text).finally(() => client.end())).rows
}

/** Draws positions as a service does that has started on it; gives the cursor of each. */
async function startPositions(connection: Connection) {
  const database = openDatabase(connection)
  ends.unshift(() => database.close())
  const positions = createPositions({ database })
  await positions.enter()
  const cursors = positions.cursors('events', async () => true)
  return {
    read: (cursor: string) => cursors.read(reader, cursor),
    draw: async () => {
      const [row] = await onDatabase<{ position: string }>(connection, "select nextval('positions') as position")
      return cursors.write(Number(row?.position))
    },
  }
}

type Options = Partial<Parameters<typeof copyDatabase>[0]>

const copyTo = (target: Connection, options: Options = {}) =>
  copyDatabase({
    source,
    target,
    deliver: false,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  })

/** A database of 0.1.0 with rows in its tables, brought to this version; its organizations are moving. */
let source: Connection

beforeAll(async () => {
  source = await newDatabase()
  await onDatabase(source, readDump())
  await migrate(source, async () => {})
  await onDatabase(
    source,
    "insert into moved_organizations (org_id, move_id, state, since) select id, id, 'leaving', now() from organizations",
  )
})
afterAll(async () => {
  for (const end of ends) await end()
})

describe('A copy of a database', () => {
  test('It has every row of every table, and nothing of what the target had', async () => {
    const target = await newDatabase()
    await migrate(target, async () => {})
    await onDatabase(
      target,
      "insert into installation (base_url, master_key_check) values ('http://other.example', '')",
    )
    const steps = new Set<string>()
    const copied = await copyTo(target, { deliver: true, onProgress: ({ step }) => steps.add(step) })
    expect([...steps]).toEqual(['counting', 'copying', 'checking'])
    const contents = await contentsOf(source)
    expect(await contentsOf(target)).toEqual(contents)
    expect(copied).toMatchObject({ base_url: readNotes().baseUrl, webhooks_paused: 0 })
    expect(copied.tables).toBe(Object.keys(contents).length)
    const rowsOf = Object.values(contents).map((content) => Number.parseInt(content, 10))
    expect(copied.rows).toBe(rowsOf.reduce((sum, rows) => sum + rows))
    const partitions = 'select inhrelid::regclass::text as name from pg_inherits order by 1'
    expect(await onDatabase(target, partitions)).toEqual(await onDatabase(source, partitions))
  })

  test('Readers go on where the copy has what they read last, and are told so where it has not', async () => {
    const origin = await startPositions(source)
    const kept = await origin.draw()
    const target = await newDatabase()
    await copyTo(target)
    const lost = await origin.draw()
    const copy = await startPositions(target)
    const own = await copy.draw()
    expect(await copy.read(kept)).toBe(await origin.read(kept))
    await expect(copy.read(lost)).rejects.toMatchObject({ status: 410 })
    await expect(origin.read(own)).rejects.toMatchObject({ status: 410 })

    const further = await newDatabase()
    await copyTo(further, { source: target })
    const last = await startPositions(further)
    for (const cursor of [kept, own]) expect(await last.read(cursor)).toBe(await copy.read(cursor))
    await expect(last.read(lost)).rejects.toMatchObject({ status: 410 })
  })

  test('Its webhooks are paused, and their synchronous hooks with them', async () => {
    const target = await newDatabase()
    const paused = "select from lanes where paused_reason = 'restored'"
    const { webhooks_paused } = await copyTo(target)
    expect(await onDatabase(target, paused)).toHaveLength(webhooks_paused)
    expect(webhooks_paused).toBeGreaterThan(0)
    expect(await onDatabase(target, 'select from lanes where not is_restored')).toEqual([])
    expect(await onDatabase(source, paused)).toEqual([])
  })

  test('What the source was delivering without a row in its queue waits in the copy', async () => {
    const origin = await newDatabase()
    await copyTo(origin)
    await onDatabase(origin, 'delete from moved_organizations')
    const [inFlight] = await onDatabase<{ webhook_id: string; event_id: string }>(
      origin,
      `with ended as (
         delete from finished_deliveries f using (
           select webhook_id, event_id from finished_deliveries join events e on e.id = event_id
             join lanes using (webhook_id) where trigger_type = 'event' order by event_id limit 1) one
          where f.webhook_id = one.webhook_id and f.event_id = one.event_id returning f.*
       ), said as (
         insert into unqueued_since (worker_id, event_id, seen_at, is_busy) select gen_random_uuid(), event_id, now(), true from ended
         returning worker_id
       )
       update events e set claimed_by = said.worker_id, claimed_for = array[ended.webhook_id]
         from ended, said where e.id = ended.event_id returning ended.webhook_id, ended.event_id`,
    )
    const queued = await onDatabase(origin, 'select from deliveries')
    const target = await newDatabase()
    const { deliveries_waiting } = await copyTo(target, { source: origin })
    expect(deliveries_waiting).toBe(queued.length + 1)
    const waiting = `select webhook_id, event_id from deliveries where not is_leased and event_id = '${inFlight?.event_id}'`
    expect(await onDatabase(target, waiting)).toContainEqual(inFlight)
    expect(await onDatabase(target, 'select from unqueued_since')).toEqual([])
    expect(await onDatabase(origin, waiting)).not.toContainEqual(inFlight)
  })

  test('A target is filled as a whole or not at all, and the copy can be made again', async () => {
    const target = await newDatabase()
    await migrate(target, async () => {})
    const isEmpty = async () => (await onDatabase(target, 'select from persons')).length === 0
    await onDatabase(
      target,
      `create function change() returns trigger language plpgsql as $$ begin new.active := not new.active; return new; end $$;
       create trigger change before insert on persons for each row execute function change()`,
    )
    await expect(copyTo(target)).rejects.toThrow(/^the target: .*persons: its \d+ rows are not the \d+ of the source/)
    expect(await isEmpty()).toBe(true)
    await onDatabase(target, 'drop function change cascade')

    const stopping = new AbortController()
    const stop = ({ step }: { step: string }) => step === 'checking' && stopping.abort()
    await expect(copyTo(target, { signal: stopping.signal, onProgress: stop })).rejects.toThrow('nothing was copied')
    expect(await isEmpty()).toBe(true)

    await copyTo(target)
    expect(await isEmpty()).toBe(false)
    await expect(copyTo(target)).rejects.toThrow('the target: database: it has organizations already')
  })

  test('A target is refused on which Signet runs, and taken when that process is lost', async () => {
    const target = await newDatabase()
    await migrate(target, async () => {})
    await onDatabase(
      target,
      `insert into processes (
         id, host, pid, region, version, roles, started_at, seen_at, deliveries_in_flight, event_streams)
       values (gen_random_uuid(), 'other', 4242, 'local', '0.1.0', '{api}', now(), now() - interval '2 minutes', 0, 0)`,
    )
    await expect(copyTo(target)).rejects.toThrow(
      'the target: database: Signet runs on it, as process 4242 of other; stop it first',
    )
    expect(await onDatabase(target, 'select from persons')).toEqual([])
    await onDatabase(target, "update processes set seen_at = now() - interval '3 minutes'")
    await copyTo(target)
    expect(await onDatabase(target, 'select from processes where pid = 4242')).toEqual([])
  })

  test('A source is refused that has nothing to copy, or another schema', async () => {
    const other = await newDatabase()
    await expect(copyTo(source, { source: other })).rejects.toThrow('the source: database: its schema is not')
    await migrate(other, async () => {})
    await expect(copyTo(other, { source: other })).rejects.toThrow('there is nothing to copy')
  })
})
