/**
 * Delivery: from a committed event to a receiver's 2XX, or to a state that says why not.
 *
 * Owns: the tables deliveries (the queue), finished_deliveries (the log) and lanes; the worker that claims, signs,
 * sends, settles, tries again and drops; the rescue of deliveries whose worker died, and the end of those that waited
 * for longer than events are kept; docs/delivery-states.md draws the states. No routes.
 * A lane's row is made with its webhook, a delivery's row with its event; from then on both are delivery's alone.
 * Leaves to `webhooks` where a webhook is called and with which headers, to `keys` the signing keys, to `outbound` the
 * call itself, and to `events` what is delivered.
 */
export type { CallCaps } from './call-caps.ts'
export { listenToOthers } from './channels.ts'
export { closeLanes } from './claim-store.ts'
export { expireOld, neededSince, removeOldCounts } from './expire.ts'
export { createRecall } from './recall.ts'
export { type OnStep, type Step, steps } from './steps.ts'
export { createWaker } from './waker.ts'
export { createWorker, type Worker, type WorkerDependencies } from './worker.ts'
