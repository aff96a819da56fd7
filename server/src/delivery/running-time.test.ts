import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRunningTime } from './running-time.ts'

function standStill(ms: number) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('of what a thread stands still hardly anything counts, and all of what it runs', async () => {
  const time = createRunningTime(20)
  const ticking = setInterval(time.tick, 20)
  await wait(200)
  const before = time.now()
  // A machine may be busy with others for a while, and a timer be late.
  expect(before).toBeGreaterThan(50)
  standStill(1_000)
  expect(time.now() - before).toBeLessThanOrEqual(70)
  await wait(200)
  clearInterval(ticking)
  expect(time.now() - before).toBeGreaterThan(50)
})
