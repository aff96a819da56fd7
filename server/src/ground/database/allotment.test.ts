import { expect, test } from 'vitest'
import { allot } from './allotment.ts'

const wishes = {
  session: { least: 1, most: 1 },
  delivery: { least: 2, most: 4 },
  requests: { least: 2, most: 10 },
  streams: { least: 0, most: 4 },
}

test.each([
  [100, { session: 1, delivery: 4, requests: 10, streams: 4 }],
  [19, { session: 1, delivery: 4, requests: 10, streams: 4 }],
  [12, { session: 1, delivery: 4, requests: 5, streams: 2 }],
  [8, { session: 1, delivery: 3, requests: 3, streams: 1 }],
  [6, { session: 1, delivery: 3, requests: 2, streams: 0 }],
  [5, { session: 1, delivery: 2, requests: 2, streams: 0 }],
])('Of %d connections each gets its least first, and what is left goes round', (total, expected) => {
  expect(allot(wishes, total)).toEqual(expected)
})

test('Nobody gets less than its least, whatever there is', () => {
  expect(allot(wishes, 0)).toEqual({ session: 1, delivery: 2, requests: 2, streams: 0 })
})
