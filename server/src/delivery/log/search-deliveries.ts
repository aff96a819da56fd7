import { type Static, Type } from 'typebox'
import type { Database, Queries } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { createCursors } from '../../ground/http/chain/cursor.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { rule, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { firstIdAt, isUuid } from '../../ground/runtime/identifiers.ts'
import { attemptErrors } from '../webhooks/attempts/index.ts'
import type { TriggerType } from '../webhooks/index.ts'
import { DeliveryRecord, Status, TriggerName, toRecord } from './delivery-record.ts'
import { allIds, type Position, searchDeliveries as searchIn } from './delivery-search-store.ts'

const Filters = Type.Object({
  status: Type.Optional(Status),
  event_name: Type.Optional({ ...TriggerName, description: 'Only those of this event, or of this hook.' }),
  webhook_id: Type.Optional({ ...Uuid, description: 'Only those of this webhook, which may have been deleted since.' }),
  status_code: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 599,
      ...rule('must be an integer from 100 to 599'),
      description: 'Only those whose newest attempt was answered with this status.',
      examples: [503],
    }),
  ),
  error: Type.Optional(
    Type.Enum(attemptErrors, {
      description: 'Only those with this word for what was wrong with their newest attempt.',
    }),
  ),
  event_id: Type.Optional({
    ...Uuid,
    description: 'Only those of this event, or of this run of a hook: one for each webhook.',
  }),
  since: Type.Optional({ ...Timestamp, description: 'Only those of events from this moment on.' }),
  until: Type.Optional({ ...Timestamp, description: 'Only those of events before this moment.' }),
  trigger_type: Type.Optional({
    ...DeliveryRecord.properties.trigger_type,
    description: 'Only those of events, or only those of hooks.',
  }),
  finished_since: Type.Optional({ ...Timestamp, description: 'Only those that ended at this moment or later.' }),
  finished_until: Type.Optional({ ...Timestamp, description: 'Only those that ended before this moment.' }),
})
type Filters = Static<typeof Filters>

export const searchDeliveries = ({ database }: { database: Database }) => {
  const cursors = createCursors('deliveries of all webhooks', isPosition)
  return operation({
    id: 'searchDeliveries',
    method: 'GET',
    path: '/organizations/deliveries',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'Search the deliveries of all webhooks',
    description:
      'The newest event first, those that wait and those that are finished together; what matches all filters. A page may have ' +
      'fewer than `limit`, or none, and `meta.next` all the same, where many deliveries had to be looked at: go on until it is ' +
      'absent. Each delivery is in the list once, also where it is finished or delivered once more meanwhile. Logout tokens are ' +
      'not among them: each application has a list of its own.',
    query: Filters,
    result: DeliveryRecord,
    paged: 'cursor',
    handle: async ({ organizationId, query: { after, limit, ...filters } }) => {
      const position = after === undefined ? undefined : toPosition(cursors.read(after))
      const { deliveries, next } = await searchIn(database.pages, organizationId, {
        ...toSearch(filters),
        ...idsOf(filters, position),
        limit,
      })
      // Where `webhook_id` is that of an application, or one that has just been deleted: its logout tokens are listed with it.
      const ofWebhooks = deliveries.filter(({ content }) => content === null)
      const items = ofWebhooks.map((delivery) => toRecord(delivery.webhook_id, delivery))
      return { items, next: next && cursors.write(textOf(next)) }
    },
  })
}

const isPosition = (text: string) => /^\S+ \S+$/.test(text) && text.split(' ').every(isUuid)

function toPosition(text: string): Position {
  const [eventId = '', webhookId = ''] = text.split(' ')
  return { eventId, webhookId }
}

const toSearch = ({ status, event_name, webhook_id, status_code, error, ...filters }: Filters) => ({
  triggerType: filters.trigger_type as TriggerType | undefined,
  finishedSince: inUtc(filters.finished_since),
  finishedUntil: inUtc(filters.finished_until),
  status,
  triggerName: event_name,
  webhookId: webhook_id?.toLowerCase(),
  statusCode: status_code,
  error,
})

/** PostgreSQL knows no offset of 16 hours or more. */
const inUtc = (time: string | undefined) => (time === undefined ? undefined : toTimestamp(Date.parse(time)))

/** What all bounds together leave: from the last of the beginnings to the first of the ends. */
function idsOf({ event_id, since, until, finished_since, finished_until }: Filters, after: Position | undefined) {
  if (isAfter(since, until)) throw badRequest('invalid_value', 'since: must not be after until')
  if (isAfter(finished_since, finished_until))
    throw badRequest('invalid_value', 'finished_since: must not be after finished_until')
  const eventId = event_id?.toLowerCase()
  const beginnings = [allIds.from, since && firstIdAt(Date.parse(since)), eventId]
  const ends = [
    ...[allIds.before, after],
    // What ended by then is of an event before.
    finished_until && { eventId: firstIdAt(Date.parse(finished_until)), webhookId: allIds.from },
    until && { eventId: firstIdAt(Date.parse(until)), webhookId: allIds.from },
    eventId && { eventId, webhookId: allIds.before.eventId },
  ]
  return {
    from: beginnings.filter((id) => id !== undefined).reduce((one, other) => (one > other ? one : other)),
    before: ends
      .filter((end) => typeof end === 'object')
      .reduce((one, other) => (textOf(one) < textOf(other) ? one : other)),
  }
}

const isAfter = (since: string | undefined, until: string | undefined) =>
  since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)

const textOf = ({ eventId, webhookId }: Position) => `${eventId} ${webhookId}`

/** Those of one event, or of one run of a hook: at most `limit`. */
export async function deliveriesOf(queries: Queries, organizationId: string, eventId: string, limit: number) {
  const search = { from: eventId, before: { eventId, webhookId: allIds.before.eventId }, limit }
  const { deliveries } = await searchIn(queries, organizationId, search)
  return deliveries.filter(({ content }) => content === null)
}
