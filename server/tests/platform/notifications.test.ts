import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createNotifications, type Listener } from '../../src/ground/database/notifications.ts'
import { createPrimary } from '../../src/ground/database/primary.ts'
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

test('One who comes while another leaves the same channel is told of it', async () => {
  const { listener } = openNotifications()
  // Keeps the session.
  const other = listener('second')
  await expect.poll(() => other.told).toEqual(['begin'])
  const leaving = Promise.withResolvers<void>()
  const mayLeave = Promise.withResolvers<void>()
  const first = listener('first', {
    leave: () => {
      leaving.resolve()
      return mayLeave.promise
    },
  })
  await expect.poll(() => first.told).toEqual(['begin'])
  const stopped = first.stop()
  await leaving.promise
  const next = listener('first')
  await expect.poll(() => next.told).toEqual(['begin'])
  mayLeave.resolve()
  await stopped
  await notify('first', 'once more')
  await expect.poll(() => next.told).toEqual(['begin', 'once more'])
})

test('One who leaves before it has begun holds nothing once it has left', async () => {
  const { listener } = openNotifications()
  const other = listener('second')
  await expect.poll(() => other.told).toEqual(['begin'])
  const done: string[] = []
  const brief = listener('first', {
    begin: async ({ rows }) => {
      await rows({ name: '', text: 'select pg_sleep(0.05)', values: [] })
      done.push('begin')
    },
    leave: async () => void done.push('leave'),
    stay: async () => void done.push('stay'),
  })
  await brief.stop()
  expect(done).toEqual(['begin', 'leave'])
})

test('One who leaves stays no longer, whoever keeps the session', async () => {
  const { listener } = openNotifications()
  const other = listener('second')
  const stayed = Promise.withResolvers<AbortSignal>()
  const first = listener('first', { stay: async (_, over) => stayed.resolve(over) })
  await expect.poll(() => [other.told, first.told]).toEqual([['begin'], ['begin']])
  const over = await stayed.promise
  expect(over.aborted).toBe(false)
  await first.stop()
  expect(over.aborted).toBe(true)
  expect(await sessions()).toHaveLength(1)
})
