import { expect, test } from 'vitest'
import { createFetchCache } from './fetch-cache.ts'

const clock = { now: () => 0 }

test('The cache keeps so many documents, and drops the one used least recently', async () => {
  const cache = createFetchCache<string>(2, clock)
  for (const key of ['a', 'b']) await cache.fetch(key, async () => key)
  cache.get('a')
  await cache.fetch('c', async () => 'c')
  expect(['a', 'b', 'c'].map((key) => cache.get(key)?.value)).toEqual(['a', undefined, 'c'])
})

test('The cache asks once for all who ask at the same time', async () => {
  const cache = createFetchCache<number>(2, clock)
  let reads = 0
  const read = async () => ++reads
  expect(await Promise.all([cache.fetch('a', read), cache.fetch('a', read)])).toEqual([1, 1])
  expect(await cache.fetch('a', read)).toBe(2)
})

test('The cache reports a failure to everyone who asked, and keeps what it had', async () => {
  const cache = createFetchCache<string>(2, clock)
  await cache.fetch('a', async () => 'before')
  const fail = async () => {
    throw new Error('gone')
  }
  const results = await Promise.allSettled([cache.fetch('a', fail), cache.fetch('a', fail), cache.fetch('b', fail)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect([cache.get('a')?.value, cache.get('b')]).toEqual(['before', undefined])
})
