import { expect, test, vi } from 'vitest'
import type { Database } from '../../ground/database/database.ts'
import { runningClock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { createLaneUse } from './lane-use.ts'
import { createUnqueued } from './unqueued.ts'

const hourMs = 3_600_000
const log = { info: () => {}, error: () => {} }

test('A clock that was set back opens nothing that is before what stands in the database, until that is written anew', async () => {
  const clock = runningClock()
  let written = Promise.resolve()
  const rows = vi.fn(() => written.then(() => []))
  const unqueued = createUnqueued(
    { database: { write: { rows } } as unknown as Database, clock, workerId: makeId(0), log },
    { inFlight: { oldestUnqueued: () => Infinity, lanes: createLaneUse() }, claimSoon: () => {} },
  )
  unqueued.start()
  await expect.poll(() => unqueued.isOpen(clock.now())).toBe(true)
  const { promise, resolve } = Promise.withResolvers<void>()
  written = promise
  rows.mockClear()
  clock.set(clock.now() - hourMs)
  unqueued.saySoon()
  await expect.poll(() => rows.mock.calls.length).toBeGreaterThan(0)
  expect(unqueued.isOpen(clock.now())).toBe(false)
  resolve()
  await expect.poll(() => unqueued.isOpen(clock.now())).toBe(true)
  await unqueued.stop()
})
