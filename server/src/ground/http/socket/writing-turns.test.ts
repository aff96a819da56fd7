import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createWritingTurns } from './writing-turns.ts'

test('Organizations take turns by bytes, with the event loop in between', async () => {
  const writeInTurn = createWritingTurns()
  const written: string[] = []
  const add = (organizationId: string, bytes: number, count: number) => {
    for (let number = 0; number < count; number++)
      writeInTurn(organizationId, bytes, () => written.push(organizationId))
  }
  add('many', 16_384, 1_000)
  add('few', 16_384, 2)
  add('small', 1, 20)
  await nextTurn()
  // 64 KiB of each; a write of one byte counts as 4 KiB.
  expect(written).toEqual([...Array(4).fill('many'), 'few', 'few', ...Array(16).fill('small')])
  await nextTurn()
  expect(written.slice(22)).toEqual([...Array(4).fill('many'), ...Array(4).fill('small')])
  while (written.length < 1_022) await nextTurn()
})

test('All organizations together write so much in a turn, and those left out come first in the next', async () => {
  const writeInTurn = createWritingTurns()
  const written: string[] = []
  for (const organizationId of ['a', 'b', 'c', 'd', 'e', 'f'])
    for (let number = 0; number < 2; number++) writeInTurn(organizationId, 65_536, () => written.push(organizationId))
  await nextTurn()
  expect(written).toEqual(['a', 'b', 'c', 'd'])
  await nextTurn()
  expect(written.slice(4)).toEqual(['e', 'f', 'a', 'b'])
  await nextTurn()
  expect(written.slice(8)).toEqual(['c', 'd', 'e', 'f'])
})
