import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createQueue } from './request-turns.ts'

test('A few connections parse in a turn of the event loop, and the others in the order in which they came', async () => {
  const queue = createQueue()
  const parsed: number[] = []
  const receive = (connection: number) => {
    if (queue.mayParseNow()) parsed.push(connection)
    else queue.add(() => parsed.push(connection))
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, connection) => connection)
  for (const connection of upTo(20)) receive(connection)
  expect(parsed).toEqual(upTo(8))
  await nextTurn()
  expect(parsed).toEqual(upTo(16))
  receive(20)
  await nextTurn()
  expect(parsed).toEqual(upTo(21))
  await nextTurn()
  receive(21)
  expect(parsed).toEqual(upTo(22))
})
