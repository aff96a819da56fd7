import { maxTimeoutMs } from '../webhooks/index.ts'

/** For signing, writing what became of the call, and a process that is held up a little. */
const spareMs = 5_000
/** Of a claim, in milliseconds: longer than the longest call, so a worker that lives always settles in time. */
export const leaseMs = maxTimeoutMs + spareMs
/** A worker that has had no session for so long is dead, and what it holds is given back. */
export const graceMs = 5_000
