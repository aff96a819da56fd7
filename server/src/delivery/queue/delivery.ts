/**
 * The vocabulary of delivery: what its parts hand each other, from the lease of a delivery to what is written of it. Types,
 * constants, and the few pure functions on them; no code of other folders, for the sender thread loads what is imported here. What its
 * tuned constants brought: `docs/decisions/measurements.md`.
 */

import type { Outcome } from '../../ground/outbound/index.ts'
import type { Span } from '../../ground/runtime/tracer.ts'
import type { AttemptRecord } from '../webhooks/attempts/index.ts'

/** A receiver of an organization, which has one lane: a webhook, or an application that is sent logout tokens, whose `webhookId` is its client id. */
export type LaneKey = { organizationId: string; webhookId: string }

export const toLaneKey = (row: { org_id: string; webhook_id: string }): LaneKey => ({
  organizationId: row.org_id,
  webhookId: row.webhook_id,
})

/** For maps and sets, which compare objects by identity. Ids have one length, so two lanes never share a name. */
export const nameOfLane = ({ organizationId, webhookId }: LaneKey): string => organizationId + webhookId

/** `id`: of the webhook, or of its organization. */
export const belongsTo = ({ organizationId, webhookId }: LaneKey, id: string): boolean =>
  webhookId === id || organizationId === id

/** A worker that has had no session for so long is dead, and the others take back what it holds. */
export const graceMs = 5_000

/** Until a locked lane is tried again. Most locks last as long as a commit, but their process may be frozen. */
export const lockedDelay = { initialMs: 1, maxMs: 50 }

/** Requests to receivers that may be under way at once in this process. */
export type ConcurrencyLimits = { perWebhook: number; perOrganization: number; total: number }

/** Of one receiver. `maxRequests`: infinite for as many as the setting says. `failures`: since the last success. */
export type Concurrency = { maxRequests: number; failures: number }

/** Which of a worker's two dispatchers claims from a lane; `unhealthy`: degraded or failing. */
export type DispatcherKind = 'healthy' | 'unhealthy'

/** When the first lane of each kind is due, in milliseconds; infinity when none is. */
export type FirstDue = Record<DispatcherKind, number>

/** What the deliveries of one claim have in common. `leaseToken`: a settlement with another one changes nothing. */
export type Lease = { leaseToken: string; workerId: string; leaseEnd: string }

export type ClaimedDelivery = LaneKey & {
  /** `nameOfLane`, made once. */
  laneName: string
  eventId: string
  triggerName: string
  leaseToken: string
  /** The `ctid` of its row while it is leased: a settlement needs no index to find it. Null: it is not in the queue (`unqueued.ts`). */
  rowLocation: string | null
  /** In milliseconds; no request begins that could not end by then. */
  leaseEndsAt: number
  /** Counted from the first attempt ever. */
  attemptNumber: number
  /** Attempts in the present retry window, with this one. */
  windowAttempts: number
  /** When the first attempt of the present window began, in milliseconds; null: it is this one. */
  windowOpenedAt: number | null
  /** Both as of the claim. */
  isHealthy: boolean
  isFailing: boolean
  /** How many deliveries of its lane may be in flight at once. */
  maxInFlight: number
  /** How many requests its receiver may have at once, as of the claim. */
  concurrency: Concurrency
  /** Of the trigger that it was made for, in milliseconds. */
  triggerCreatedAt: number | null
  /** It is tried while its webhook is paused: a failure leaves it held, whatever its window says. */
  isHeld?: boolean
}

/** `tookMs`: by the running time; the log shows the attempt's own duration. */
export type RequestObservation = { succeeded: boolean; tookMs: number }
/** What was seen of a receiver: how a request ended, or that a delivery waited in vain for the requests before it. */
export type Observation = RequestObservation | { waitedMs: number }

