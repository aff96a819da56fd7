import { Type } from 'typebox'
import { conflict, notFound } from '../../ground/errors.ts'
import { idInPath, named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { exampleOf } from '../../ground/http/document/example.ts'
import { formatDuration } from '../../ground/runtime/duration.ts'
import { isUuid, timeOf } from '../../ground/runtime/identifiers.ts'
import { finalStatuses, loggedStatuses, reasons } from '../queue/index.ts'
import { AttemptSchema } from '../webhooks/attempts/index.ts'
import { TriggerRecord, WebhookPath, webhookIdIn } from '../webhooks/index.ts'
import type { StoredDelivery } from './delivery-log-store.ts'

export const Status = Type.Enum(['pending', 'in_flight', 'held', ...loggedStatuses], {
  description:
    '`pending`: waits for its first or next attempt; `in_flight`: a worker has it: its request is being sent or waits to be; ' +
    '`held`: waits for its webhook, which is paused; `succeeded`: answered with 2XX; `dropped`: failed for good; `cancelled`: its trigger or webhook was removed; ' +
    '`refused`: a hook refused the person.',
})
export const FinalStatus = Type.Enum(finalStatuses)
const Reason = Type.Enum(reasons, {
  description:
    'Why it was dropped: `retry_window_over`: its last attempt failed; `expired`: it waited for longer than events are ' +
    'kept. Why it was cancelled: `trigger_deleted`, `webhook_deleted`. Why a hook run was dropped: `attempts_failed`; ' +
    '`unusable_answer`: 2XX, but no claims; `no_slot`: too many hooks at once; `unreadable_headers`, `no_signing_key`: the ' +
    "operator's master key does not decrypt them; `webhook_restored`: this is a copy, restored from a backup, whose webhook " +
    'nobody has resumed. Why it was cancelled: `sign_in_refused`: another hook refused the person while this one was being called. ' +
    'Of a logout token: `refused_by_application`: dropped, answered with 400; `logout_uri_removed`: cancelled, the application ' +
    'has no `backchannel_logout_uri` any more, or was deleted.',
})
export const TriggerName = TriggerRecord.properties.trigger_name

/** Of a call to a webhook and of a logout token alike. */
export const outcomeFields = {
  status: Status,
  reason: Type.Optional(Reason),
  attempts_count: Type.Integer({ description: 'How many attempts were made.' }),
  last_status_code: Type.Optional(
    Type.Integer({ description: 'What the newest attempt was answered; absent when there was no answer.' }),
  ),
  last_error: Type.Optional(
    Type.String({ description: 'What was wrong with the newest attempt, in one word, besides a status.' }),
  ),
}
export const timeFields = {
  next_attempt_at: Type.Optional(Type.String({ format: 'date-time', description: 'While it is pending.' })),
  finished_at: Type.Optional(Type.String({ format: 'date-time', description: 'Once it is no longer waiting.' })),
}

/** One event, or hook run, goes to one webhook once, so its id names the delivery within its webhook. */
const deliveryFields = {
  id: { ...Uuid, description: 'The id of the delivery within its webhook.' },
  webhook_id: { ...Uuid, description: 'The webhook that is called.' },
  trigger_type: TriggerRecord.properties.trigger_type,
  trigger_name: TriggerName,
  sub: Type.String({
    description: 'The claim `sub` of its calls, as `id` is: the id of the event, or of the hook run.',
  }),
  ...outcomeFields,
  refusal_code: Type.Optional(
    Type.String({ description: 'The code that a hook gave with its refusal, if it gave one.' }),
  ),
  created_at: { ...Timestamp, description: 'When the event, or the hook, fired.' },
  ...timeFields,
  dropped_claims: Type.Optional(
    Type.Array(Type.String(), { description: 'Protected claims that a hook gave: the token kept its own.' }),
  ),
}
const example = {
  id: '0199a3f2-5c00-7000-8000-0242ac120003',
  webhook_id: '0199a3f2-5c00-7000-8000-0242ac120002',
  trigger_type: 'event',
  trigger_name: 'PersonCreated_v1',
  sub: '0199a3f2-5c00-7000-8000-0242ac120003',
  status: 'pending',
  attempts_count: 1,
  last_status_code: 500,
  created_at: '2026-11-25T09:30:00.000Z',
  next_attempt_at: '2026-11-25T09:31:00.060Z',
}

export const DeliveryRecord = named(
  'Delivery',
  Type.Object(deliveryFields, { description: 'What became of a call to a webhook.', examples: [example] }),
)
export const DeliveryWithAttempts = named(
  'DeliveryWithAttempts',
  Type.Object(
    { ...deliveryFields, attempts: Type.Array(AttemptSchema, { description: 'Newest last.' }) },
    {
      description: 'What became of a call to a webhook, attempt by attempt.',
      examples: [{ ...example, attempts: [exampleOf(AttemptSchema)] }],
    },
  ),
)

type Outcome = Pick<StoredDelivery, 'status' | 'reason' | 'attempts_count' | 'last_attempt'>
export const outcomeOf = (delivery: Outcome) => ({
  status: delivery.status,
  reason: delivery.reason ?? undefined,
  attempts_count: delivery.attempts_count,
  last_status_code: delivery.last_attempt?.status_code,
  last_error: delivery.last_attempt?.error,
})

type Times = Pick<StoredDelivery, 'status' | 'available_at' | 'finished_at'>
export const timesOf = (delivery: Times) => ({
  next_attempt_at: delivery.status === 'pending' ? delivery.available_at : undefined,
  finished_at: delivery.finished_at ?? undefined,
})

export const toRecord = (webhookId: string, delivery: StoredDelivery) => ({
  id: delivery.event_id,
  webhook_id: webhookId,
  trigger_type: delivery.trigger_type,
  trigger_name: delivery.trigger_name,
  sub: delivery.event_id,
  ...outcomeOf(delivery),
  refusal_code: delivery.last_attempt?.refusal_code,
  created_at: new Date(timeOf(delivery.event_id)),
  ...timesOf(delivery),
  dropped_claims: delivery.dropped_claims ?? undefined,
})

export const DeliveryPath = Type.Object({
  ...WebhookPath.properties,
  delivery_id: idInPath('The id of the delivery: the claim `sub` of its calls.'),
})

/** A delivery that is no UUID is a 404. */
export function deliveryIn(params: { webhook_id: string; delivery_id: string }) {
  const webhookId = webhookIdIn(params)
  if (!isUuid(params.delivery_id)) throw noSuchDelivery()
  return { webhookId, eventId: params.delivery_id.toLowerCase() }
}

export const noSuchDelivery = () => notFound('delivery')

export const tooOld = (retentionMs: number) =>
  conflict(
    'delivery_not_repeatable',
    `delivery: its event must be at most ${formatDuration(retentionMs)} old, for so long events are kept`,
  )
