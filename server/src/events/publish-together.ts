import type { Database } from '../database/database.ts'
import type { Rate } from '../http/rate-limit.ts'
import { createBatcher } from '../runtime/batching.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { takeTestEvents } from './allowance-store.ts'
import type { NewEvent } from './event-json.ts'
import type { Publish, PublishedEvent } from './publish.ts'

/** Calls of an organization that are published in one statement, of up to 50 events each. */
const maxTogether = 32

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  allowance: Rate
}

/** What was published, or the seconds until the organization's allowance has room for it. */
type Outcome = PublishedEvent[] | number

/**
 * Publishes test events as the organization's allowance has room for them. Calls that come while others of the same
 * organization are published are published together: they wait for the disk once.
 */
export function createPublishTogether({ database, clock, publish, allowance }: Dependencies) {
  const take = (organizationId: string, count: number) =>
    takeTestEvents(database.write, organizationId, allowance, count, toTimestamp(clock.now()))

  const publishTaken = async (organizationId: string, calls: NewEvent[][]): Promise<Outcome[]> => {
    const published = await database.statement((tx) => publish(tx, organizationId, calls.flat(), { isTestEvent: true }))
    return calls.map(({ length }) => published.splice(0, length))
  }

  const publishOne = async (organizationId: string, events: NewEvent[]): Promise<Outcome> => {
    const seconds = await take(organizationId, events.length)
    return seconds === undefined
      ? publishTaken(organizationId, [events]).then(([outcome]) => outcome as Outcome)
      : Math.max(1, seconds)
  }

  return createBatcher<NewEvent[], Outcome>(maxTogether, async (organizationId, calls) => {
    const count = calls.flat().length
    const areTaken = calls.length > 1 && count <= allowance.burst && (await take(organizationId, count)) === undefined
    if (areTaken) return publishTaken(organizationId, calls)
    return calls.map((events) => publishOne(organizationId, events))
  })
}
