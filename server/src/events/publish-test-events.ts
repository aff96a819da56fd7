import type { JsonObject } from '@bufbuild/protobuf'
import { Type } from 'typebox'
import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { badRequest, tooManyRequests } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { rule, Uuid } from '../http/schemas.ts'
import { eventNames, madeUpEvent, type NewEvent, overrideProblems, withVersion } from './event-json.ts'
import { takeTestEvents } from './event-store.ts'
import type { Publish } from './publish.ts'

const maxTestEvents = 50

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  allowance: { perMinute: number; burst: number }
}

const TestEvent = Type.Object(
  { event_name: Type.String({ description: 'Name of the event, with or without its version: `PersonCreated_v1`.' }) },
  { additionalProperties: true },
)

export const publishTestEvents = ({ database, clock, publish, allowance }: Dependencies) =>
  operation({
    method: 'POST',
    path: '/test-events',
    access: 'key',
    tag: 'Events',
    summary: 'Publish test events',
    description:
      'Publishes made-up events with `is_test_event` set: registered webhooks with a matching trigger are called. Any ' +
      'field of the event but `event_metadata` may be given and replaces the made-up one. Anything wrong: none is ' +
      'published. At most 10 events a minute and 50 at once for each organization, unless the operator set another rate.',
    body: Type.Array(TestEvent, {
      minItems: 1,
      maxItems: maxTestEvents,
      ...rule(`must be an array of 1 to ${maxTestEvents} events`),
    }),
    status: 201,
    result: Type.Array(Type.Object({ event_id: Uuid, event_name: Type.String(), timestamp: Type.String() })),
    refusals: [429],
    handle: async ({ organizationId, body, origin }) => {
      const analytics = { analytics_correlation_id: origin.correlationId, client_ip_address: origin.clientAddress }
      const events = readEvents(body as ({ event_name: string } & JsonObject)[], analytics)
      return database.transaction(async (tx) => {
        const now = toTimestamp(clock.now())
        const waitSeconds = await takeTestEvents(tx, organizationId, allowance, events.length, now)
        if (waitSeconds !== undefined) throw tooManyRequests(waitSeconds)
        return publish(tx, organizationId, events, { isTestEvent: true })
      })
    },
  })

function readEvents(given: ({ event_name: string } & JsonObject)[], analytics: object): NewEvent[] {
  const problems: string[] = []
  const events = given.flatMap(({ event_name, ...overrides }, index) => {
    const name = withVersion(event_name)
    if (!name) {
      problems.push(`[${index}].event_name: must be one of ${eventNames.join(', ')}`)
      return []
    }
    problems.push(...overrideProblems(name, overrides).map((problem) => `[${index}].${problem}`))
    return problems.length > 0 ? [] : [madeUpEvent(name, analytics, overrides)]
  })
  if (problems.length > 0) throw badRequest(...problems)
  return events
}
