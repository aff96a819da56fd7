/**
 * What the parts of delivery hand each other, from the lease of a delivery to what is written of it, and the words for that.
 */
import type { AttemptRecord } from '../attempts/index.ts'
import type { ShownOutcome } from '../outbound/index.ts'
import { maxTimeoutMs } from '../webhooks/index.ts'

/** A webhook of an organization: what a lane belongs to. */
export type LaneKey = { organizationId: string; webhookId: string }

export const toLaneKey = (row: { org_id: string; webhook_id: string }): LaneKey => ({
  organizationId: row.org_id,
  webhookId: row.webhook_id,
})

/** For maps and sets, which know an object by its identity. Ids have one length, so no two lanes have one name. */
export const nameOfLane = ({ organizationId, webhookId }: LaneKey): string => organizationId + webhookId

/** `id`: of the webhook, or of its organization. */
export const isOf = ({ organizationId, webhookId }: LaneKey, id: string): boolean =>
  webhookId === id || organizationId === id

/** For signing, writing what became of the call, and a process that is held up a little. */
const spareMs = 5_000
/** Of a claim, in milliseconds: longer than the longest call, so a worker that lives always settles in time. */
export const leaseMs = maxTimeoutMs + spareMs
/** A worker that has had no session for so long is dead, and what it holds is given back. */
export const graceMs = 5_000

/** Until a lane is tried again that somebody has locked: mostly for a commit, but a process may be frozen. */
export const lockedDelay = { initialMs: 1, maxMs: 50 }

/** Calls under way at once, in this process. */
export type ConcurrencyLimits = { perWebhook: number; perOrganization: number; inAll: number }

/** What receivers that are not healthy may use of a cap together. */
export const halfOf = (cap: number) => Math.max(1, Math.floor(cap / 2))

/** Which of a worker's two loops claims a lane: that of healthy receivers, or that of all that are not. */
export type Kind = 'healthy' | 'unhealthy'

/** When the first lane of each kind is due, in milliseconds; infinity when none is. */
export type FirstDue = Record<Kind, number>

/** How a receiver is called: `degraded` is one that is slow, new, or failed just now; `failing` has failed for a while. */
export type ReceiverClass = 'healthy' | 'degraded' | 'failing'

/** What the next claim may take: so many deliveries, none of the organizations that are full. */
export type Claimable = Record<ReceiverClass, { limit: number; excluded: string[] }>

export type ClaimedDelivery = LaneKey & {
  /** `nameOfLane`: made once for all steps of the service's own thread. */
  laneName: string
  eventId: string
  triggerName: string
  /** Names this claim, as long as it is in flight; a settlement with another one changes nothing. */
  leaseToken: string
  /** Where its row is as long as it is in flight: a settlement needs no index to find it. */
  rowLocation: string
  /** Milliseconds; nothing is begun that could not end by then. */
  leaseEndsAt: number
  /** Number of this attempt, counted from the first one ever. */
  attemptNumber: number
  /** Attempts in the present window, this one included. */
  windowAttempts: number
  /** When the first attempt of the present window began, in milliseconds; null: it is this one. */
  windowOpenedAt: number | null
  /** Whether the receiver's last call succeeded, and its calls do not take long. */
  isHealthy: boolean
  /** Whether the receiver's calls have failed for a while. */
  isFailing: boolean
  /** How many deliveries of its lane may be in flight at once. */
  maxInFlight: number
  /** Of the trigger that it was made for, in milliseconds; null in those of older versions. */
  triggerCreatedAt: number | null
}

/** How a call ended. `tookMs`: by the running time; what the log shows is the attempt's own duration. */
export type RequestObservation = { succeeded: boolean; tookMs: number }
/** What was seen of a receiver: how its call ended, or that a delivery waited in vain for the calls before it. */
export type Observation = RequestObservation | { waitedMs: number }

/** Why a delivery goes back into the queue without an attempt; `outcome.ts` has what each means and when it is due again. */
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

/** How an attempt that was ordered has ended. */
export type AttemptEnd =
  /** `afterMs`: from the order to the call. */
  | { kind: 'completed'; afterMs: number; outcome: ShownOutcome; observation: RequestObservation }
  /** `problem`: for the operator's log. */
  | { kind: 'released'; reason: ReleaseReason; observation?: Observation | undefined; problem?: string }

/** What becomes of a claimed delivery: it has finished with a status, or is pending again from `retryAt` on. */
export type Settlement = {
  delivery: ClaimedDelivery
  /** Null when none was made. */
  attempt: AttemptRecord | null
  /** Of its receiver, if anything. */
  observation?: Observation | undefined
  /** Of a failed call, in the operator's word, which says more than the delivery log. */
  error?: string
  /** Why it goes back without an attempt. */
  released?: ReleaseReason
} & ({ status: FinalStatus; reason?: Reason } | { retryAt: string })

/**
 * What the calls of a lane showed of its receiver. `succeeded` is null when it was not called; then its room can only
 * become smaller. `room` is that of one that answers.
 */
export type LaneReport = LaneKey & { succeeded: boolean | null; isHealthy: boolean; maxInFlight: number }

/** How a delivery ends. */
export const finalStatuses = ['succeeded', 'dropped', 'cancelled'] as const
export type FinalStatus = (typeof finalStatuses)[number]

/** Why it did not succeed. */
export const reasons = [
  // Dropped.
  'retry_window_over',
  'expired',
  // Cancelled.
  'trigger_deleted',
  'webhook_deleted',
  // A hook run, dropped: written by `hooks`.
  'attempts_failed',
  'unusable_answer',
  'no_slot',
  'unreadable_headers',
  'no_signing_key',
] as const
export type Reason = (typeof reasons)[number]

/**
 * The steps of a delivery, in their order. A process may die at any of them and nothing acknowledged is lost: the fault
 * suite kills it at each.
 */
export const failpoints = [
  /**
   * The event and its deliveries are committed; nobody was told. Passed once for what waits, which `woken` follows, and once
   * for what was claimed as it was published, which `claimed` follows.
   */
  'published',
  /** The lanes are due; no other process was told. */
  'woken',
  /** The claim is committed. */
  'claimed',
  /** Address, headers, payload and signer are read; no call is ordered. */
  'prepared',
  /** The request is on its way; nobody knows how far it has come. */
  'sent',
  /** The receiver responded, or the request failed; nothing is written. */
  'responded',
  /** What became of it is committed. */
  'settled',
] as const
export type Failpoint = (typeof failpoints)[number]

/** Told as each step is passed. */
export type OnFailpoint = (failpoint: Failpoint) => void
export const noFailpoint: OnFailpoint = () => {}

export type LogLine = (fields: object, message: string) => void
