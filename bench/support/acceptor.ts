import fastify from 'fastify'
import { type EventName, madeUpEvent, toEventJson } from '../../server/src/delivery/events/event-json.ts'
import { toNanosecondTimestamp } from '../../server/src/ground/runtime/clock.ts'
import { makeId } from '../../server/src/ground/runtime/identifiers.ts'
import type { Job } from './sender.ts'

/** What a queue is made with, in its process. */
export type QueueSettings = {
  connectionString: string
  receiving: { authority: string; resolve: [place: string, address: string][] }
  inFlight: number
  /** Of each organization, the URL of its webhook. */
  targets: Record<string, string>
}

type Headers = { 'service-orgid': string }

/**
 * The endpoint of a queue: as Signet does, it makes the events that are asked for, and answers once `store` has them safe.
 * Gives its port.
 */
export async function acceptEvents(targets: Record<string, string>, store: (jobs: Job[]) => Promise<unknown>) {
  const app = fastify()
  app.post<{ Body: { event_name: EventName }[]; Headers: Headers }>('/test-events', async (request, reply) => {
    const organizationId = request.headers['service-orgid']
    const jobs = request.body.map(({ event_name }) =>
      makeJob(organizationId, targets[organizationId] ?? '', event_name),
    )
    await store(jobs)
    reply.code(201)
    return { result: jobs.map(({ eventId }) => ({ event_id: eventId })) }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as { port: number }).port
}

export function makeJob(organizationId: string, targetUrl: string, name: EventName): Job {
  const now = Date.now()
  const eventId = makeId(now)
  const event = madeUpEvent(name, { analytics_correlation_id: '', client_ip_address: '127.0.0.1' }, {})
  return {
    eventId,
    organizationId,
    targetUrl,
    payload: toEventJson(event, { eventId, organizationId, timestamp: toNanosecondTimestamp(now), isTestEvent: true }),
  }
}
