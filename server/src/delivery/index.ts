/**
 * Delivery: from a committed event to a receiver's 2XX, or to a state that says why not.
 *
 * Owns: the tables deliveries (the queue), finished_deliveries (the log) and lanes; the worker that claims, signs,
 * sends, settles, tries again and drops; the rescue of deliveries whose worker died. No routes yet.
 * A lane's row is made with its webhook, a delivery's row with its event; from then on both are delivery's alone.
 * Leaves to `webhooks` where a webhook is called and with which headers, to `keys` the signing keys, to `outbound` the
 * call itself, and to `events` what is delivered.
 */
export { closeLanes } from './delivery-store.ts'
export { listenForDue } from './due-channel.ts'
export { createWaker } from './waker.ts'
export { createWorker, type Worker, type WorkerDependencies } from './worker.ts'
