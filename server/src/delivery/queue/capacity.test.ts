import { expect, test } from 'vitest'
import { maxPrefetch, prefetchLimit } from './capacity.ts'

test.each([
  ['a receiver that answers at once is claimed ahead to the maximum', 1, 10, maxPrefetch],
  ['one that takes 100 ms: half a second of ten calls at once', 100, 10, 50],
  ['one that takes 400 ms: twice its calls', 400, 10, 20],
  ['one that takes seconds: what is called, and nothing ahead', 5_000, 10, 10],
  ['more calls at once than the maximum are claimed twice', 1, 1_000, 2_000],
  ['no time at all is no division by zero', 0, 1, maxPrefetch],
])('The limit of deliveries in flight: %s', (_, averageMs, callsAtOnce, maxInFlight) => {
  expect(prefetchLimit(averageMs, callsAtOnce)).toBe(maxInFlight)
})
