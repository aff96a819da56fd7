import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { maxTimeoutMs } from '../webhooks/index.ts'
import type { Lease } from './delivery.ts'

/** For signing, for writing the outcome, and for a process that is held up a little. */
const spareMs = 5_000
/** Longer than the longest request, so a worker that lives always settles within its lease. */
export const leaseMs = maxTimeoutMs + spareMs

export const newLease = (workerId: string, now: number): Lease => ({
  leaseToken: makeId(now),
  workerId,
  leaseEnd: toTimestamp(now + leaseMs),
})
