/**
 * Delivery: from a committed event to a receiver's 2XX, or to a state that says why not.
 *
 * Owns: the tables deliveries (the queue), finished_deliveries (the log), delivery_counts and lanes; the worker that
 * claims, signs, sends, settles, tries again and drops, its calls in a thread of their own (`sender.ts`); the rescue of
 * deliveries whose worker died, the end of those that waited for longer than events are kept, and the way back from the log
 * into the queue. docs/delivery-states.md draws the states. No routes. A lane's row is made with its webhook, a delivery's
 * row with its event; from then on both are delivery's, but for what `events` claims as it publishes it (`insertEvents`).
 * Leaves to `webhooks` where a webhook is called and with which headers, to `keys` the signing keys, to `outbound` the
 * call itself, and to `events` what is delivered.
 */
export { expireOld, keptSince, neededSince, removeOldCounts } from './expire.ts'
export { closeLanes, type LongestWait, pauseLane, resumeLane } from './lane-store.ts'
export { reopenDeliveries } from './reopen-store.ts'
export { type Delivery, startDelivery } from './start-delivery.ts'
export { type FinalStatus, finalStatuses, type Reason, reasons } from './status.ts'
export { noStep, type OnStep, type Step, steps } from './steps.ts'
