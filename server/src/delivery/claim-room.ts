/**
 * The most deliveries of one lane in flight. It is claimed again when half are settled, and the rest must last until then: at
 * 15,000 calls a second hundreds are answered and not settled yet, and with 800 there was nothing to call 11 % of the time (measured).
 */
export const maxRoom = 1_600
/** So much of the future is claimed ahead; well within the lease. */
const aheadMs = 500
/** A receiver whose calls take so long is slow: it shares half of all calls with those that do not answer. */
const slowMs = 1_000

export const isQuick = (averageMs: number) => averageMs < slowMs

/**
 * How many deliveries of a receiver that answers may be claimed at once, the calls under way and what waits for them: half
 * a second's worth at the pace it answers (`averageMs` a call, `callsAtOnce` of them), so that claims are large where calls
 * are short. Twice the calls at least, for more is claimed when half are settled; but of a slow one only what is called.
 */
export function claimRoom(averageMs: number, callsAtOnce: number): number {
  if (!isQuick(averageMs)) return callsAtOnce
  const ahead = Math.floor((callsAtOnce * aheadMs) / Math.max(averageMs, 0.1))
  return Math.min(Math.max(ahead, 2 * callsAtOnce), Math.max(maxRoom, 2 * callsAtOnce))
}
