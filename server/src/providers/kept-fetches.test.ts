import { expect, test } from 'vitest'
import { keepFetches } from './kept-fetches.ts'

const clock = { now: () => 0 }

test('The cache keeps so many documents, and drops the one used least recently', async () => {
  const kept = keepFetches<string>(2, clock)
  for (const key of ['a', 'b']) await kept.fetch(key, async () => key)
  kept.get('a')
  await kept.fetch('c', async () => 'c')
  expect(['a', 'b', 'c'].map((key) => kept.get(key)?.value)).toEqual(['a', undefined, 'c'])
})

test('The cache asks once for all who ask at the same time', async () => {
  const kept = keepFetches<number>(2, clock)
  let reads = 0
  const read = async () => ++reads
  expect(await Promise.all([kept.fetch('a', read), kept.fetch('a', read)])).toEqual([1, 1])
  expect(await kept.fetch('a', read)).toBe(2)
})

test('The cache reports a failure to everyone who asked, and keeps what it had', async () => {
  const kept = keepFetches<string>(2, clock)
  await kept.fetch('a', async () => 'before')
  const fail = async () => {
    throw new Error('gone')
  }
  const asked = await Promise.allSettled([kept.fetch('a', fail), kept.fetch('a', fail), kept.fetch('b', fail)])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect([kept.get('a')?.value, kept.get('b')]).toEqual(['before', undefined])
})
