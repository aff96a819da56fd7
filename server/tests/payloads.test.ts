import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertEvents, type StoredEvent } from '../src/events/event-store.ts'
import { createPayloads } from '../src/events/index.ts'
import { makeId } from '../src/identifiers.ts'
import { type Queue, testQueue } from './support/queue.ts'

let queue: Queue

beforeAll(async () => {
  queue = await testQueue(1)
})

afterAll(() => queue?.drop())

const makeEvent = (payload: string): StoredEvent => ({ id: makeId(Date.now()), name: 'PersonCreated_v1', payload })

/** What the table has, and what `payloads` gives for it, shows where it was read. */
async function store(...events: StoredEvent[]) {
  const { database, organizationId } = queue
  await database.transaction((tx) => insertEvents(tx, organizationId, events, new Date().toISOString()))
}

const load = (
  payloads: ReturnType<typeof createPayloads>,
  events: StoredEvent[],
  organizationId = queue.organizationId,
) =>
  payloads.load(
    queue.database.read,
    events.map(({ id }) => ({ organizationId, eventId: id })),
  )

test('what was kept is given from memory, and the rest as it is stored', async () => {
  const [kept, other, gone] = [
    makeEvent('{"n":1}'),
    makeEvent('{"text":"a \\n \\"b\\" {c},\\u00e4 ä"}'),
    makeEvent('{}'),
  ]
  await store(kept, other)
  const payloads = createPayloads()
  payloads.keep(queue.organizationId, [{ ...kept, payload: 'from memory' }])
  expect(await load(payloads, [kept, other, gone])).toEqual(
    new Map([
      [kept.id, 'from memory'],
      [other.id, other.payload],
    ]),
  )
})

test('what one organization published is never given to another', async () => {
  const event = makeEvent('{}')
  const payloads = createPayloads()
  payloads.keep(queue.organizationId, [event])
  expect(await load(payloads, [event], makeId(0))).toEqual(new Map())
})

test('of more than 16 million characters the oldest are read again', async () => {
  const events = Array.from({ length: 17 }, () => makeEvent('{}'))
  await store(...events)
  const payloads = createPayloads()
  for (const event of events) payloads.keep(queue.organizationId, [{ ...event, payload: 'x'.repeat(1024 * 1024) }])
  const lengths = [...(await load(payloads, events)).values()].map(({ length }) => length)
  expect(lengths.toSorted((a, b) => a - b)).toEqual([2, ...Array(16).fill(1024 * 1024)])
})
