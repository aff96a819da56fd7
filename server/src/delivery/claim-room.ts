/** Claimed for one lane at once: enough that a claim of a hundred feeds a fast receiver while the next one is written. */
export const maxRoom = 200
/** So much of the future is claimed ahead; well within the lease. */
const aheadMs = 500

/**
 * How many deliveries of a proven receiver may be claimed at once, the calls under way and what waits for them: half a
 * second's worth at the pace it answers (`averageMs` a call, `callsAtOnce` of them), so that claims are large where calls
 * are short and nothing waits long where they are not. Twice the calls at least: more is claimed when half are settled.
 */
export function claimRoom(averageMs: number, callsAtOnce: number): number {
  const ahead = Math.floor((callsAtOnce * aheadMs) / Math.max(averageMs, 0.1))
  return Math.min(Math.max(ahead, 2 * callsAtOnce), Math.max(maxRoom, 2 * callsAtOnce))
}
