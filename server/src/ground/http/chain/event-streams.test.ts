import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createEventStreams, type MessageSource } from './event-streams.ts'

const limits = { total: 10, perKey: 5 }

test('A client that leaves while its message waits for its turn leaves no timer behind', async () => {
  const leaving = new AbortController()
  const sentWithinMs = vi.fn(() => 60_000)
  const next = vi.fn(async () => {
    // Once the message waits, and before the next turn.
    process.nextTick(() => leaving.abort())
    return [{ id: '1', data: 'late', sentWithinMs }]
  })
  const write = vi.fn((_bytes: Buffer, done: () => void) => done())
  const raw = { writeHead: () => {}, write, end: () => {}, writableLength: 0, writableEnded: false }
  createEventStreams({ streams: limits, listeners: limits }).begin({
    request: { method: 'GET', organizationId: 'a' },
    reply: { raw, hijack: () => {}, getHeaders: () => ({}) },
    source: { next, position: () => '' } satisfies MessageSource,
    over: leaving.signal,
    stillAllowed: async () => {},
    log: {},
  } as unknown as Parameters<ReturnType<typeof createEventStreams>['begin']>[0])
  await expect.poll(() => next.mock.calls.length).toBe(1)
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  expect(leaving.signal.aborted).toBe(true)
  expect([write.mock.calls.length, sentWithinMs.mock.calls.length]).toEqual([1, 0])
})