/** Why a delivery goes back into the queue without an attempt; `retry-schedule.ts` says what each means and when it is due again. */
export type ReleaseReason =
  | 'waited_too_long'
  | 'too_late'
  | 'revoked'
  | 'stopping'
  | 'interrupted'
  | 'unreadable'
  | 'no_descriptors'
  | 'no_signing_key'
  | 'unreadable_headers'
  | 'not_signed'
  | 'not_sent'
  | 'sender_failed'

/** As the sender reports it. */
export type AttemptEnd =
  /** `afterMs`: from when it was handed to the sender until the request began. `concurrency`: of its receiver after it. */
  | {
      kind: 'completed'
      afterMs: number
      outcome: Outcome
      observation: RequestObservation
      concurrency: Concurrency
    }
  /** `problem`: for the operator's log. */
  | { kind: 'released'; reason: ReleaseReason; observation?: Observation | undefined; problem?: string }

/** What is written of a claimed delivery: it has finished with a status, or is pending again from `retryAt` on. */
export type Settlement = {
  delivery: ClaimedDelivery
  /** Null when none was made. */
  attempt: AttemptRecord | null
  observation?: Observation | undefined
  /** Of its receiver, after the request. */
  concurrency?: Concurrency
  /** Why the request failed, as the operator may know it: more than the delivery log says. */
  error?: string
  released?: ReleaseReason
  /** For the log. */
  trace?: Span['ids']
} & (CallEnd | { retryAt: string })

/**
 * What a batch of settlements shows of a receiver. `succeeded` is null when no request was made: then its limit can only fall, and
 * `concurrency` stays. A saturated lane takes no more until no more than `refillAt` are in flight.
 */
export type LaneReport = LaneKey & {
  succeeded: boolean | null
  isHealthy: boolean
  isDown: boolean
  maxInFlight: number
  refillAt: number
  requestsAtOnce: number
  /** `maxRequests` is null for as many as the setting says. */
  maxRequests: number | null
  failures: number
  /** Whether the row of the lane is to be written. */
  isNews: boolean
}

export const finalStatuses = ['succeeded', 'dropped', 'cancelled'] as const
export type FinalStatus = (typeof finalStatuses)[number]

/** Of what is in the log: a hook may also have refused the person, which is no failure of its receiver. */
export const loggedStatuses = [...finalStatuses, 'refused'] as const
export type LoggedStatus = (typeof loggedStatuses)[number]

/** Why a delivery did not succeed. */
export const reasons = [
  // Dropped.
  'retry_window_over',
  'expired',
  // Cancelled.
  'trigger_deleted',
  'webhook_deleted',
  // A logout token: dropped, and cancelled.
  'refused_by_application',
  'logout_uri_removed',
  // A hook run, dropped: written by `hooks`.
  'attempts_failed',
  'unusable_answer',
  'no_slot',
  'unreadable_headers',
  'no_signing_key',
  'webhook_restored',
  // A hook run, cancelled.
  'sign_in_refused',
] as const
export type Reason = (typeof reasons)[number]

/** What became of a delivery. */
type CallEnd = { status: FinalStatus; reason?: Reason | undefined }

/** What became of a hook's call. */
export type HookEnd = { status: LoggedStatus; reason?: Reason | undefined }

/** Points of a delivery's way, in order. The fault suite kills a process at each, and nothing that was acknowledged is lost. */
export const failpoints = [
  /** Event and deliveries are committed. Passed once for those that wait (then `woken`) and once for those claimed on publish. */
  'published',
  /** The lanes are due; no other process was notified. */
  'woken',
  /** The claim is committed. */
  'claimed',
  /** Address, headers, payload and signer are read; the sender has no request yet. */
  'prepared',
  /** The request is on its way; nobody knows how far it has come. */
  'sent',
  /** The receiver responded, or the request failed; nothing is written. */
  'responded',
  /** The outcome is committed. */
  'settled',
] as const
export type Failpoint = (typeof failpoints)[number]

export type OnFailpoint = (failpoint: Failpoint) => void
export const noFailpoint: OnFailpoint = () => {}

export type LogLine = (fields: object, message: string) => void
