import type { Database } from '../database/database.ts'
import type { Rate } from '../http/rate-limit.ts'
import { createBatcher } from '../runtime/batching.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { takeTestEvents } from './allowance-store.ts'
import type { NewEvent } from './event-json.ts'
import type { Publish, PublishedEvent } from './publish.ts'

/** Requests of an organization that are published in one statement, of up to 50 events each. */
const maxBatchSize = 32

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  allowance: Rate
}

/** The published events, or the seconds until the organization's allowance permits them. */
type Outcome = PublishedEvent[] | number

/**
 * Publishes test events within the organization's allowance. Requests that arrive while others of the same organization
 * are being published form one batch with one commit.
 */
export function createPublishTogether({ database, clock, publish, allowance }: Dependencies) {
  const take = (organizationId: string, count: number) =>
    takeTestEvents(database.write, organizationId, allowance, count, toTimestamp(clock.now()))

  const publishTaken = async (organizationId: string, requests: NewEvent[][]): Promise<Outcome[]> => {
    const published = await database.statement((tx) =>
      publish(tx, organizationId, requests.flat(), { isTestEvent: true }),
    )
    return requests.map(({ length }) => published.splice(0, length))
  }

  const publishOne = async (organizationId: string, events: NewEvent[]): Promise<Outcome> => {
    const seconds = await take(organizationId, events.length)
    return seconds === undefined
      ? publishTaken(organizationId, [events]).then(([outcome]) => outcome as Outcome)
      : Math.max(1, seconds)
  }

  return createBatcher<NewEvent[], Outcome>(maxBatchSize, async (organizationId, requests) => {
    const count = requests.flat().length
    const areTaken =
      requests.length > 1 && count <= allowance.burst && (await take(organizationId, count)) === undefined
    if (areTaken) return publishTaken(organizationId, requests)
    return requests.map((events) => publishOne(organizationId, events))
  })
}
