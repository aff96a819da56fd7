import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('Organizations have turns, and the items of each come in their order', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1']) queue.add(item.charAt(0), item)
  const taken: string[] = []
  for (const organizationId of queue.organizations()) taken.push(queue.take(organizationId) ?? 'nothing')
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  expect([queue.size(), queue.has('a'), queue.take('a')]).toEqual([0, false, undefined])
})

test('What is removed has no turn, and leaves the others theirs', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.charAt(0), item)
  expect([queue.remove('a', 'a1'), queue.remove('a', 'a1'), queue.remove('b', 'b1')]).toEqual([true, false, true])
  expect([...queue.organizations()]).toEqual(['b'])
  expect([queue.size(), queue.take('b')]).toEqual([1, 'b2'])
})
