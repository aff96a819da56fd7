import { maxTimeoutMs } from '../webhooks/index.ts'

/** For signing, for writing the outcome, and for a process that is held up a little. */
const spareMs = 5_000
/** Longer than the longest request, so a worker that lives always settles within its lease. */
export const leaseMs = maxTimeoutMs + spareMs
