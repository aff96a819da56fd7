import { describe, expect, test } from 'vitest'
import { createFeed } from '../../src/delivery/feed/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { drain, type FeedWorld, openFeed, publishOn, queriesOf } from '../support/feed.ts'
import { closeGate, gate } from '../support/gate.ts'

/**
 * Writers and readers that are stopped between two of their steps. Beside each test stands the wrong order of those steps, which
 * must lose an event: otherwise the test would prove nothing.
 */
async function within(run: (world: FeedWorld, organizationId: string) => Promise<void>, role = '') {
  const world = await openFeed()
  if (role)
    await (await world.connect()).query(`alter role current_user in database ${world.connection.database} ${role}`)
  await run(world, makeId(Date.now())).finally(world.drop)
}

/** Functions that stand before those of PostgreSQL, for a writer who is stopped at a moment or takes the steps in a wrong order. */
const moments = {
  'before it has its lock': `
    create function moment.pg_advisory_xact_lock_shared(key bigint) returns void language plpgsql as $$ begin
      ${gate} perform pg_catalog.pg_advisory_xact_lock_shared(key); end $$`,
  'between its lock and its position': `
    create function moment.nextval(name regclass) returns bigint language plpgsql as $$ begin
      ${gate} return pg_catalog.nextval(name); end $$`,
  'between its position and its row': `
    create function moment.nextval(name regclass) returns bigint language plpgsql as $$ declare position bigint; begin
      position := pg_catalog.nextval(name); ${gate} return position; end $$`,
}
const lockAfterPosition = `
    create function moment.pg_advisory_xact_lock_shared(key bigint) returns void language plpgsql as $$ begin end $$;
    create function moment.nextval(name regclass) returns bigint language plpgsql as $$ declare position bigint; begin
      position := pg_catalog.nextval(name); ${gate}
      perform pg_catalog.pg_advisory_xact_lock_shared(4611686018427387904 + position); return position; end $$`

/** What a reader gets who reads while a writer is stopped, and again afterwards. */
async function readAroundWriter(world: FeedWorld, organizationId: string, functions: string) {
  const slow = await world.connect()
  await slow.query(`create schema moment; ${functions}; set search_path = moment, public, pg_catalog`)
  const closed = await closeGate(world)
  const writing = publishOn(queriesOf(slow), organizationId, ['slow'])
  await closed.isReached()
  await publishOn(world.database.write, organizationId, ['quick'])
  const { labels, next } = await drain(world, organizationId)
  await closed.open()
  await writing
  return [...labels, ...(await drain(world, organizationId, { after: next })).labels]
}

describe.concurrent('A writer that is stopped', () => {
  test.each(Object.keys(moments))('A writer that is stopped %s loses no event', (moment) =>
    within(async (world, organizationId) => {
      const functions = moments[moment as keyof typeof moments]
      const labels = await readAroundWriter(world, organizationId, functions)
      expect(labels.toSorted()).toEqual(['quick', 'slow'])
    }),
  )

  test('A writer that took its lock after its position would lose an event', () =>
    within(async (world, organizationId) => {
      expect(await readAroundWriter(world, organizationId, lockAfterPosition)).toEqual(['quick'])
    }))
})

/** Changes how far readers may read, in this database. */
async function changeEnd(world: FeedWorld, change: (definition: string) => string) {
  const client = await world.connect()
  const { rows } = await client.query(`select pg_get_functiondef('positions_end'::regproc) as definition`)
  const changed = change(rows[0].definition)
  expect(changed).not.toBe(rows[0].definition)
  await client.query(changed)
}

const assignments = /(\w+ := \([^;]*;)\s*(\w+ := \([^;]*;)/
const stopBetween = (definition: string) => definition.replace(assignments, `$1 ${gate} $2`)
const locksFirst = (definition: string) => definition.replace(assignments, `$2 ${gate} $1`)
const stopBefore = (definition: string) => definition.replace(/\bbegin\b/i, `begin ${gate}`)

/** What a reader gets who is stopped while a position is drawn and committed, whose predecessor is committed later. */
async function readWhileStopped(world: FeedWorld, organizationId: string, change: (definition: string) => string) {
  await changeEnd(world, change)
  const closed = await closeGate(world)
  const reading = drain(world, organizationId)
  await closed.isReached()
  const slow = await world.connect()
  await slow.query('begin')
  await publishOn(queriesOf(slow), organizationId, ['slow'])
  await publishOn(world.database.write, organizationId, ['quick'])
  await closed.open()
  const { labels, next } = await reading
  await slow.query('commit')
  return [...labels, ...(await drain(world, organizationId, { after: next })).labels]
}

/** The same where the slow one is committed between the snapshot of a statement and the end that it finds. */
async function readWhileCommitted(world: FeedWorld, organizationId: string) {
  const slow = await world.connect()
  await slow.query('begin')
  await publishOn(queriesOf(slow), organizationId, ['slow'])
  await publishOn(world.database.write, organizationId, ['quick'])
  await changeEnd(world, stopBefore)
  const closed = await closeGate(world)
  const reading = drain(world, organizationId)
  await closed.isReached()
  await slow.query('commit')
  await closed.open()
  const { labels, next } = await reading
  return [...labels, ...(await drain(world, organizationId, { after: next })).labels]
}

/** Whose pages find the end by themselves. */
function inOneStatement({ database, positions }: FeedWorld) {
  const pages: typeof database.pages = {
    rows: ({ text, values }) =>
      database.pages.rows({
        name: '',
        text: text.replace(/position <= (\$\d)/, 'position <= least($1, (select positions_end()))'),
        values,
      }),
  }
  return createFeed({
    database: { ...database, pages },
    positions: { ...positions, end: async () => Number.MAX_SAFE_INTEGER },
  })
}

describe.concurrent('A reader that is stopped', () => {
  test('A reader that is stopped between the last position and the locks loses no event', () =>
    within(async (world, organizationId) => {
      expect(await readWhileStopped(world, organizationId, stopBetween)).toEqual(['slow', 'quick'])
    }))

  test('A reader that looked at the locks before the last position would lose an event', () =>
    within(async (world, organizationId) => {
      expect(await readWhileStopped(world, organizationId, locksFirst)).toEqual(['quick'])
    }))

  test.each(['read committed', 'repeatable read', 'serializable'])(
    'A reader that is stopped before it finds the end loses no event, as a role whose transactions are %s by default',
    (isolation) =>
      within(async (world, organizationId) => {
        expect(await readWhileCommitted(world, organizationId)).toEqual(['slow', 'quick'])
      }, `set default_transaction_isolation = '${isolation}'`),
  )

  test('A reader that found the end and the rows in one statement would lose an event', () =>
    within(async (world, organizationId) => {
      const feed = inOneStatement(world)
      expect(await readWhileCommitted({ ...world, feed }, organizationId)).toEqual(['quick'])
    }))
})
