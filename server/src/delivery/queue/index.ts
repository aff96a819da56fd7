/**
 * Delivery: from a committed event to a receiver's 2XX, or to a state that says why not.
 *
 * Owns: the tables deliveries (the queue), finished_deliveries (the log), delivery_counts, delivery_minute_counts, attempt_counts, lanes,
 * workers and unqueued_since; what claims, settles and takes back is in `store/`, what inserts in `enqueue.ts` and `enqueue-logouts.ts`.
 * `docs/build/one-delivery.md` follows one delivery through these files, `docs/build/delivery-states.md` draws its states. No routes.
 * Leaves to `webhooks` where a webhook is called and with which headers, to `keys` the signing keys, to `outbound` the
 * HTTP request, to `events` what is delivered, and to `logouts` what a logout token says.
 */
export type { FailingClaims } from './claim-outcomes.ts'
export {
  type Failpoint,
  type FinalStatus,
  failpoints,
  finalStatuses,
  type HookEnd,
  type LoggedStatus,
  loggedStatuses,
  noFailpoint,
  type OnFailpoint,
  type Reason,
  reasons,
} from './delivery.ts'
export { type Delivery, startDelivery } from './start.ts'
export {
  type LastFailure,
  lastFailure,
  percentile,
  readDurations,
  removeAttemptCounts,
} from './store/attempt-counts.ts'
export type { Backlog } from './store/backlog.ts'
export {
  closeLanes,
  countDeliveries,
  countInFlight,
  countNewLogouts,
  keepLogoutLane,
  type LongestWait,
  laneOfWebhook,
  pauseAllLanes,
  pauseLane,
  pauseLanesForMove,
  resumeLane,
  resumeLanesAfterMove,
} from './store/lanes.ts'
export {
  expireDeliveries,
  findOverdue,
  keptSince,
  logHookRun,
  oldestEndedSince,
  removeCounts,
  removeMinuteCounts,
  reopenDeliveries,
  reopenLogout,
} from './store/log.ts'
export { type Chosen, chooseToTry } from './store/tries.ts'
export { queueAllUnqueued, queueUnqueued } from './store/unqueued.ts'
export { announceDue, announceRevocation, type Wake } from './wake.ts'
