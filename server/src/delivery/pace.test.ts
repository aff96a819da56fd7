import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

/** Begins a pause; gives how long it took, and whether it was one until then. */
async function pauseFor(work: (isPaused: () => boolean) => void) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const pace = createPace(resolve)
  const began = performance.now()
  pace.pause()
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

test('one in which the process was busy is longer by another step', async () => {
  expect(await pauseFor(() => beBusy(30))).toBeGreaterThan(49)
})

test('it ends though the process stays busy', async () => {
  const stayBusy = (isPaused: () => boolean) => {
    beBusy(15)
    if (isPaused()) setImmediate(stayBusy, isPaused)
  }
  expect(await pauseFor(stayBusy)).toBeGreaterThan(99)
})

test('a second pause during the first is none of its own', async () => {
  let ends = 0
  const pace = createPace(() => ends++)
  pace.pause()
  pace.pause()
  await expect.poll(pace.isPaused).toBe(false)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(ends).toBe(1)
})
