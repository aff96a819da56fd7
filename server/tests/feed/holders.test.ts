import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { describeHolder, findNoticeableHolder } from '../../src/ground/positions/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { drain, type FeedWorld, openFeed, publishOn, queriesOf } from '../support/feed.ts'

type Worlds = { own: FeedWorld; foreign: FeedWorld; organizationId: string }

/** Two databases of one server. */
async function within(run: (worlds: Worlds) => Promise<void>) {
  const neighbour = await testDatabase()
  const [own, foreign] = [await openFeed(), await openFeed(neighbour)]
  try {
    await run({ own, foreign, organizationId: makeId(Date.now()) })
  } finally {
    await Promise.all([own.drop(), foreign.drop()])
    await neighbour.drop()
  }
}

async function hasPrepared({ connect }: FeedWorld): Promise<boolean> {
  const { rows } = await (await connect()).query('show max_prepared_transactions')
  return rows[0].max_prepared_transactions !== '0'
}

const sessions = [
  'begin isolation level repeatable read read only; select count(*) from events',
  'begin; create temporary table t (n int); insert into t values (1)',
  'begin; select from events for share',
  'begin; create sequence s; select nextval($$s$$)',
  'begin; select pg_advisory_xact_lock(1), pg_advisory_xact_lock_shared(1, 2)',
  'begin; lock table webhooks in access exclusive mode',
]

const waiting = Array.from({ length: 10 }, (_, index) => `waiting-${index}`)

describe.concurrent('Who holds readers back', () => {
  test('Transactions that have not published hold nobody back, in this database or in another', () =>
    within(async ({ own, foreign, organizationId }) => {
      for (const world of [own, foreign]) {
        await publishOn(world.database.write, organizationId, ['first'])
        for (const text of sessions) await (await world.connect()).query(text)
      }
      await publishOn(own.database.write, organizationId, ['second'])
      expect((await drain(own, organizationId)).labels).toEqual(['first', 'second'])
      expect(await findNoticeableHolder(own.database.read)).toBeUndefined()
    }))

  test('A transaction that has published in another database holds nobody back in this one', () =>
    within(async ({ own, foreign, organizationId }) => {
      const writer = await foreign.connect()
      await writer.query('begin')
      await publishOn(queriesOf(writer), organizationId, ['elsewhere'])
      await publishOn(own.database.write, organizationId, ['here'])
      expect((await drain(own, organizationId)).labels).toEqual(['here'])
      expect((await drain(foreign, organizationId)).labels).toEqual([])
    }))

  test('Who has published and not ended is told by pid and application, once it is a second old', () =>
    within(async ({ own: world, organizationId }) => {
      const holder = await world.connect()
      await holder.query(`set application_name = 'a forgotten session'; begin`)
      await publishOn(queriesOf(holder), organizationId, ['held'])
      expect(await findNoticeableHolder(world.database.read)).toBeUndefined()
      await publishOn(world.database.write, organizationId, waiting)
      const found = await findHolder(world)
      const { rows } = await holder.query('select pg_backend_pid() as pid')
      expect(found).toMatchObject({ pid: rows[0].pid, applicationName: 'a forgotten session', positionsBehind: 11 })
      expect(describeHolder(found)).toContain('application "a forgotten session"')
      await holder.query('commit')
      expect(await findNoticeableHolder(world.database.read)).toBeUndefined()
      expect((await drain(world, organizationId)).labels).toEqual(['held', ...waiting])
    }))

  test('A prepared transaction that has published holds readers of its database back, and is named, until it ends', (context) =>
    within(async ({ own, foreign, organizationId }) => {
      context.skip(!(await hasPrepared(own)), 'the server has no prepared transactions')
      const gid = own.connection.database
      const [writer, idle] = [await own.connect(), await own.connect()]
      await idle.query(`begin; select pg_current_xact_id(); prepare transaction '${gid}, without an event'`)
      await writer.query('begin')
      await publishOn(queriesOf(writer), organizationId, ['prepared'])
      await writer.query(`prepare transaction '${gid}'`)
      try {
        for (const { database } of [own, foreign]) await publishOn(database.write, organizationId, ['later'])
        expect((await drain(foreign, organizationId)).labels).toEqual(['later'])
        expect((await drain(own, organizationId)).labels).toEqual([])
        const holder = await findHolder(own)
        expect(holder).toMatchObject({ gid, pid: null, positionsBehind: 2 })
        expect(describeHolder(holder)).toMatch(new RegExp(`the prepared transaction ${gid}$`))
        await writer.query(`commit prepared '${gid}'`)
        expect((await drain(own, organizationId)).labels).toEqual(['prepared', 'later'])
      } finally {
        await writer.query(`rollback prepared '${gid}'`).catch(() => {})
        await idle.query(`rollback prepared '${gid}, without an event'`)
      }
    }))
})

/** Once it is a second old. */
async function findHolder({ database }: FeedWorld) {
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline) {
    const holder = await findNoticeableHolder(database.read)
    if (holder) return holder
    await wait(50)
  }
  throw new Error('nobody is named')
}
