import { expect, test } from 'vitest'
import type { Database } from '../../ground/database/database.ts'
import { runningClock } from '../../ground/runtime/clock.ts'
import { createFollowers } from './followers.ts'

/** Nobody waits here, so that nothing is asked of the database. */
function followersThatListen() {
  let listening = 0
  const followers = createFollowers({
    database: {} as Database,
    clock: runningClock(),
    positions: { drawn: async () => 0, end: async () => 0, epoch: () => 'e' },
    announcements: {
      announce: () => {},
      listen: () => {
        listening++
        return { stop: () => listening-- }
      },
    },
    onError: (error) => expect(error).toBeUndefined(),
  })
  return { followers, listening: () => listening }
}

test('A follower that has left before it joins is waited for by nobody', async () => {
  const { followers, listening } = followersThatListen()
  const left = followers.join('organization', AbortSignal.abort())
  expect(listening()).toBe(0)
  await left.more(1)
})

test('What is published elsewhere is listened to as long as somebody follows', async () => {
  const { followers, listening } = followersThatListen()
  const leaving = [new AbortController(), new AbortController()] as const
  for (const { signal } of leaving) followers.join('organization', signal)
  expect(listening()).toBe(1)
  for (const leave of leaving) leave.abort()
  await expect.poll(listening).toBe(0)
})

test('A feed that is held back is looked at again soon, without a word of who holds it back', async () => {
  let looks = 0
  const followers = createFollowers({
    database: { read: { rows: async () => [] } } as unknown as Database,
    clock: runningClock(),
    positions: { drawn: async () => 2, end: async () => Math.sign(++looks), epoch: () => 'e' },
    announcements: { announce: () => {}, listen: () => ({ stop: () => {} }) },
    onError: (error) => expect(error).toBeUndefined(),
  })
  const leaving = new AbortController()
  const waiting = followers.join('organization', leaving.signal).more(1)
  // Every three seconds otherwise.
  await expect.poll(() => looks, { timeout: 8_500 }).toBeGreaterThan(3)
  leaving.abort()
  await waiting
})
