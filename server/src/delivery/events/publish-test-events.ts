import type { JsonObject } from '@bufbuild/protobuf'
import { Type } from 'typebox'
import { badRequestOf, type Fault, maxProblems, tooManyRequests } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named, rule, Uuid } from '../../ground/http/chain/schemas.ts'
import { toNanosecondTimestamp } from '../../ground/runtime/clock.ts'
import { firstIdAt } from '../../ground/runtime/identifiers.ts'
import { analyticsOf } from './analytics.ts'
import {
  type EventName,
  eventNames,
  madeUpEvent,
  type NewEvent,
  overrideProblems,
  toEventJson,
  withVersion,
} from './event-json.ts'
import { createPublishTogether } from './publish-together.ts'

const maxTestEvents = 50
/** Limit of one event's JSON. */
const maxEventBytes = 16_000

const EventNameInput = Type.String({
  description: 'The name of the event, with or without its version.',
  examples: ['PersonCreated_v1'],
})
const TestEvent = named(
  'TestEvent',
  Type.Object(
    {
      event_name: EventNameInput,
      webhook_id: Type.Optional({
        ...Uuid,
        description: 'The only webhook that gets it, which must have the trigger. Absent: each webhook that has it.',
      }),
    },
    {
      additionalProperties: true,
      description: 'An event to publish. Any field of that event may be given beside its name and its webhook.',
      examples: [{ event_name: 'PersonCreated_v1', region: 'local' }],
    },
  ),
)
const PublishedEvent = named(
  'PublishedEvent',
  Type.Object(
    {
      event_id: { ...Uuid, description: 'The id of the event.' },
      event_name: Type.String({ description: 'The name, with its version.', examples: ['PersonCreated_v1'] }),
      timestamp: Type.String({
        description: 'When it was published: RFC 3339 in UTC with nine decimals.',
        examples: ['2026-11-25T09:30:00.000000000Z'],
      }),
    },
    { description: 'An event that was published.' },
  ),
)

/** Names of the event triggers of webhooks, by the ids of those that there are. */
type TriggersOfWebhooks = (organizationId: string, webhookIds: string[]) => Promise<Map<string, Set<string>>>

type Dependencies = Parameters<typeof createPublishTogether>[0] & { triggersOfWebhooks: TriggersOfWebhooks }

export const publishTestEvents = ({ triggersOfWebhooks, ...dependencies }: Dependencies) => {
  const publishTogether = createPublishTogether(dependencies)
  /** Throws a 400 with what is wrong. */
  const check = async (organizationId: string, inputs: (TestEventInput | undefined)[]) => {
    const ids = new Set(inputs.flatMap((input) => input?.webhook_id?.toLowerCase() ?? []))
    const triggers = ids.size > 0 ? await triggersOfWebhooks(organizationId, [...ids]) : new Map()
    const faults = inputs
      .values()
      .flatMap((event, index) => (event ? faultsOf(event, index, triggers) : []))
      .take(maxProblems)
      .toArray()
    if (faults.length > 0) throw badRequestOf(faults)
  }
  // A request larger than the burst would never be allowed.
  const maxEvents = Math.min(maxTestEvents, dependencies.allowance.burst)
  return operation({
    id: 'publishTestEvents',
    method: 'POST',
    path: '/test-events',
    scope: 'events:write',
    tag: 'Events',
    summary: 'Publish test events',
    description:
      'Publishes made-up events with `is_test_event` set: registered webhooks with a matching trigger are called, or of an event with ' +
      '`webhook_id` that one alone. The feed has each of them. Any field of the event but `event_metadata` may be given and replaces ' +
      'the made-up one, up to 16,000 bytes an event. ' +
      'Anything wrong: none is published. At most 10 events a minute and 50 at once for each organization, unless the operator set another rate.',
    body: Type.Array(TestEvent, {
      minItems: 1,
      maxItems: maxEvents,
      ...rule(`must be an array of 1 to ${maxEvents} events`),
      description: 'The events to publish.',
    }),
    status: 201,
    result: Type.Array(PublishedEvent, { description: 'The events, in the order in which they were given.' }),
    refusals: [429],
    rules: [({ organizationId, body }) => check(organizationId, body as (TestEventInput | undefined)[])],
    handle: async ({ organizationId, body, caller }) => {
      const inputs = body as TestEventInput[]
      await check(organizationId, inputs)
      const events = madeUpEvents(inputs, analyticsOf(caller))
      const onlyWebhookIds = inputs.map(({ webhook_id }) => webhook_id?.toLowerCase())
      const outcome = await publishTogether(organizationId, { events, onlyWebhookIds })
      if (typeof outcome === 'number') throw tooManyRequests(outcome)
      return outcome
    },
  })
}

type TestEventInput = { event_name: string; webhook_id?: string } & JsonObject

const madeUpEvents = (inputs: TestEventInput[], analytics: object): NewEvent[] =>
  inputs.map(({ event_name, webhook_id: _, ...overrides }) =>
    madeUpEvent(withVersion(event_name) as EventName, analytics, overrides),
  )

function* faultsOf(
  { event_name, webhook_id, ...overrides }: TestEventInput,
  index: number,
  triggers: Map<string, Set<string>>,
): Generator<Fault> {
  const at = (code: Fault['code'], problem: string): Fault => ({ code, message: `[${index}]${problem}` })
  const name = withVersion(event_name)
  if (!name) yield at('invalid_value', `.event_name: must be one of ${eventNames.join(', ')}`)
  else for (const { code, message } of eventFaults(name, overrides)) yield at(code, message)
  if (webhook_id === undefined) return
  const its = triggers.get(webhook_id.toLowerCase())
  if (!its) yield at('unknown_reference', '.webhook_id: must be a webhook of the organization')
  else if (name && !its.has(name))
    yield at('invalid_value', `.webhook_id: must be a webhook that has the trigger event ${name}`)
}

function* eventFaults(name: EventName, overrides: JsonObject): Generator<Fault> {
  let isValid = true
  for (const { code, message } of overrideProblems(name, overrides)) {
    isValid = false
    yield { code, message: `.${message}` }
  }
  if (isValid && bytesOf(madeUpEvent(name, longestAnalytics, overrides)) > maxEventBytes)
    yield { code: 'invalid_value', message: `: must be an event of at most ${maxEventBytes} bytes` }
}

/** Ids and timestamps have a fixed length; this is the longest client address. */
const anyId = firstIdAt(0)
const longestAnalytics = { analytics_correlation_id: anyId, client_ip_address: `${'ffff:'.repeat(6)}255.255.255.255` }
const anyStamp = { eventId: anyId, organizationId: anyId, timestamp: toNanosecondTimestamp(0), isTestEvent: true }

const bytesOf = (event: NewEvent) => Buffer.byteLength(toEventJson(event, anyStamp))
