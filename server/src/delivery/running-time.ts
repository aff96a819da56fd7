/** A stall is longer: a busy thread looks this late at times. */
const lateMs = 50

/**
 * Time as a thread lives it, in milliseconds. Of what stands still with the thread (its process is stopped, its machine
 * sleeps or is busy with others) hardly anything counts: nobody became slow meanwhile. Somebody ticks it every `everyMs`.
 */
export function createRunningTime(everyMs: number) {
  let ticked = { ran: 0, at: performance.now() }
  const now = () => ticked.ran + Math.min(performance.now() - ticked.at, everyMs + lateMs)
  return {
    now,
    tick() {
      ticked = { ran: now(), at: performance.now() }
    },
  }
}

export type RunningTime = ReturnType<typeof createRunningTime>
