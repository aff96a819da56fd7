import type { Transaction } from '../../ground/database/database.ts'
import type { NewEvent } from './event-json.ts'
import type { Publish } from './publish.ts'

/** Events in one statement: some 600 kB. */
const maxEvents = 1_000

/** `eventsOf`: one event of a change at most. `record` writes the entry of the audit log, which goes along with the last events. */
type Many<Change> = { changes: Change[]; eventsOf: (change: Change) => NewEvent[]; record: () => Promise<unknown> }

/**
 * Publishes what a request changes of many: in pieces, of which one at a time is in memory, all in the transaction of the change. They are
 * its last statements, for a transaction that has published holds the feed back until it ends.
 */
export async function publishMany<Change>(
  publish: Publish,
  tx: Transaction,
  organizationId: string,
  { changes, eventsOf, record }: Many<Change>,
) {
  const publishFrom = async (start: number) => {
    const events = changes.slice(start, start + maxEvents).flatMap(eventsOf)
    if (events.length > 0) await publish(tx, organizationId, events)
  }
  let start = 0
  for (; start + maxEvents < changes.length; start += maxEvents) await publishFrom(start)
  await tx.last(() => Promise.all([record(), publishFrom(start)]))
}
