import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoredEvent } from '../../src/delivery/events/event-store.ts'
import { createPayloads, type Payloads } from '../../src/delivery/events/index.ts'
import { enqueue } from '../../src/delivery/queue/enqueue.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { type Queue, testQueue } from '../support/queue.ts'

let queue: Queue

beforeAll(async () => {
  queue = await testQueue(1)
})

afterAll(() => queue?.drop())

const makeEvent = (payload: string): StoredEvent => ({ id: makeId(Date.now()), name: 'PersonCreated_v1', payload })

async function store(...events: StoredEvent[]) {
  const { database, organizationId } = queue
  await database.transaction((tx) => enqueue(tx, organizationId, events, new Date().toISOString()))
}

const load = (payloads: Payloads, events: StoredEvent[], organizationId = queue.organizationId) =>
  payloads.load(
    queue.database.read,
    events.map(({ id }) => ({ organizationId, eventId: id })),
  )

test('A payload that was kept is given from memory, and the others as they are stored', async () => {
  const [kept, other, gone] = [
    makeEvent('{"n":1}'),
    makeEvent('{"text":"a \\n \\"b\\" {c},\\u00e4 ä"}'),
    makeEvent('{}'),
  ]
  await store(kept, other)
  const payloads = createPayloads()
  // Another text than the table has shows where it was read.
  payloads.keep(queue.organizationId, [{ ...kept, payload: 'from memory' }])
  expect(await load(payloads, [kept, other, gone])).toEqual(
    new Map([
      [kept.id, { payload: 'from memory' }],
      [other.id, { payload: other.payload, traceparent: null }],
    ]),
  )
})

test('A payload that one organization published is never given to another', async () => {
  const event = makeEvent('{}')
  const payloads = createPayloads()
  payloads.keep(queue.organizationId, [event])
  expect(await load(payloads, [event], makeId(0))).toEqual(new Map())
})

test('The older half of more than 16 million characters of payloads is read again', async () => {
  const events = Array.from({ length: 17 }, () => makeEvent('{}'))
  await store(...events)
  const payloads = createPayloads()
  for (const event of events) payloads.keep(queue.organizationId, [{ ...event, payload: 'x'.repeat(1_000_000) }])
  const loaded = await load(payloads, events)
  expect(events.filter(({ id }) => loaded.get(id)?.payload === '{}')).toEqual(events.slice(0, 8))
})
