import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FollowedEvent } from '../src/index.ts'
import { page, payload, startScriptedFeed, type stream, streamed } from './scripted-feed.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const silence = 45_000
const head = { 'content-type': 'text/event-stream' }

/** Reads with nothing to hold it back. */
function follow(signet: Awaited<ReturnType<typeof startScriptedFeed>>['signet'], after = '') {
  const found: FollowedEvent[] = []
  const ending = new AbortController()
  const ended = (async () => {
    for await (const event of signet().followEvents({ after, signal: ending.signal })) found.push(event)
  })().catch(() => {})
  return {
    numbers: () => found.map(({ event }) => Number(event.event_metadata.event_id.slice(6))),
    cursors: () => found.map(({ cursor }) => cursor),
    stop: () => {
      ending.abort()
      return ended
    },
  }
}

test('A stream without a byte for 45 s is cut and resumed, and comments keep it', async () => {
  let comment = () => {}
  using feed = await startScriptedFeed((response) => {
    streamed(1)(response, 0)
    comment = () => void response.write(':\n\n')
  }, streamed(2))
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const waits = () => timers.mock.calls.filter(([, ms]) => ms === silence).length
  const reader = follow(feed.signet)
  await expect.poll(reader.numbers).toEqual([1])
  for (let count = 0; count < 4; count++) {
    // What follows from what has arrived is done.
    await new Promise((resolve) => setImmediate(resolve))
    const before = waits()
    comment()
    await expect.poll(waits).toBe(before + 1)
    await vi.advanceTimersByTimeAsync(silence * 0.9)
  }
  expect(feed.seen).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(silence * 0.1)
  await expect.poll(reader.numbers).toEqual([1, 2])
  expect(feed.seen.map(({ after }) => after)).toEqual([null, '1'])
  await reader.stop()
})

test.each([
  ['whose head never comes', () => {}],
  [
    'of which only the head comes',
    (response: Parameters<typeof stream>[0]) => void response.writeHead(200, head).flushHeaders(),
  ],
])('A stream %s is given up for pages', async (_, fate) => {
  using feed = await startScriptedFeed(fate, page(3, 2))
  const reader = follow(feed.signet)
  await expect.poll(() => feed.seen.length).toBe(1)
  await vi.advanceTimersByTimeAsync(silence + 1)
  const soon = async () => {
    await vi.advanceTimersByTimeAsync(1_000)
    return reader.numbers()
  }
  await expect.poll(soon).toEqual([1, 2, 3])
  expect(feed.seen.slice(1).every(({ accept }) => accept === 'application/json')).toBe(true)
  await reader.stop()
})

test('A service without streams is asked for pages until the end, then every two seconds, and the place within a page is its beginning', async () => {
  let count = 3
  using feed = await startScriptedFeed((response, after) => page(count, 2)(response, after))
  const reader = follow(feed.signet)
  await expect.poll(reader.numbers).toEqual([1, 2, 3])
  expect(reader.cursors()).toEqual(['', '2', '3'])
  expect(feed.seen).toHaveLength(2)
  // Nothing new is no failure, after which it would wait longer.
  for (let asked = 3; asked < 8; asked++) {
    await vi.advanceTimersByTimeAsync(2_000)
    await expect.poll(() => feed.seen.length).toBe(asked)
  }
  count = 4
  await vi.advanceTimersByTimeAsync(2_000)
  await expect.poll(reader.numbers).toEqual([1, 2, 3, 4])
  expect(payload(4).event_metadata.event_name).toBe('PersonDeleted_v1')
  await reader.stop()
})
