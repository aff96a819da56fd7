import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

/** Begins a pause; gives how long it took, and whether it was one until then. */
async function pauseFor(work: (isPaused: () => boolean) => void, connects = true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const pace = createPace(resolve, performance.eventLoopUtilization)
  const began = performance.now()
  pace.pause(connects)
  work(pace.isPaused)
  await promise
  expect(pace.isPaused()).toBe(false)
  return performance.now() - began
}

function beBusy(ms: number) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('a pause takes 20 ms at least', async () => {
  expect(await pauseFor((isPaused) => expect(isPaused()).toBe(true))).toBeGreaterThan(19)
})

test('one in which the thread was idle takes one step', async () => {
  // Asked again: others may use the machine.
  await expect.poll(() => pauseFor(() => {}), { timeout: 20_000 }).toBeLessThan(40)
})

test('one in which the thread was busy is longer by another step', async () => {
  expect(await pauseFor(() => beBusy(30))).toBeGreaterThan(49)
})

test('it ends though the thread stays busy', async () => {
  const stayBusy = (isPaused: () => boolean) => {
    beBusy(1)
    if (isPaused()) setImmediate(stayBusy, isPaused)
  }
  expect(await pauseFor(stayBusy)).toBeGreaterThan(59)
  await expect.poll(() => pauseFor(stayBusy), { timeout: 20_000 }).toBeLessThan(75)
})

test('one for calls that need no new connection takes one step however busy the thread is', async () => {
  await expect.poll(() => pauseFor(() => beBusy(30), false), { timeout: 20_000 }).toBeLessThan(45)
})

test('a second pause during the first is none of its own', async () => {
  let ends = 0
  const pace = createPace(() => ends++, performance.eventLoopUtilization)
  pace.pause(true)
  pace.pause(true)
  await expect.poll(pace.isPaused).toBe(false)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(ends).toBe(1)
})
