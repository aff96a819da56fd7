import { onBehalfOf } from '../../ground/database/connection-turns.ts'
import type { Database } from '../../ground/database/database.ts'
import type { Rate } from '../../ground/http/socket/rate-limit.ts'
import { takeAllowance } from '../../ground/limits/index.ts'
import { createBatcher } from '../../ground/runtime/batching.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import type { Tracer } from '../../ground/runtime/tracer.ts'
import type { NewEvent } from './event-json.ts'
import { type Publish, type PublishedEvent, publicationOf } from './publish.ts'

/** Requests of an organization that are published in one transaction, of up to 50 events each. */
const maxBatchSize = 32

type Dependencies = { database: Database; clock: Clock; publish: Publish; allowance: Rate; tracer: Tracer }

type Request = {
  events: NewEvent[]
  /** Of each event the only webhook that gets it, where there is one. */
  onlyWebhookIds: (string | undefined)[]
  /** The span of its publication: the batch belongs to none of its requests. */
  parent: string | undefined
}

/** The published events, or the seconds until the organization's allowance permits them. */
type Outcome = PublishedEvent[] | number

/**
 * Publishes test events within the organization's allowance. Requests that arrive while others of the same organization
 * are being published form one batch with one commit.
 */
export function createPublishTogether({ database, clock, publish, allowance, tracer }: Dependencies) {
  const take = (organizationId: string, count: number) =>
    takeAllowance(database, organizationId, {
      of: 'testEvents',
      rate: allowance,
      count,
      now: toTimestamp(clock.now()),
    })

  const publishTaken = (organizationId: string, requests: Request[]): Promise<Outcome[]> =>
    database.transaction(async (tx) => {
      const events = requests.flatMap((request) => request.events)
      const parents = requests.flatMap(({ parent, events: own }) => own.map(() => parent))
      const onlyWebhookIds = requests.flatMap((request) => request.onlyWebhookIds)
      const published = await tx.last(() =>
        publish(tx, organizationId, events, { isTestEvent: true, parents, onlyWebhookIds }),
      )
      return requests.map(({ events: own }) => published.splice(0, own.length))
    })

  const publishOne = async (organizationId: string, request: Request): Promise<Outcome> => {
    const seconds = await take(organizationId, request.events.length)
    return seconds === undefined
      ? publishTaken(organizationId, [request]).then(([outcome]) => outcome as Outcome)
      : seconds
  }

  const publishAll = async (organizationId: string, requests: Request[]) => {
    const count = requests.reduce((sum, { events }) => sum + events.length, 0)
    const areTaken =
      requests.length > 1 && count <= allowance.burst && (await take(organizationId, count)) === undefined
    if (areTaken) return publishTaken(organizationId, requests)
    return requests.map((request) => publishOne(organizationId, request))
  }
  const publishSoon = createBatcher<Request, Outcome>(maxBatchSize, (organizationId, requests) =>
    onBehalfOf(organizationId, () => publishAll(organizationId, requests)),
  )

  return (organizationId: string, request: Omit<Request, 'parent'>) =>
    tracer.within(publicationOf(request.events), (span) => {
      // What is written together with its answer has a commit of its own.
      const publish = database.isTogether() ? publishOne : publishSoon
      return publish(organizationId, { ...request, parent: span?.traceparent })
    })
}
