export const minuteMs = 60_000
export const dayMs = 86_400_000

/** The times and limits of a sequence; times are in milliseconds. */
export const rules = {
  retry: { initialMs: minuteMs, maxMs: 10 * minuteMs, windowMs: 30 * minuteMs },
  leaseMs: 25_000,
  /** Of a call that began, until its settlement: nothing is begun that could not end within the lease. */
  callMs: 10_500,
  cooldownMs: 1_000,
  pauseAfterMs: 5 * dayMs,
  retentionMs: 4 * dayMs,
  keyLeadMs: dayMs,
  /** Calls of one webhook at once; of a healthy one twice as many are in flight. */
  callsAtOnce: 2,
  /** Failures in a row, after which it is called once at a time. */
  downAfter: 5,
}

/** No sequence goes further: for so long there is a partition. */
export const longestMs = 20 * dayMs
