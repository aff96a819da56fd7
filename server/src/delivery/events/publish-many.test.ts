import { expect, test } from 'vitest'
import type { Transaction } from '../../ground/database/database.ts'
import type { NewEvent } from './event-json.ts'
import { publishMany } from './publish-many.ts'

const event = {} as NewEvent

/** What is sent, in order: how many events each publication has, and the entry. `last` is in front of what goes along with the commit. */
async function sentFor(count: number, told = count) {
  const sent: (number | 'entry' | 'last')[] = []
  const last = <Result>(send: () => Promise<Result>) => {
    sent.push('last')
    return send()
  }
  const tx = { last } as Transaction
  const publish = async (_tx: Transaction, _organizationId: string, events: NewEvent[]) => {
    sent.push(events.length)
    return []
  }
  await publishMany(publish, tx, 'organization', {
    changes: Array.from({ length: count }, (_, index) => index),
    eventsOf: (index) => (index < told ? [event] : []),
    record: async () => sent.push('entry'),
  })
  return sent
}

test('Many events are published in pieces of a thousand, the last one along with the entry and the commit', async () => {
  expect(await sentFor(1_000)).toEqual(['last', 'entry', 1_000])
  expect(await sentFor(1_001)).toEqual([1_000, 'last', 'entry', 1])
  expect(await sentFor(2_000)).toEqual([1_000, 'last', 'entry', 1_000])
})

test('Where there is no event only the entry is written', async () => {
  expect(await sentFor(0)).toEqual(['last', 'entry'])
  expect(await sentFor(3, 0)).toEqual(['last', 'entry'])
  expect(await sentFor(1_001, 1_000)).toEqual([1_000, 'last', 'entry'])
})
