import { type Static, Type } from 'typebox'
import type { Transaction } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named, Timestamp } from '../../ground/http/chain/schemas.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { firstIdAt, timeOf } from '../../ground/runtime/identifiers.ts'
import { keptSince } from '../queue/index.ts'
import { hasWebhook, noSuchWebhook, WebhookPath, webhookIdIn } from '../webhooks/index.ts'
import { findFinished } from './delivery-log-store.ts'
import { FinalStatus } from './delivery-record.ts'
import type { Redelivery } from './redeliver.ts'

/** By one call, which moves them in one transaction. */
const maxRedelivered = 10_000

const Redelivered = named(
  'Redelivery',
  closed({
    since: { ...Timestamp, description: 'The first moment of the span.', examples: ['2026-01-01T00:00:00Z'] },
    until: Type.Optional({
      ...Timestamp,
      description: 'The moment at which the span is over. Absent: now.',
      examples: ['2026-01-01T01:00:00Z'],
    }),
    status: Type.Optional({
      ...FinalStatus,
      description: 'Only deliveries that ended so. Absent: all three.',
      examples: ['dropped'],
    }),
  }),
)

export const redeliverSpan = ({ database, clock, wake, reopenDeliveries, retentionMs }: Redelivery) =>
  operation({
    id: 'redeliverSpan',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/redeliver',
    scope: 'deliveries:write',
    tag: 'Deliveries',
    summary: 'Deliver once more what was finished in a span of time',
    description:
      'As for a single one, all finished deliveries whose `created_at` is from `since` on and before `until`, at most ' +
      '10,000: with more nothing is done, and the message names an `until` for the first 10,000. Those whose trigger is no ' +
      'longer there, or whose event is older than events are kept, stay as they are, and so do hook runs.',
    params: WebhookPath,
    body: Redelivered,
    rules: [({ body: { since, until } }) => since !== undefined && requireOrder(since, endOf(until, clock.now()))],
    status: 202,
    handle: async ({ organizationId, record, params, body: { since, until, status } }) => {
      const webhookId = webhookIdIn(params)
      const now = clock.now()
      const to = endOf(until, now)
      requireOrder(since, to)
      const from = Math.max(Date.parse(since), keptSince(now, retentionMs))
      await database.transaction(async (tx) => {
        if (!(await hasWebhook(tx, organizationId, webhookId))) throw noSuchWebhook()
        const eventIds = await findSpan(tx, organizationId, webhookId, { from, to, status })
        const count = await reopenDeliveries(tx, organizationId, webhookId, eventIds, toTimestamp(now))
        const after = { since, until, status, deliveries_count: count }
        if (count > 0) await record(tx, organizationId, { target: { type: 'webhook', id: webhookId }, after })
        tx.afterCommit(() => wake(organizationId, [webhookId]))
      })
    },
  })

const endOf = (until: string | undefined, now: number) => (until === undefined ? now : Date.parse(until))

function requireOrder(since: string, to: number) {
  if (Date.parse(since) > to) throw badRequest('invalid_value', 'since: must not be after until')
}

type Span = { from: number; to: number; status: Static<typeof FinalStatus> | undefined }

async function findSpan(tx: Transaction, organizationId: string, webhookId: string, { from, to, status }: Span) {
  const span = { from: firstIdAt(from), to: firstIdAt(to), status, limit: maxRedelivered + 1 }
  const eventIds = await findFinished(tx, organizationId, webhookId, span)
  const beyond = eventIds[maxRedelivered]
  if (beyond) throw tooMany(beyond)
  return eventIds
}

const tooMany = (beyond: string) =>
  badRequest(
    'invalid_value',
    `until: must be at most ${toTimestamp(timeOf(beyond))}, for before it are the first ${maxRedelivered} deliveries of the span`,
  )
