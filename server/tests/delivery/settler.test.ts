import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimedDelivery, Settlement } from '../../src/delivery/queue/delivery.ts'
import { createOverdue } from '../../src/delivery/queue/in-flight.ts'
import { createSettler } from '../../src/delivery/queue/settler.ts'
import { onBehalfOf } from '../../src/ground/database/connection-turns.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { keepLock, publishClaim, type Queue, testQueue } from '../support/queue.ts'

let queue: Queue

beforeEach(async () => {
  queue = await testQueue(2)
})
afterEach(() => queue?.drop())

const openSettler = () =>
  createSettler({
    overdue: createOverdue(),
    database: queue.database,
    clock: runningClock(),
    requestsPerWebhook: 10,
    workerId: makeId(Date.now()),
    cooldownMs: 1_000,
    failingAfterMs: 60_000,
    pauseAfterMs: 432_000_000,
    onDue: () => {},
    onSettled: () => {},
    onError: () => {},
  })

test('Outcomes are written although the organization of the first has all of its connections in use', async () => {
  await queue.addWebhooks(1, 32)
  const claim = publishClaim(makeId(Date.now()))
  const { claimed } = await queue.publish(1, { claim })
  const [delivery] = claimed
  const settler = openSettler()
  const release = await onBehalfOf(queue.organizationId, () => keepLock(queue.database))
  const settled = onBehalfOf(queue.organizationId, () =>
    settler.settle({ delivery: delivery as ClaimedDelivery, attempt: null, status: 'succeeded' }),
  )
  await expect.poll(finished).toHaveLength(1)
  await release()
  await settled
})

/** PostgreSQL refuses to log that event, with an error of that code, until it is no longer in `refused`. */
const refuse = (eventId: string, code: string) =>
  queue.database.write.rows({
    name: '',
    text: `do $$ begin
      create table refused as select '${eventId}'::uuid as event_id;
      execute 'create function refuse() returns trigger language plpgsql as $f$ begin
        if exists (select from refused where event_id = new.event_id) then
          raise exception ''no'' using errcode = ''${code}''; end if; return new; end $f$';
      create trigger refuse before insert on finished_deliveries for each row execute function refuse();
    end $$`,
    values: [],
  })

const finished = async () =>
  (await queue.database.read.rows(sql<{ event_id: string }>`select event_id from finished_deliveries`)).map(
    (row) => row.event_id,
  )

test.for([
  ['a row that it will never take is left to the rescue', '22000', false],
  ['a row that it may take later is written then', 'XX000', true],
] as const)('When PostgreSQL refuses one outcome the others are written; %s', async ([, code, isWrittenLater]) => {
  await queue.addWebhooks(1, 32)
  const claim = publishClaim(makeId(Date.now()))
  const published = await queue.publish(7, { claim })
  const claimed = published.claimed
  const ids = claimed.map(({ eventId }) => eventId)
  // Not the first, which is written alone.
  const bad = ids[3] as string
  await refuse(bad, code)
  const settler = openSettler()
  const settled = claimed.map((delivery) =>
    settler.settle({ delivery, attempt: null, status: 'succeeded' } satisfies Settlement),
  )
  await Promise.all(settled.toSpliced(3, 1))
  expect((await finished()).toSorted()).toEqual(ids.toSpliced(3, 1).toSorted())
  await queue.database.write.rows(sql`delete from refused`)
  await settled[3]
  expect((await finished()).includes(bad)).toBe(isWrittenLater)
})
