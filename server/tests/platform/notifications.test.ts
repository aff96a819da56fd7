import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createNotifications, type Listener } from '../../src/ground/database/notifications.ts'
import { createPrimary } from '../../src/ground/database/primary.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { testDatabase } from '../support/database.ts'

let connection: Awaited<ReturnType<typeof testDatabase>>
let other: pg.Client

beforeEach(async () => {
  connection = await testDatabase()
  other = new pg.Client(connection)
  await other.connect()
})

afterEach(async () => {
  await other?.end()
  await connection?.drop()
})

function openNotifications({ mayConnect = (): boolean => true } = {}) {
  const primary = createPrimary(connection)
  const { listen } = createNotifications({ primary, mayConnect })
  /** What a listener of this channel is told. */
  const listener = (channel: string, more: Partial<Listener> = {}) => {
    const told: string[] = []
    const listening = listen({
      channels: { [channel]: (payload) => void told.push(payload) },
      begin: async () => void told.push('begin'),
      lost: (error) => void told.push(error ? 'lost' : 'replaced'),
      ...more,
    })
    onTestFinished(async () => void (await listening.stop()))
    return { told, stop: listening.stop }
  }
  return { primary, listener }
}

/** The backends of other connections. */
async function sessions(): Promise<number[]> {
  const { rows } = await other.query(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by pid`,
  )
  return rows.map(({ pid }) => pid)
}

const notify = (channel: string, payload: string) => other.query('select pg_notify($1, $2)', [channel, payload])

const endAll = async () => {
  for (const pid of await sessions()) await other.query('select pg_terminate_backend($1)', [pid])
}

test('All who listen in a process share one session, and each is told of its own channel', async () => {
  const { listener } = openNotifications()
  const first = listener('first')
  await expect.poll(() => first.told).toEqual(['begin'])
  const second = listener('second')
  await expect.poll(() => second.told).toEqual(['begin'])
  await notify('first', '1')
  await notify('second', '2')
  await notify('third', '3')
  await expect
    .poll(() => [first.told, second.told])
    .toEqual([
      ['begin', '1'],
      ['begin', '2'],
    ])
  expect(await sessions()).toHaveLength(1)
})

test('One that leaves is told no more, and the others keep their session, which ends with the last', async () => {
  const { listener } = openNotifications()
  const left: string[] = []
  const first = listener('first')
  const second = listener('second', { leave: async () => void left.push('second') })
  await expect.poll(() => second.told).toEqual(['begin'])
  const [session] = await sessions()
  await second.stop()
  expect(left).toEqual(['second'])
  await notify('second', '2')
  await notify('first', '1')
  await expect.poll(() => first.told).toEqual(['begin', '1'])
  expect(second.told).toEqual(['begin'])
  expect(await sessions()).toEqual([session])
  await first.stop()
  await expect.poll(sessions).toEqual([])
})

test('One that listens to a channel while another leaves it is told, and one that leaves while it begins holds nothing', async () => {
  const { listener } = openNotifications()
  const first = listener('first')
  const changing = () => listener('changing', { leave: async (session) => void (await session.rows(sql`select 1`)) })
  const before = changing()
  await expect.poll(() => [first.told, before.told]).toEqual([['begin'], ['begin']])
  const left = before.stop()
  const after = changing()
  await left
  await expect.poll(() => after.told).toEqual(['begin'])
  await notify('changing', '1')
  await notify('first', '2')
  await expect.poll(() => first.told).toEqual(['begin', '2'])
  expect([before.told, after.told]).toEqual([['begin'], ['begin', '1']])
  const hasty = listener('hasty')
  await hasty.stop()
  await notify('first', '3')
  await expect.poll(() => first.told.at(-1)).toBe('3')
  expect(hasty.told).toEqual([])
})

test('A session that has ended is lost at once, and all begin anew on the next', async () => {
  const { listener } = openNotifications()
  const both = [listener('first'), listener('second')]
  await expect.poll(() => both.map(({ told }) => told)).toEqual([['begin'], ['begin']])
  const before = await sessions()
  await endAll()
  await expect
    .poll(() => both.map(({ told }) => told))
    .toEqual([
      ['begin', 'lost', 'begin'],
      ['begin', 'lost', 'begin'],
    ])
  await notify('second', 'again')
  await expect.poll(() => both[1]?.told.at(-1)).toBe('again')
  expect(await sessions()).not.toEqual(before)
})

test('A session is replaced when the primary has been switched, and when a listener fails on it', async () => {
  const { primary, listener } = openNotifications()
  const failing = Promise.withResolvers<void>()
  let stays = 0
  const one = listener('first', { stay: () => (stays++ === 1 ? failing.promise : Promise.resolve()) })
  await expect.poll(() => one.told).toEqual(['begin'])
  // As when a statement finds its server read-only.
  primary.note(Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' }))
  await expect.poll(() => one.told).toEqual(['begin', 'replaced', 'begin'])
  failing.reject(new Error('no answer'))
  await expect.poll(() => one.told).toEqual(['begin', 'replaced', 'begin', 'lost', 'begin'])
  expect(await sessions()).toHaveLength(1)
})

test('There is no session while there is no connection for it, and one once there is', async () => {
  let mayConnect = false
  const { listener } = openNotifications({ mayConnect: () => mayConnect })
  const one = listener('first')
  expect(await sessions()).toEqual([])
  mayConnect = true
  await expect.poll(() => one.told).toEqual(['begin'])
  mayConnect = false
  await expect.poll(sessions).toEqual([])
})
